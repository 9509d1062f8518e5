/* Cholesky in one launch on NVIDIA's cards of sm_80 and newer: src/kernels/cuda/potrf_walk.cu. */
#ifndef QN_BLAS3_POTRF_WALK_H
#define QN_BLAS3_POTRF_WALK_H

#include "blas3/target.h"

bool qn_potrf_walk_serves(const qn_device *device, qn_dtype dtype);

/* The columns of a matrix of `order` that one launch is best given. */
int64_t qn_potrf_walk_block(const qn_device *device, qn_dtype dtype, int64_t order);

/* As potrf of qn_target, for any order; A may have more rows than columns (upper: more columns than
 * rows) if these are a multiple of 64. Workspace: a copy of the part of A that is factored. */
qn_status qn_potrf_walk(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info);

#endif
