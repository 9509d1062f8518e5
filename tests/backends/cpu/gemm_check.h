/* Products in long double, written as the definition reads, and ACCURACY's bounds on them. */
#ifndef GEMM_CHECK_H
#define GEMM_CHECK_H

#include "device/cpu_ops.h"

typedef struct gemm_shape {
  qn_dtype dtype, ctype;
  int64_t m, n, k;
  char transa, transb;
  qn_scalar alpha, beta;
  qn_region region;
  int64_t gap; /* ld - rows of each matrix */
} gemm_shape;

/* A call with its own memory: gaps hold one NaN pattern, and so does all of C where beta = 0. */
typedef struct gemm_problem {
  gemm_shape shape;
  qn_cpu_gemm call;
  char *c0; /* C from before the call */
  size_t c_bytes;
} gemm_problem;

enum gemm_family { FAMILY_UNIFORM, FAMILY_POSITIVE, FAMILY_SPREAD };

void gemm_problem_init(gemm_problem *p, const gemm_shape *shape, enum gemm_family family);
void gemm_problem_free(gemm_problem *p);

/* Largest share used of the bound over all elements (all = every element, else a sample of
 * columns); 1 and less is good. Fails the test where anything outside the region changed. */
long double gemm_problem_error(const gemm_problem *p, bool all);

void check_random_seed(uint64_t seed);
double check_random(void); /* in (-1, 1) */

#endif
