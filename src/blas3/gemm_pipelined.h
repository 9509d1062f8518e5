/* GEMM by the pipelined tiles of CUDA. */
#ifndef QN_BLAS3_GEMM_PIPELINED_H
#define QN_BLAS3_GEMM_PIPELINED_H

#include "blas3/target.h"

extern const qn_gemm_variant qn_gemm_pipe_large; /* for large products */
extern const qn_gemm_variant qn_gemm_pipe_medium;
extern const qn_gemm_variant qn_gemm_pipe_small; /* more groups, less waste */

#endif
