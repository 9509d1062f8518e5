/* TRSM in f64, and in f32 by f64, on the tensor cores of NVIDIA's cards, sm_90 and newer: a small
 * triangle, any number of right-hand sides, one launch (src/kernels/cuda/trsm_tensor.cu). */
#ifndef QN_BLAS3_TRSM_TENSOR_H
#define QN_BLAS3_TRSM_TENSOR_H

#include "blas3/target.h"

/* The largest order it takes; 0 where the device or the dtype lacks it. */
int64_t qn_trsm_tensor_order(const qn_device *device, qn_dtype dtype);

/* Inverses for the blocks of a triangle, of which it or parts are then solved, in one launch; NULL
 * where there is no room. */
qn_status qn_trsm_tensor_invert(qn_stream *stream, const qn_triangular_problem *p,
                                qn_buffer **inverses);

/* Whether a part has its inverses, without which it cannot be solved so. */
bool qn_trsm_tensor_ready(const qn_triangular_problem *p);

qn_status qn_trsm_tensor(qn_stream *stream, const qn_triangular_problem *p);

#endif
