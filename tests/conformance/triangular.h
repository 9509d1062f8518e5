/* One case of trsm or trmm, from the operands to the bounds. */
#ifndef TRIANGULAR_H
#define TRIANGULAR_H

#include "conformance/families.h"

typedef struct tri_case {
  qn_dtype dtype;
  const family *family;
  wide lower; /* the family's triangle */
  qn_side side;
  qn_uplo uplo;
  qn_trans trans;
  qn_diag diag;
  int64_t n, nrhs; /* the order of A, and the other dimension of B */
  int64_t gap;     /* guard rows around A and B; 0 for none */
} tri_case;

/* Runs the case and judges it by ACCURACY.md; a failure names the case. */
void check_solve(const tri_case *c, dice *d);
void check_multiply(const tri_case *c, dice *d);

/* Calls `check` on all cases of the grid: every family that fits and every combination of side,
 * uplo, trans and diag; orders up to 257 with few right-hand sides, then a sample of the larger
 * ones (all of them in the full grid). */
void walk_grid(qn_dtype dtype, const family *list, int count,
               void (*check)(const tri_case *c, dice *d));

#endif
