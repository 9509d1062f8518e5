/* GEMM on OpenCL devices that are CPUs. */
#ifndef QN_BLAS3_GEMM_VECTOR_H
#define QN_BLAS3_GEMM_VECTOR_H

#include "blas3/target.h"

extern const qn_gemm_variant qn_gemm_vector;

#endif
