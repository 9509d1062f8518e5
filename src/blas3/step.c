/* The steps of a routine, with their trace.
 *
 * Without a trace a step is one test and a call. */
#include "blas3/step.h"

/* Real operations in one multiply-add of the dtype. */
static double fma_flops(qn_dtype dtype) {
  return qn_dtype_is_complex(dtype) ? 8.0 : 2.0;
}

static double bytes_of(qn_matrix m) {
  return (double)m.rows * (double)m.cols * (double)qn_dtype_size(m.dtype);
}

qn_status qn_step_gemm(qn_stream *stream, const qn_gemm_problem *p) {
  qn_gemm_choice choice;
  QN_TRY(qn_gemm_choose(stream, p, &choice));
  if (!stream->trace) return choice.variant->launch(stream, p);

  double begun = qn_trace_begin(stream);
  QN_TRY(choice.variant->launch(stream, p));
  int64_t m = p->c.rows, n = p->c.cols, k = qn_gemm_inner(p);
  double part = p->region == QN_REGION_ALL ? 1.0 : 0.5;
  double reads_c = qn_scalar_is(p->beta, 0.0) ? 0.0 : 1.0;
  return qn_trace_end(
      stream, begun,
      (qn_trace_step){.kind = "gemm",
                      .variant = choice.variant->name,
                      .why = choice.why,
                      .m = m,
                      .n = n,
                      .k = k,
                      .flops = part * fma_flops(p->a.dtype) * (double)m * (double)n * (double)k,
                      .bytes = bytes_of(p->a) + bytes_of(p->b) +
                               part * (1.0 + reads_c) * bytes_of(p->c)});
}

qn_status qn_step_trmm_to(qn_stream *stream, const qn_triangular_problem *p, qn_matrix c) {
  const double begun = qn_trace_begin(stream);
  QN_TRY(qn_target_of(stream->device)->trmm_to(stream, p, c));
  if (!stream->trace) return QN_OK;
  const double order = (double)qn_triangular_order(p), nrhs = (double)qn_triangular_nrhs(p);
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "gemm",
                                      .variant = "triangle",
                                      .why = "k ends at the diagonal",
                                      .m = c.rows,
                                      .n = c.cols,
                                      .k = p->a.rows,
                                      .flops = 0.5 * fma_flops(p->a.dtype) * order * order * nrhs,
                                      .bytes = 0.5 * bytes_of(p->a) + 2.0 * bytes_of(c)});
}

typedef qn_status (*triangular_fn)(qn_stream *stream, const qn_triangular_problem *p);

static qn_status step_triangular(qn_stream *stream, const qn_triangular_problem *p,
                                 triangular_fn run) {
  if (!stream->trace) return run(stream, p);
  double begun = qn_trace_begin(stream);
  QN_TRY(run(stream, p));
  double order = (double)p->a.rows, nrhs = (double)qn_triangular_nrhs(p);
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "base",
                                      .variant = qn_target_of(stream->device)->base,
                                      .why = "",
                                      .m = p->b.rows,
                                      .n = p->b.cols,
                                      .k = p->a.rows,
                                      .flops = 0.5 * fma_flops(p->a.dtype) * order * order * nrhs,
                                      .bytes = 0.5 * bytes_of(p->a) + 2.0 * bytes_of(p->b)});
}

qn_status qn_step_trsm(qn_stream *stream, const qn_triangular_problem *p) {
  return step_triangular(stream, p, qn_target_of(stream->device)->trsm);
}

qn_status qn_step_trsm_columns(qn_stream *stream, const qn_triangular_problem *p) {
  return step_triangular(stream, p, qn_target_of(stream->device)->trsm_columns);
}

qn_status qn_step_trmm(qn_stream *stream, const qn_triangular_problem *p) {
  return step_triangular(stream, p, qn_target_of(stream->device)->trmm);
}

qn_status qn_step_potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info) {
  const qn_target *target = qn_target_of(stream->device);
  double begun = qn_trace_begin(stream);
  QN_TRY(target->potrf(stream, uplo, a, first, info));
  if (!stream->trace) return QN_OK;
  /* the longer side is that of the rows below */
  double n = (double)qn_min64(a.rows, a.cols), m = (double)qn_max64(a.rows, a.cols);
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "base",
                                      .variant = target->base,
                                      .why = "",
                                      .m = a.rows,
                                      .n = a.cols,
                                      .flops = fma_flops(a.dtype) * n * n * (m / 2.0 - n / 3.0),
                                      .bytes = bytes_of(a)});
}

qn_status qn_step_scale(qn_stream *stream, qn_scalar alpha, qn_matrix x) {
  const qn_target *target = qn_target_of(stream->device);
  double begun = qn_trace_begin(stream);
  QN_TRY(target->scale(stream, alpha, x));
  if (!stream->trace) return QN_OK;
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "other",
                                      .variant = "scale",
                                      .why = "",
                                      .m = x.rows,
                                      .n = x.cols,
                                      .bytes = bytes_of(x)});
}

qn_status qn_step_cast(qn_stream *stream, qn_matrix dst, qn_matrix src) {
  const qn_target *target = qn_target_of(stream->device);
  double begun = qn_trace_begin(stream);
  QN_TRY(target->cast(stream, dst, src));
  if (!stream->trace) return QN_OK;
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "pack",
                                      .variant = "cast",
                                      .why = "",
                                      .m = src.rows,
                                      .n = src.cols,
                                      .bytes = bytes_of(src) + bytes_of(dst)});
}

qn_status qn_step_alloc(qn_stream *stream, size_t bytes, qn_buffer **buffer) {
  double begun = qn_trace_begin(stream);
  QN_TRY(qn_scratch_alloc(stream, bytes, buffer));
  if (!stream->trace) return QN_OK;
  return qn_trace_end(
      stream, begun,
      (qn_trace_step){.kind = "alloc", .variant = "pool", .why = "", .bytes = (double)bytes});
}
