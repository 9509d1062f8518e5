/* References in wider precision, written for clarity.
 *
 * Every element of every dtype is exact in a double, so operands are held as planes of doubles;
 * sums of products are formed in long double (64 bits of mantissa on x86, 113 on arm), which leaves
 * 11 bits beyond f64 and 40 beyond f32. */
#ifndef ORACLE_H
#define ORACLE_H

#include <quern/quern.h>

/* rows x cols, column-major without gaps; im is NULL for a real matrix. */
typedef struct wide {
  int64_t rows, cols;
  double *re, *im;
} wide;

/* What a sum of products gives: as wide, in long double. */
typedef struct wide_sum {
  int64_t rows, cols;
  long double *re, *im;
} wide_sum;

wide wide_new(int64_t rows, int64_t cols, bool complex);
void wide_free(wide *m);
void wide_sum_free(wide_sum *s);

/* From and to an array of the dtype; storing rounds to nearest even. */
wide wide_load(qn_dtype dtype, const void *data, int64_t rows, int64_t cols, int64_t ld);
void wide_store(wide m, qn_dtype dtype, void *data, int64_t ld);

/* The matrix that op(A) is, written out. */
wide wide_op(wide a, qn_trans trans);
/* The triangle that op(A) is: zeros on the other side, ones on a unit diagonal. */
wide wide_triangle(wide a, qn_uplo uplo, qn_trans trans, qn_diag diag);
/* The moduli. */
wide wide_abs(wide m);
/* Some of the columns. */
wide wide_columns(wide m, const int64_t *columns, int64_t count);

/* Which elements of the left factor are there at all: absent ones are not multiplied. */
typedef enum wide_shape { WIDE_FULL, WIDE_LOWER, WIDE_UPPER } wide_shape;
wide_shape wide_shape_of(qn_uplo uplo, qn_trans trans);

/* T X */
wide_sum wide_product(wide_shape shape, wide t, wide x);

/* The loops of the reference BLAS, in place, in their order and without shortcuts for zeros: they
 * say where Inf and NaN must stand. T is a written-out triangle, on the left. */
void reference_solve(wide_shape shape, qn_diag diag, qn_scalar alpha, wide t, wide b);
void reference_multiply(wide_shape shape, qn_diag diag, qn_scalar alpha, wide t, wide b);

/* Half the spacing of numbers at 1, and the smallest positive number. */
double roundoff(qn_dtype dtype);
double smallest(qn_dtype dtype);
double largest(qn_dtype dtype);

/* Random numbers: a state, uniform in (-1, 1), standard normal, whole in [0, n). */
typedef struct dice {
  uint64_t state;
} dice;
double dice_uniform(dice *d);
double dice_normal(dice *d);
int64_t dice_below(dice *d, int64_t n);

#endif
