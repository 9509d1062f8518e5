/* Products of a matrix and a vector in long double: written to be plainly right. */
#include "bench/wide.h"
#include <math.h>
#include <string.h>

static double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double v;
  if (exponent == 31) {
    v = fraction ? NAN : INFINITY;
  } else if (exponent == 0) {
    v = ldexp(fraction, -24);
  } else {
    v = ldexp(1024 + fraction, exponent - 25);
  }
  return bits >> 15 ? -v : v;
}

static double bfloat_value(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float v;
  memcpy(&v, &wide, sizeof v);
  return v;
}

/* Rows first .. last-1 of column j, as doubles, from re[0] (and im[0]) on. */
static void column_values(qn_dtype dtype, const bench_matrix *m, int64_t j, int64_t first,
                          int64_t last, double *re, double *im) {
  const char *column = (const char *)m->data + (size_t)(j * m->ld + first) * qn_dtype_size(dtype);
  const float *f32 = (const float *)column;
  const double *f64 = (const double *)column;
  const uint16_t *half = (const uint16_t *)column;
  for (int64_t i = 0; i < last - first; i++) {
    switch (dtype) {
    case QN_F16:
      re[i] = half_value(half[i]);
      break;
    case QN_BF16:
      re[i] = bfloat_value(half[i]);
      break;
    case QN_F32:
      re[i] = f32[i];
      break;
    case QN_F64:
      re[i] = f64[i];
      break;
    case QN_C64:
      re[i] = f32[2 * i];
      im[i] = f32[2 * i + 1];
      break;
    case QN_C128:
      re[i] = f64[2 * i];
      im[i] = f64[2 * i + 1];
      break;
    }
  }
}

void wide_element(qn_dtype dtype, const bench_matrix *m, int64_t i, int64_t j, double *re,
                  double *im) {
  *im = 0.0;
  column_values(dtype, m, j, i, i + 1, re, im);
}

void wide_column(const wide_matrix *a, int64_t j, int64_t *first, int64_t *last, double *re,
                 double *im) {
  const bool unit = a->part == WIDE_LOWER_UNIT || a->part == WIDE_UPPER_UNIT;
  const bool lower = a->part == WIDE_LOWER || a->part == WIDE_LOWER_UNIT;
  *first = 0;
  *last = a->m.rows;
  if (a->part != WIDE_FULL) {
    if (lower) {
      *first = j;
    } else {
      *last = j + 1;
    }
  }
  column_values(a->dtype, &a->m, j, *first, *last, re + *first, im ? im + *first : NULL);
  if (unit) re[j] = 1.0;
  if (!bench_is_complex(a->dtype)) return;
  if (unit) im[j] = 0.0;
  if (a->conjugated)
    for (int64_t i = *first; i < *last; i++) im[i] = -im[i];
}

static void multiply_real(const wide_matrix *a, const long double *x, long double *y,
                          long double *g, double *work) {
  for (int64_t j = 0; j < a->m.cols; j++) {
    int64_t first, last;
    wide_column(a, j, &first, &last, work, NULL);
    if (a->transposed) {
      for (int64_t i = first; i < last; i++) {
        const long double term = work[i] * x[i];
        y[j] += term;
        g[j] += fabsl(term);
      }
    } else {
      for (int64_t i = first; i < last; i++) {
        const long double term = work[i] * x[j];
        y[i] += term;
        g[i] += fabsl(term);
      }
    }
  }
}

static void multiply_complex(const wide_matrix *a, wide_vector x, wide_vector y, long double *g,
                             double *work) {
  const int64_t longest = a->m.rows > a->m.cols ? a->m.rows : a->m.cols;
  double *re = work, *im = re + longest, *size = im + longest; /* size: |x| */
  const int64_t length = a->transposed ? a->m.rows : a->m.cols;
  for (int64_t i = 0; i < length; i++) size[i] = hypot((double)x.re[i], (double)x.im[i]);
  for (int64_t j = 0; j < a->m.cols; j++) {
    int64_t first, last;
    wide_column(a, j, &first, &last, re, im);
    for (int64_t i = first; i < last; i++) {
      const int64_t from = a->transposed ? i : j, to = a->transposed ? j : i;
      y.re[to] += re[i] * x.re[from] - im[i] * x.im[from];
      y.im[to] += re[i] * x.im[from] + im[i] * x.re[from];
      g[to] += (long double)hypot(re[i], im[i]) * size[from];
    }
  }
}

void wide_multiply(const wide_matrix *a, wide_vector x, wide_vector y, long double *g,
                   double *work) {
  const int64_t rows = a->transposed ? a->m.cols : a->m.rows;
  for (int64_t i = 0; i < rows; i++) {
    y.re[i] = g[i] = 0.0L;
    if (y.im) y.im[i] = 0.0L;
  }
  if (bench_is_complex(a->dtype)) {
    multiply_complex(a, x, y, g, work);
  } else {
    multiply_real(a, x.re, y.re, g, work);
  }
}

/* Adds the magnitudes of the elements that count: to sums[j] (`by_column`), to sums[i] (`by_row`)
 * or to both, where the diagonal is added once; the largest sum. */
static double largest_sum(const wide_matrix *a, bool by_column, bool by_row, double *work) {
  const bool is_complex = bench_is_complex(a->dtype);
  const int64_t longest = a->m.rows > a->m.cols ? a->m.rows : a->m.cols;
  double *re = work, *im = re + longest, *sums = im + longest;
  memset(sums, 0, (size_t)longest * sizeof *sums);
  for (int64_t j = 0; j < a->m.cols; j++) {
    int64_t first, last;
    wide_column(a, j, &first, &last, re, im);
    for (int64_t i = first; i < last; i++) {
      const double size = is_complex ? hypot(re[i], im[i]) : fabs(re[i]);
      if (by_column) sums[j] += size;
      if (by_row && !(by_column && i == j)) sums[i] += size;
    }
  }
  double largest = 0.0;
  for (int64_t i = 0; i < longest; i++) largest = fmax(largest, sums[i]);
  return largest;
}

double wide_norm1(const wide_matrix *a, double *work) {
  return largest_sum(a, !a->transposed, a->transposed, work);
}

double wide_norm1_hermitian(const wide_matrix *a, double *work) {
  return largest_sum(a, true, true, work);
}
