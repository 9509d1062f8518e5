/* The triangular matrices on which solvers differ. */
#ifndef FAMILIES_H
#define FAMILIES_H

#include "conformance/harness.h"

typedef struct family {
  const char *name;
  /* Whether it can be had, and solved without overflow, in this order and dtype. */
  bool (*fits)(int64_t n, qn_dtype dtype);
  /* A lower triangle of order n, its diagonal divided out where `unit`. */
  void (*fill)(dice *d, wide l, qn_dtype dtype, bool unit);
  /* log2 of the right-hand side's scale, so that the solution is of moderate size. */
  int (*rhs_exponent)(qn_dtype dtype);
} family;

/* The last one, whose products would overflow, is for solves alone. */
extern const family families[];
extern const int family_count;

/* The lower triangle of a family, rounded to the dtype. */
wide family_triangle(const family *f, dice *d, int64_t n, qn_dtype dtype, qn_diag diag);
/* The same as `uplo` stores it, with NaN where it is not referenced. */
wide family_stored(wide l, qn_uplo uplo, qn_diag diag);

#endif
