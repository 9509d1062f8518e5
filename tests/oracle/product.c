/* Sums of products in long double. */
#include "oracle/oracle.h"
#include <stdlib.h>

enum { LANES = 4 }; /* sums kept at once: one alone would wait for every addition */

/* y(i) += sign * sum over k in [low(i), high(i)) of t(i, k) x(k), with t given by its rows. */
static void add_product(wide_shape shape, int64_t rows, int64_t inner, const double *t_rows,
                        const double *x, long double sign, long double *y) {
  for (int64_t i = 0; i < rows; i += LANES) {
    int64_t lanes = rows - i < LANES ? rows - i : LANES;
    /* Lanes share a range of k that all of them have; what is left of each follows. */
    int64_t low = shape == WIDE_UPPER ? i + lanes : 0, high = shape == WIDE_LOWER ? i + 1 : inner;
    if (low > inner) low = inner;
    const double *r = t_rows + i * inner;
    int64_t last = lanes - 1;
    const double *r1 = r + (last < 1 ? last : 1) * inner, *r2 = r + (last < 2 ? last : 2) * inner;
    const double *r3 = r + last * inner;
    long double sum[LANES] = {0};
    for (int64_t k = low; k < high; k++) {
      long double xk = x[k];
      sum[0] += r[k] * xk;
      sum[1] += r1[k] * xk;
      sum[2] += r2[k] * xk;
      sum[3] += r3[k] * xk;
    }
    for (int64_t lane = 0; lane < lanes; lane++) {
      long double s = sum[lane == last ? 3 : lane];
      const double *row = r + lane * inner;
      if (shape == WIDE_UPPER)
        for (int64_t k = i + lane; k < low; k++) s += (long double)row[k] * x[k];
      if (shape == WIDE_LOWER)
        for (int64_t k = high; k <= i + lane; k++) s += (long double)row[k] * x[k];
      y[i + lane] += sign * s;
    }
  }
}

static long double *zero_sums(int64_t count) {
  long double *p = calloc((size_t)(count > 0 ? count : 1), sizeof *p);
  if (!p) abort();
  return p;
}

wide_sum wide_product(wide_shape shape, wide t, wide x) {
  bool complex = t.im || x.im;
  int64_t m = t.rows, k = t.cols, n = x.cols;
  wide_sum y = {m, n, zero_sums(m * n), complex ? zero_sums(m * n) : NULL};
  wide rows = wide_op(t, QN_TRANS); /* a column of the transpose is a row, side by side */
  for (int64_t j = 0; j < n; j++) {
    const double *xr = x.re + j * k, *xi = x.im ? x.im + j * k : NULL;
    add_product(shape, m, k, rows.re, xr, 1.0L, y.re + j * m);
    if (t.im && xi) add_product(shape, m, k, rows.im, xi, -1.0L, y.re + j * m);
    if (xi) add_product(shape, m, k, rows.re, xi, 1.0L, y.im + j * m);
    if (t.im) add_product(shape, m, k, rows.im, xr, 1.0L, y.im + j * m);
  }
  wide_free(&rows);
  return y;
}
