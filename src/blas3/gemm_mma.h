/* GEMM of halves by the warp's tensor-core instructions, on NVIDIA's sm_80 and newer: the ladder of
 * docs/learn/tensor-cores.md. Only its last step is ever chosen; the others run when forced. */
#ifndef QN_BLAS3_GEMM_MMA_H
#define QN_BLAS3_GEMM_MMA_H

#include "blas3/target.h"

extern const qn_gemm_variant qn_gemm_wmma_naive, qn_gemm_mma_naive, qn_gemm_mma_naive_f16acc,
    qn_gemm_mma_m16n8k8, qn_gemm_mma_tiled, qn_gemm_mma_swizzled, qn_gemm_mma_async;
extern const qn_gemm_variant qn_gemm_mma_pipelined; /* any shape */

#endif
