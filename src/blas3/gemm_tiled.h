/* GEMM by compiled tiles: variants of one host driver over src/kernels/portable. */
#ifndef QN_BLAS3_GEMM_TILED_H
#define QN_BLAS3_GEMM_TILED_H

#include "blas3/target.h"

extern const qn_gemm_variant qn_gemm_tile_large; /* register tiles for large products */
extern const qn_gemm_variant qn_gemm_tile_wide;  /* f32: fewer, larger fragments an item */
extern const qn_gemm_variant qn_gemm_tile_small; /* smaller tiles: more groups, less waste */
extern const qn_gemm_variant qn_gemm_dmma_large; /* f64 on NVIDIA's tensor cores */
extern const qn_gemm_variant qn_gemm_dmma_small;

/* The end of a product whose k was split: C := alpha (sum of the parts) + beta C, in their order.
 * Part z is the z-th m x n matrix of raw sums in `work`. */
qn_status qn_gemm_reduce(qn_stream *stream, const qn_gemm_problem *g, int parts,
                         const qn_buffer *work);

#endif
