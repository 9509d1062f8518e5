/* GEMM of halves by wgmma, on NVIDIA's sm_90a: variants of one host driver over
 * src/kernels/cuda/gemm_wgmma.cu and gemm_wgmma_split.cu. */
#ifndef QN_BLAS3_GEMM_WGMMA_H
#define QN_BLAS3_GEMM_WGMMA_H

#include "blas3/target.h"

extern const qn_gemm_variant qn_gemm_wgmma_large;  /* 256 x 128, two blocks share A's tile */
extern const qn_gemm_variant qn_gemm_wgmma_turns;  /* 128 x 128, two groups take turns */
extern const qn_gemm_variant qn_gemm_wgmma_pair;   /* the same, two blocks share A's tile */
extern const qn_gemm_variant qn_gemm_wgmma_square; /* 128 x 128 */
extern const qn_gemm_variant qn_gemm_wgmma_wide;   /* 128 x 192 */
extern const qn_gemm_variant qn_gemm_wgmma_narrow; /* 64 x 128 */
extern const qn_gemm_variant qn_gemm_wgmma_small;  /* 64 x 64 */
/* k split among the blocks of a cluster */
extern const qn_gemm_variant qn_gemm_wgmma_split_square; /* 128 x 128 */
extern const qn_gemm_variant qn_gemm_wgmma_split_thin;   /* 64 x 128 */
extern const qn_gemm_variant qn_gemm_wgmma_split_small;  /* 64 x 64 */

#endif
