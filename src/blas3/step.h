/* The steps that a routine is made of: each asks the stream's target for one piece of work and,
 * while a trace is set, times and reports it. */
#ifndef QN_BLAS3_STEP_H
#define QN_BLAS3_STEP_H

#include "blas3/target.h"

/* The variant that would run, and why. */
typedef struct qn_gemm_choice {
  const qn_gemm_variant *variant;
  const char *why;
} qn_gemm_choice;

/* QN_EUNSUPPORTED when QUERN_GEMM_VARIANT names one that cannot do this problem. */
qn_status qn_gemm_choose(qn_stream *stream, const qn_gemm_problem *p, qn_gemm_choice *choice);

qn_status qn_step_gemm(qn_stream *stream, const qn_gemm_problem *p);
qn_status qn_step_trsm(qn_stream *stream, const qn_triangular_problem *p);
qn_status qn_step_trmm(qn_stream *stream, const qn_triangular_problem *p);
qn_status qn_step_trsm_columns(qn_stream *stream, const qn_triangular_problem *p);
qn_status qn_step_trmm_to(qn_stream *stream, const qn_triangular_problem *p, qn_matrix c);
qn_status qn_step_potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info);
qn_status qn_step_scale(qn_stream *stream, qn_scalar alpha, qn_matrix x);
qn_status qn_step_cast(qn_stream *stream, qn_matrix dst, qn_matrix src);
qn_status qn_step_alloc(qn_stream *stream, size_t bytes, qn_buffer **buffer);

#endif
