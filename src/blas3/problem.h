/* What a routine is asked to do, as one value: filled by the front ends, checked by args.c, read by
 * the steps and by the targets. */
#ifndef QN_BLAS3_PROBLEM_H
#define QN_BLAS3_PROBLEM_H

#include "blas3/epilogue.h"
#include "device/device.h"

/* That op(A) (QN_LEFT) or op(B) (QN_RIGHT) of a product is a triangle: what lies outside does not
 * influence, nor a unit diagonal. */
typedef struct qn_gemm_triangle {
  qn_side side;
  bool lower, unit; /* of op(A) or op(B) */
} qn_gemm_triangle;

/* C := alpha op(A) op(B) + beta C over a region of C; with an epilogue, which comes with the whole
 * of C alone, the epilogue of that. A triangle comes with beta = 0 and neither. */
typedef struct qn_gemm_problem {
  qn_trans transa, transb;
  qn_scalar alpha, beta;
  qn_matrix a, b, c;
  qn_region region;
  const qn_epilogue_use *epilogue;  /* NULL: none */
  const qn_gemm_triangle *triangle; /* NULL: none; qn_gemm_pipelined_triangle alone takes one */
} qn_gemm_problem;

/* B := alpha op(A) B or alpha B op(A), or the solves; which of them, the function says. */
typedef struct qn_triangular_problem {
  qn_side side;
  qn_uplo uplo;
  qn_trans trans;
  qn_diag diag;
  qn_scalar alpha;
  qn_matrix a, b;
  /* NULL, or inverses of small diagonal blocks of the triangle that A is a block of, worked out
   * ahead as the target has them; A's begin behind so many unknowns. */
  const qn_buffer *inverses;
  int64_t first;
} qn_triangular_problem;

static inline bool qn_scalar_is(qn_scalar s, double re) {
  return s.re == re && s.im == 0.0;
}

static inline int64_t qn_gemm_inner(const qn_gemm_problem *p) {
  return p->transa == QN_NOTRANS ? p->a.cols : p->a.rows;
}

/* The side of B along which A acts, and the other. */
static inline int64_t qn_triangular_order(const qn_triangular_problem *p) {
  return p->a.rows;
}
static inline int64_t qn_triangular_nrhs(const qn_triangular_problem *p) {
  return p->side == QN_LEFT ? p->b.cols : p->b.rows;
}

#endif
