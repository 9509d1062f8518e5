/* Every case of trsm and trmm as a lower triangle from the left: places and signed strides. */
#ifndef QN_BLAS3_CANONICAL_H
#define QN_BLAS3_CANONICAL_H

#include "blas3/problem.h"

/* L(i, k) is at off_a + i si + k sj of A's buffer, conjugated if conj; column r of what it is
 * multiplied by, or of X, at off_b + i bi + r br of B's. */
typedef struct qn_canonical {
  int64_t off_a, si, sj, off_b, bi, br;
  bool transposed; /* |sj| is 1, else |si| is */
  bool back;       /* strides but br are negative */
  bool conj;
} qn_canonical;

static inline qn_canonical qn_canonical_of(const qn_triangular_problem *p) {
  bool left = p->side == QN_LEFT;
  /* op(A) X = B as it stands; X op(A) = B is op(A)^T X^T = B^T */
  bool transposed = (p->trans != QN_NOTRANS) == left;
  bool lower = (p->uplo == QN_LOWER) != transposed;
  qn_canonical c = {.off_a = p->a.offset,
                    .si = transposed ? p->a.ld : 1,
                    .sj = transposed ? 1 : p->a.ld,
                    .off_b = p->b.offset,
                    .bi = left ? 1 : p->b.ld,
                    .br = left ? p->b.ld : 1,
                    .transposed = transposed,
                    .back = !lower,
                    .conj = p->trans == QN_CONJTRANS};
  if (!lower) { /* an upper triangle is a lower one read from its end */
    int64_t last = p->a.rows - 1;
    c.off_a += last * (c.si + c.sj);
    c.off_b += last * c.bi;
    c.si = -c.si;
    c.sj = -c.sj;
    c.bi = -c.bi;
  }
  return c;
}

#endif
