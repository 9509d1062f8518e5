/* qn_matrix_reduce: chunks to states, states to results (src/kernels/portable/reduce.cl), or the
 * cpu's loops. */
#include "blas3/args.h"
#include "blas3/launch.h"
#include "blas3/prepare.h"

/* The least elements of a group; the most groups of a vector, so that the second launch, where one
 * group joins their states, stays short. */
enum { CHUNK = 4096, MOST_CHUNKS = 4096, ITEMS = 256 };

typedef struct reduce {
  qn_reduction op;
  qn_matrix x, out;
  int64_t vectors, count, chunk; /* count: elements of a vector; chunk: of them a group */
  qn_buffer *states;             /* NULL where a vector is one chunk */
} reduce;

qn_dtype qn_reduce_dtype(qn_reduction op, qn_dtype dtype) {
  const qn_dtype arithmetic = qn_dtype_compute(dtype);
  if (op == QN_REDUCE_SUM || !qn_dtype_is_complex(dtype)) return arithmetic;
  return arithmetic == QN_C64 ? QN_F32 : QN_F64;
}

/* Bytes of a state: the norm's is three reals. */
static size_t state_size(const reduce *p) {
  const size_t result = qn_dtype_size(qn_reduce_dtype(p->op, p->x.dtype));
  return p->op == QN_REDUCE_NORM ? 3 * result : result;
}

static qn_status launch(qn_stream *stream, const reduce *p, const qn_kernel_text *text,
                        int64_t groups, const qn_call *call) {
  const qn_form form = {.text = text, .value = {(uint8_t)p->x.dtype, (uint8_t)p->op}};
  const qn_call_shape shape = {groups, qn_min64(p->vectors, QN_CALL_MOST_Y), 1, ITEMS};
  return qn_call_run(stream, &form, shape, call);
}

static qn_status elements(qn_stream *stream, const reduce *p, int64_t chunks) {
  static const qn_kernel_text text = {"portable/reduce.cl", "elements", "", {"QN_T", "REDUCTION"}};
  qn_call call = {.count = 0};
  qn_call_i64(&call, qn_max64(1, p->x.rows));
  qn_call_i64(&call, p->count);
  qn_call_i64(&call, p->chunk);
  qn_call_i64(&call, p->vectors);
  qn_call_matrix(&call, p->x);
  qn_call_buffer(&call, p->states ? p->states : p->out.buffer);
  qn_call_matrix(&call, p->out);
  return launch(stream, p, &text, chunks, &call);
}

static qn_status states(qn_stream *stream, const reduce *p, int64_t chunks) {
  static const qn_kernel_text text = {"portable/reduce.cl", "states", "", {"QN_T", "REDUCTION"}};
  qn_call call = {.count = 0};
  qn_call_i64(&call, chunks);
  qn_call_i64(&call, p->vectors);
  qn_call_buffer(&call, p->states);
  qn_call_matrix(&call, p->out);
  return launch(stream, p, &text, 1, &call);
}

static qn_status on_device(qn_stream *stream, const void *problem) {
  reduce p = *(const reduce *)problem;
  p.chunk = CHUNK * qn_max64(1, qn_ceil_div(p.count, (int64_t)CHUNK * MOST_CHUNKS));
  const int64_t chunks = qn_max64(1, qn_ceil_div(p.count, p.chunk));
  if (chunks == 1) return elements(stream, &p, 1);
  QN_TRY(qn_scratch_alloc(stream, (size_t)(chunks * p.vectors) * state_size(&p), &p.states));
  qn_status status = elements(stream, &p, chunks);
  if (status == QN_OK) status = states(stream, &p, chunks);
  qn_scratch_free(stream, p.states);
  return status;
}

static qn_status run(qn_stream *stream, const reduce *p) {
  const qn_cpu_ops *cpu = stream->device->cpu;
  if (cpu)
    return cpu->reduce(
        &(qn_cpu_reduce){p->op, p->x.dtype, p->vectors, qn_cpu_view(p->x), qn_cpu_view(p->out)});
  const qn_prepare_key key = {'r', p->x.dtype, (uint32_t)p->op, p->count, 0, 0};
  QN_TRY(qn_prepare(stream, &key, on_device, p));
  return on_device(stream, p);
}

static qn_status check(qn_stream *stream, qn_reduction op, qn_matrix x, qn_matrix out) {
  const char *me = "qn_matrix_reduce";
  QN_TRY(qn_stream_check(stream, me));
  if ((unsigned)op > QN_REDUCE_MIN)
    return qn_fail(QN_EINVAL, me, "op is %d, no qn_reduction", (int)op);
  QN_TRY(qn_matrix_check(stream, x, me, "x"));
  QN_TRY(qn_matrix_check(stream, out, me, "out"));
  if (out.rows != 1 || (out.cols != 1 && out.cols != x.cols))
    return qn_fail(QN_EINVAL, me, "out is %lld x %lld, neither 1 x 1 nor 1 x %lld",
                   (long long)out.rows, (long long)out.cols, (long long)x.cols);
  if (qn_dtype_is_complex(x.dtype) && op >= QN_REDUCE_MAX)
    return qn_fail(QN_EUNSUPPORTED, me, "x is %s, which has no order", qn_dtype_name(x.dtype));
  if (out.dtype != qn_reduce_dtype(op, x.dtype))
    return qn_fail(QN_EINVAL, me, "out is %s, not %s", qn_dtype_name(out.dtype),
                   qn_dtype_name(qn_reduce_dtype(op, x.dtype)));
  return qn_args_dtype(stream, x.dtype, me);
}

qn_status qn_matrix_reduce(qn_stream *stream, qn_reduction op, qn_matrix x, qn_matrix out) {
  QN_TRY(check(stream, op, x, out));
  if (out.cols == 0) return QN_OK;
  reduce p = {.op = op, .x = x, .out = out, .vectors = out.cols};
  p.count = out.cols == 1 ? x.rows * x.cols : x.rows;
  const double begun = qn_trace_begin(stream);
  QN_TRY(qn_stream_result(stream, run(stream, &p)));
  return qn_trace_end(
      stream, begun,
      (qn_trace_step){.kind = "other",
                      .variant = "reduce",
                      .why = "",
                      .m = x.rows,
                      .n = x.cols,
                      .bytes = (double)x.rows * (double)x.cols * (double)qn_dtype_size(x.dtype)});
}
