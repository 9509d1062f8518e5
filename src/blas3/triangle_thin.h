/* TRSM with the fewest right-hand sides on NVIDIA's cards: src/kernels/cuda/trsm_thin.cu. */
#ifndef QN_BLAS3_TRIANGLE_THIN_H
#define QN_BLAS3_TRIANGLE_THIN_H

#include "blas3/target.h"

/* Whether it is the best way for this problem, on a device that qn_walk_serves. */
bool qn_trsm_thin_serves(const qn_device *device, const qn_triangular_problem *p);

/* A triangle of any order. Workspace: a copy of B. */
qn_status qn_trsm_thin(qn_stream *stream, const qn_triangular_problem *p);

#endif
