/* Products of a matrix and a vector in long double, with the sum of magnitudes beside. */
#ifndef BENCH_WIDE_H
#define BENCH_WIDE_H

#include "bench/problem.h"

/* Which elements of a matrix count, and how they are read. */
typedef struct wide_matrix {
  qn_dtype dtype;
  bench_matrix m;
  enum { WIDE_FULL, WIDE_LOWER, WIDE_UPPER, WIDE_LOWER_UNIT, WIDE_UPPER_UNIT } part;
  bool transposed, conjugated; /* applied to the elements that count */
} wide_matrix;

/* A complex vector in two planes; im is NULL for real problems. */
typedef struct wide_vector {
  long double *re, *im;
} wide_vector;

/* Element (i, j) as doubles: every dtype fits. `im` is 0 for real types. */
void wide_element(qn_dtype dtype, const bench_matrix *m, int64_t i, int64_t j, double *re,
                  double *im);

/* Column j as it is stored: the rows [*first, *last) that count, written to re[i] (and im[i] of a
 * complex dtype), conjugated and with the unit diagonal put in. re and im have a.m.rows places. */
void wide_column(const wide_matrix *a, int64_t j, int64_t *first, int64_t *last, double *re,
                 double *im);

/* y := op(A) x and g := |op(A)| |x| elementwise (magnitudes, of complex numbers too). x has the
 * columns of op(A), y and g its rows. `work` has 3 * max(rows, cols) of the stored matrix. */
void wide_multiply(const wide_matrix *a, wide_vector x, wide_vector y, long double *g,
                   double *work);

/* norm1(op(A)): the largest column sum of magnitudes; `work` as above. */
double wide_norm1(const wide_matrix *a, double *work);

/* norm1 of the Hermitian matrix of which `a` is the lower or the upper part; `work` as above. */
double wide_norm1_hermitian(const wide_matrix *a, double *work);

#endif
