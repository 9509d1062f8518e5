/* A triangle and its right-hand sides as kernels take them: every case of trsm and trmm as a lower
 * triangle from the left, by places and signed strides, or as they stand. */
#ifndef QN_BLAS3_CANONICAL_H
#define QN_BLAS3_CANONICAL_H

#include "blas3/launch.h"
#include "blas3/problem.h"

/* L(i, k) is at off_a + i si + k sj of A's buffer, conjugated if conj; column r of what it is
 * multiplied by, or of X, at off_b + i bi + r br of B's. */
typedef struct qn_canonical {
  int64_t off_a, si, sj, off_b, bi, br;
  bool transposed; /* |sj| is 1, else |si| is */
  bool back;       /* strides but br are negative */
  bool conj;
} qn_canonical;

qn_canonical qn_canonical_of(const qn_triangular_problem *p);

/* Order, right-hand sides, unit. */
void qn_call_sizes(qn_call *call, const qn_triangular_problem *p);

/* alpha; A, off_a, si, sj; B, off_b, bi, br. */
void qn_call_canonical(qn_call *call, const qn_triangular_problem *p, const qn_canonical *c);

/* As they stand: the sizes, alpha, A and its place, the columns. */
void qn_call_triangle(qn_call *call, const qn_triangular_problem *p);

/* B, its offset, strides along a column and between columns; side R has rows for columns. */
void qn_call_columns(qn_call *call, const qn_triangular_problem *p);

#endif
