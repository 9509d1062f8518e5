/* The packed product between its parts: gemm.c prepares it, gemm_packed.c runs it. */
#ifndef QN_CPU_GEMM_H
#define QN_CPU_GEMM_H

#include "backends/cpu/kernels.h"

/* One element of any compute dtype: alpha or beta as a kernel reads it. */
typedef union qn_element {
  float f32[2];
  double f64[2];
} qn_element;

qn_element qn_element_of(qn_dtype compute, qn_scalar x);

/* C := alpha A B + beta C, and its epilogue, with A m x k and B k x n as operands; C in the compute
 * dtype. alpha != 0 and k > 0. */
typedef struct qn_product {
  const qn_tile_kernels *kernels;
  const qn_blocking *blocking;
  int64_t m, n, k;
  size_t a_size;   /* bytes of an element of A and B */
  size_t c_size;   /* bytes of an element of C and of the panels */
  int step_factor; /* reals in an element of a panel */
  qn_operand a, b;
  qn_element alpha, beta, one;
  void *c;
  int64_t ldc;
  qn_region region;
  const qn_cpu_epilogue *epilogue; /* of C where its last sums are in; NULL: none */
  qn_dtype dtype;                  /* of A and B */
} qn_product;

/* The product of a call whose C has the compute dtype. */
qn_product qn_product_of(const qn_cpu_gemm *p);

qn_status qn_product_run(const qn_product *p);

/* gemm_aside.c: sums in workspace. */
qn_status qn_gemm_aside(const qn_cpu_gemm *p);

/* Whether anything of A and B counts. */
static inline bool qn_gemm_has_product(const qn_cpu_gemm *p) {
  int64_t k = p->transa == QN_NOTRANS ? p->a.cols : p->a.rows;
  return k > 0 && (p->alpha.re != 0 || (p->alpha.im != 0 && qn_dtype_is_complex(p->dtype)));
}

#endif
