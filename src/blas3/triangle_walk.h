/* TRSM and TRMM in one launch on NVIDIA's cards of sm_80 and newer: trsm_walk.cu, trsm_wide.cu and
 * their likes of trmm in src/kernels/cuda. */
#ifndef QN_BLAS3_TRIANGLE_WALK_H
#define QN_BLAS3_TRIANGLE_WALK_H

#include "blas3/target.h"

/* Whether the device has them; the halves come as f32. */
bool qn_walk_serves(const qn_device *device, qn_dtype dtype);

/* The order up to which one launch is the best way for these right-hand sides. */
int64_t qn_walk_block(const qn_triangular_problem *p);

/* A triangle of any order. Workspace, where thread blocks share columns: a copy of B. A product
 * goes to c, which may be B. */
qn_status qn_trsm_walk(qn_stream *stream, const qn_triangular_problem *p);
qn_status qn_trmm_walk(qn_stream *stream, const qn_triangular_problem *p, qn_matrix c);

#endif
