/* Triangular problems in a wider precision, written for clarity: no form, no recursion, no stride.
 */
#ifndef TRI_CHECK_H
#define TRI_CHECK_H

#include "device/cpu_ops.h"

typedef struct wide {
  long double re, im;
} wide;

/* A problem with its own memory. A and B stand in frames of POISON: the gap below each column, the
 * other triangle of A and a unit diagonal hold NaN of one known pattern. */
typedef struct problem {
  qn_cpu_triangular call;
  int64_t n;     /* order of A */
  void *a, *b;   /* the operands; call.a and call.b point here */
  void *a0, *b0; /* copies from before the call */
  size_t a_size, b_size;
} problem;

void problem_init(problem *p, qn_dtype dtype, const char *letters, int64_t rows, int64_t cols,
                  int64_t gap);
void problem_free(problem *p);
/* Copies of the operands as they are, for the checks below. */
void problem_keep(problem *p);

/* Element access in the wide type; `set` rounds. */
wide element(qn_dtype dtype, const void *data, int64_t ld, int64_t i, int64_t j);
void set_element(qn_dtype dtype, void *data, int64_t ld, int64_t i, int64_t j, wide value);
/* op(A)(i, j) as the routine must see it, of the kept copy. */
wide triangle_element(const problem *p, int64_t i, int64_t j);
/* Unit roundoff of a dtype. */
long double roundoff(qn_dtype dtype);

/* The random numbers of the tests, in (-1, 1). */
void random_seed(uint64_t seed);
double random_number(void);
/* Fills the stored triangle (|off-diagonal| <= 1/n, diagonal in 1..2) and B. */
void problem_random(problem *p);

/* After the call: A, the gaps and, with it, everything but B's elements is bit for bit as before.
 */
void check_untouched(const problem *p);
/* Largest share used of ACCURACY.md's bounds, over all columns; 1 and less is good. */
long double solve_error(const problem *p);
long double multiply_error(const problem *p);

#endif
