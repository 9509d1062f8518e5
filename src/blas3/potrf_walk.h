/* Cholesky in one launch on NVIDIA's cards of sm_80 and newer: src/kernels/cuda/potrf_walk.cu. */
#ifndef QN_BLAS3_POTRF_WALK_H
#define QN_BLAS3_POTRF_WALK_H

#include "blas3/target.h"

bool qn_potrf_walk_serves(const qn_device *device, qn_dtype dtype);

/* The order up to which one launch is the best way. */
int64_t qn_potrf_walk_block(qn_dtype dtype);

/* As potrf of qn_target, for any order. Workspace: half a copy of A. */
qn_status qn_potrf_walk(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info);

#endif
