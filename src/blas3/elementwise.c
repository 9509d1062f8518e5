/* qn_matrix_axpby and qn_matrix_map: a kernel with an item an element, or the cpu's loops. */
#include "blas3/args.h"
#include "blas3/launch.h"
#include "blas3/prepare.h"

static qn_status check(qn_stream *stream, qn_matrix x, qn_matrix y, const char *me) {
  QN_TRY(qn_stream_check(stream, me));
  QN_TRY(qn_matrix_check(stream, x, me, "x"));
  QN_TRY(qn_matrix_check(stream, y, me, "y"));
  if (y.rows != x.rows || y.cols != x.cols || y.dtype != x.dtype)
    return qn_fail(QN_EINVAL, me, "y is %lld x %lld %s where x is %lld x %lld %s",
                   (long long)y.rows, (long long)y.cols, qn_dtype_name(y.dtype), (long long)x.rows,
                   (long long)x.cols, qn_dtype_name(x.dtype));
  return qn_args_dtype(stream, x.dtype, me);
}

/* Brackets the work for the trace. */
static qn_status finish(qn_stream *stream, double begun, const char *variant, qn_matrix x,
                        qn_status status) {
  QN_TRY(qn_stream_result(stream, status));
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "other",
                                      .variant = variant,
                                      .why = "",
                                      .m = x.rows,
                                      .n = x.cols,
                                      .bytes = 2.0 * (double)x.rows * (double)x.cols *
                                               (double)qn_dtype_size(x.dtype)});
}

/* ---- Y := alpha X + beta Y ---- */

typedef struct axpby {
  qn_scalar alpha, beta;
  qn_matrix x, y;
} axpby;

static qn_status axpby_launch(qn_stream *stream, const void *problem) {
  static const qn_kernel_text text = {"portable/axpby.cl", "axpby", "", {"QN_T"}};
  const axpby *p = problem;
  qn_call call = {.count = 0};
  qn_call_i64(&call, p->x.rows);
  qn_call_i64(&call, p->x.cols);
  qn_call_scalar(&call, p->x.dtype, p->alpha);
  qn_call_matrix(&call, p->x);
  qn_call_scalar(&call, p->x.dtype, p->beta);
  qn_call_matrix(&call, p->y);
  return qn_call_each(stream, p->x, &(qn_form){.text = &text, .value = {(uint8_t)p->x.dtype}},
                      &call);
}

static qn_status axpby_run(qn_stream *stream, const axpby *p) {
  const qn_cpu_ops *cpu = stream->device->cpu;
  if (cpu) {
    cpu->axpby(
        &(qn_cpu_axpby){p->x.dtype, p->alpha, p->beta, qn_cpu_view(p->x), qn_cpu_view(p->y)});
    return QN_OK;
  }
  const qn_prepare_key key = {'y', p->x.dtype, 0, 0, 0, 0};
  QN_TRY(qn_prepare(stream, &key, axpby_launch, p));
  return axpby_launch(stream, p);
}

qn_status qn_matrix_axpby(qn_stream *stream, qn_scalar alpha, qn_matrix x, qn_scalar beta,
                          qn_matrix y) {
  QN_TRY(check(stream, x, y, "qn_matrix_axpby"));
  if (x.rows == 0 || x.cols == 0) return QN_OK;
  const axpby p = {qn_args_scalar(alpha, x.dtype), qn_args_scalar(beta, x.dtype), x, y};
  const double begun = qn_trace_begin(stream);
  return finish(stream, begun, "axpby", x, axpby_run(stream, &p));
}

/* ---- Y := map(X) ---- */

typedef struct map {
  qn_map map;
  qn_matrix x, y;
} map;

static qn_status map_launch(qn_stream *stream, const void *problem) {
  static const qn_kernel_text text = {"portable/map.cl", "map", "", {"QN_T", "MAP"}};
  const map *p = problem;
  qn_call call = {.count = 0};
  qn_call_i64(&call, p->x.rows);
  qn_call_i64(&call, p->x.cols);
  qn_call_matrix(&call, p->x);
  qn_call_matrix(&call, p->y);
  const qn_form form = {.text = &text, .value = {(uint8_t)p->x.dtype, (uint8_t)p->map}};
  return qn_call_each(stream, p->x, &form, &call);
}

static qn_status map_run(qn_stream *stream, const map *p) {
  const qn_cpu_ops *cpu = stream->device->cpu;
  if (cpu) {
    cpu->map(&(qn_cpu_map){p->map, p->x.dtype, qn_cpu_view(p->x), qn_cpu_view(p->y)});
    return QN_OK;
  }
  const qn_prepare_key key = {'m', p->x.dtype, (uint32_t)p->map, 0, 0, 0};
  QN_TRY(qn_prepare(stream, &key, map_launch, p));
  return map_launch(stream, p);
}

qn_status qn_matrix_map(qn_stream *stream, qn_map function, qn_matrix x, qn_matrix y) {
  const char *me = "qn_matrix_map";
  QN_TRY(check(stream, x, y, me));
  if ((unsigned)function > QN_MAP_RELU)
    return qn_fail(QN_EINVAL, me, "map is %d, no qn_map", (int)function);
  if (qn_dtype_is_complex(x.dtype) && function > QN_MAP_RECIPROCAL)
    return qn_fail(QN_EUNSUPPORTED, me, "map is %d, which %s lacks", (int)function,
                   qn_dtype_name(x.dtype));
  if (x.rows == 0 || x.cols == 0) return QN_OK;
  const map p = {function, x, y};
  const double begun = qn_trace_begin(stream);
  return finish(stream, begun, "map", x, map_run(stream, &p));
}
