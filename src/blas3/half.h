/* TRSM and TRMM in f16 and bf16: the arithmetic is f32's, on slabs of B. */
#ifndef QN_BLAS3_HALF_H
#define QN_BLAS3_HALF_H

#include "blas3/triangle.h"

/* Runs `walk` on each slab of B in f32, with room in t->tile for blocks of A. */
qn_status qn_half_slabs(qn_triangle *t, const qn_triangular_problem *p, qn_triangle_walk walk);

#endif
