/* GEMM by the pipelined tiles of CUDA. */
#ifndef QN_BLAS3_GEMM_PIPELINED_H
#define QN_BLAS3_GEMM_PIPELINED_H

#include "blas3/target.h"

extern const qn_gemm_variant qn_gemm_pipe_large; /* for large products */
extern const qn_gemm_variant qn_gemm_pipe_medium;
extern const qn_gemm_variant qn_gemm_pipe_small; /* more groups, less waste */
extern const qn_gemm_variant qn_gemm_pipe_thin;  /* f32: more groups, of 64 columns */
extern const qn_gemm_variant qn_gemm_pipe_flat;  /* f32: of 64 rows */
/* Of triangles, f64: of 64 by 16, 32 by 64 along the triangle, 32 by 32. */
extern const qn_gemm_variant qn_gemm_pipe_narrow, qn_gemm_pipe_strip, qn_gemm_pipe_tiny;

/* A product with a triangle, by the pipelined tile that costs least: one launch, or before sm_90
 * two with workspace. */
bool qn_gemm_pipelined_serves(const qn_stream *stream, qn_dtype dtype);
qn_status qn_gemm_pipelined_triangle(qn_stream *stream, const qn_gemm_problem *g);

#endif
