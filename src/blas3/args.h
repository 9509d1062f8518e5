/* The argument rules of the public routines.
 *
 * Each function checks one problem for a stream and brings it into the form that everything below
 * relies on: scalars rounded to the arithmetic of the dtype, no QN_CONJTRANS on real types. The
 * error names the function, the argument and its value; nothing has been enqueued. */
#ifndef QN_BLAS3_ARGS_H
#define QN_BLAS3_ARGS_H

#include "blas3/problem.h"

qn_status qn_gemm_args(qn_stream *stream, const char *function, qn_gemm_problem *p);
qn_status qn_triangular_args(qn_stream *stream, const char *function, qn_triangular_problem *p);
qn_status qn_potrf_args(qn_stream *stream, qn_uplo uplo, qn_matrix a);

/* The pieces, for routines with rules of their own. */
qn_status qn_args_dtype(const qn_stream *stream, qn_dtype dtype, const char *function);
qn_scalar qn_args_scalar(qn_scalar s, qn_dtype dtype);

#endif
