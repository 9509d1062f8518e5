/* The contract behind proc(dev, QN_PROC_CPU_OPS): the arithmetic of the cpu backend on host memory.
 *
 * blas3 and rng call it inline; the backend never sees a view, a stream or the recursion. Every
 * function is safe to call from many threads at once; each uses the process's thread pool where the
 * work is worth it. Matrices are column-major. Arguments have been checked. */
#ifndef QN_CPU_OPS_H
#define QN_CPU_OPS_H

#include "device/epilogue.h"
#include <quern/matrix.h>

#define QN_PROC_CPU_OPS "cpu_ops"

typedef struct qn_cpu_matrix {
  void *data; /* element (0, 0) */
  int64_t rows, cols, ld;
} qn_cpu_matrix;

/* Which part of C a product writes. */
typedef enum qn_region { QN_REGION_ALL, QN_REGION_LOWER, QN_REGION_UPPER } qn_region;

/* What an epilogue's program reads beside the product: matrix i stands for slot QN_SLOT_BIAS_M + i,
 * its element (i, j) at data[i step_i + j step_j]. */
typedef struct qn_cpu_epilogue {
  const qn_epilogue_program *program;
  struct {
    const void *data;
    int64_t step_i, step_j;
    bool f32; /* where A is a half: f32 in its place */
  } matrix[QN_EPILOGUE_MATRICES];
  qn_scalar scalar[QN_EPILOGUE_SCALARS];
} qn_cpu_epilogue;

/* C := alpha op(A) op(B) + beta C over `region`; k = a's inner dimension, possibly 0. With
 * alpha = 0, A and B are not read; with beta = 0, C is not. An epilogue comes with QN_REGION_ALL.
 */
typedef struct qn_cpu_gemm {
  qn_dtype dtype; /* of A and B */
  qn_dtype ctype; /* of C: dtype, or QN_F32 where dtype is a half */
  qn_trans transa, transb;
  qn_scalar alpha, beta;
  qn_cpu_matrix a, b, c;
  qn_region region;
  const qn_cpu_epilogue *epilogue; /* NULL: none */
} qn_cpu_gemm;

/* B := alpha op(A) B, alpha B op(A), or the solves. f32 f64 c64 c128; alpha != 0. */
typedef struct qn_cpu_triangular {
  qn_dtype dtype;
  qn_side side;
  qn_uplo uplo;
  qn_trans trans;
  qn_diag diag;
  qn_scalar alpha;
  qn_cpu_matrix a, b;
} qn_cpu_triangular;

/* Element by element, quern/matrix.h; x may be y. */
typedef struct qn_cpu_axpby {
  qn_dtype dtype;
  qn_scalar alpha, beta; /* what a factor of 0 multiplies is not read */
  qn_cpu_matrix x, y;
} qn_cpu_axpby;

typedef struct qn_cpu_map {
  qn_map map;
  qn_dtype dtype;
  qn_cpu_matrix x, y;
} qn_cpu_map;

/* vectors = 1: x as one vector; else each of its columns. Result v goes to out(0, v), which is of
 * qn_reduce_dtype. */
typedef struct qn_cpu_reduce {
  qn_reduction op;
  qn_dtype dtype;
  int64_t vectors;
  qn_cpu_matrix x, out;
} qn_cpu_reduce;

typedef struct qn_cpu_ops {
  const char *isa; /* "avx512" "avx2" "neon" "plain" */

  qn_status (*gemm)(const qn_cpu_gemm *p);
  /* The same by a BLAS found at run time; NULL where there is none. f32 f64 c64 c128, the whole of
   * C, no epilogue; alpha != 0, and every size and ld from 1 to 2^31 - 1. */
  qn_status (*gemm_blas)(const qn_cpu_gemm *p);

  /* Any order is right; orders up to `*_block` are what they are tuned for. */
  qn_status (*trsm)(const qn_cpu_triangular *p);
  qn_status (*trmm)(const qn_cpu_triangular *p);
  int64_t (*trsm_block)(const qn_cpu_triangular *p);
  int64_t (*trmm_block)(const qn_cpu_triangular *p);

  /* Unblocked Cholesky of a small block; *info as LAPACK's (1-based), 0 when done. */
  qn_status (*potrf)(qn_dtype dtype, qn_uplo uplo, qn_cpu_matrix a, int64_t *info);
  int64_t (*potrf_block)(qn_dtype dtype);

  /* dst := src with conversion (round to nearest even; NaN stays NaN), between f16 bf16 f32 f64, or
   * between alike dtypes; shapes are equal. */
  void (*cast)(qn_dtype dst_type, qn_cpu_matrix dst, qn_dtype src_type, qn_cpu_matrix src);
  /* x := alpha x; alpha = 0 writes zeros without reading. */
  void (*scale)(qn_dtype dtype, qn_scalar alpha, qn_cpu_matrix x);
  void (*axpby)(const qn_cpu_axpby *p);
  void (*map)(const qn_cpu_map *p);
  qn_status (*reduce)(const qn_cpu_reduce *p);

  /* The stream of rng.h from `state` on, f32 or f64, column-major; normals begin at a block. */
  void (*rng_uniform)(qn_dtype dtype, uint64_t state, qn_cpu_matrix out);
  void (*rng_normal)(qn_dtype dtype, uint64_t state, qn_cpu_matrix out);
} qn_cpu_ops;

#endif
