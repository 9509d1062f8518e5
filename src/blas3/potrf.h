/* Cholesky's problem, for its rehearsal. */
#ifndef QN_BLAS3_POTRF_H
#define QN_BLAS3_POTRF_H

#include "blas3/target.h"

typedef struct qn_potrf_problem {
  qn_uplo uplo;
  qn_matrix a;
} qn_potrf_problem;

/* The factorization of a qn_potrf_problem on a stream that rehearses. */
qn_status qn_potrf_rehearsed(qn_stream *stream, const void *problem);

#endif
