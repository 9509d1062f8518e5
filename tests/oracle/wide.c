/* Matrices of doubles, and the dtypes' rounding. */
#include "oracle/oracle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a dtype's real numbers are: bits of mantissa with the hidden one, least and greatest
 * exponent of a normal number 1.x * 2^e. */
typedef struct format {
  int bits, low, high;
} format;

static format format_of(qn_dtype dtype) {
  switch (dtype) {
  case QN_F16:
    return (format){11, -14, 15};
  case QN_BF16:
    return (format){8, -126, 127};
  case QN_F32:
  case QN_C64:
    return (format){24, -126, 127};
  default:
    return (format){53, -1022, 1023};
  }
}

double roundoff(qn_dtype dtype) {
  return ldexp(1.0, -format_of(dtype).bits);
}

double smallest(qn_dtype dtype) {
  format f = format_of(dtype);
  return ldexp(1.0, f.low - f.bits + 1);
}

double largest(qn_dtype dtype) {
  format f = format_of(dtype);
  return ldexp(2.0 - ldexp(2.0, -f.bits), f.high);
}

static bool is_complex(qn_dtype dtype) {
  return dtype == QN_C64 || dtype == QN_C128;
}

/* ---- the 16-bit types: sign, exponent, fraction ---- */

static double decode16(uint16_t code, int fraction_bits, int bias) {
  int exponent_bits = 15 - fraction_bits;
  int exponent = code >> fraction_bits & ((1 << exponent_bits) - 1);
  int fraction = code & ((1 << fraction_bits) - 1);
  double sign = code & 0x8000 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * ldexp(fraction, 1 - bias - fraction_bits);
  return sign * ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

static uint16_t encode16(double value, int fraction_bits, int bias) {
  int top = (1 << (15 - fraction_bits)) - 1; /* the exponent of Inf and NaN */
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  if (isnan(value)) return (uint16_t)(sign | top << fraction_bits | 1 << (fraction_bits - 1));
  if (value == 0.0) return sign;
  int exponent = isinf(value) ? top : ilogb(value);
  if (exponent < 1 - bias) exponent = 1 - bias;
  if (exponent > bias) return (uint16_t)(sign | top << fraction_bits);
  /* In units of the last place; a carry into the next binade is right as it stands. */
  int units = (int)nearbyint(ldexp(fabs(value), fraction_bits - exponent));
  int code = ((exponent + bias - 1) << fraction_bits) + units;
  return (uint16_t)(sign | code);
}

static double load_real(qn_dtype dtype, const void *data, int64_t at) {
  switch (dtype) {
  case QN_F16:
    return decode16(((const uint16_t *)data)[at], 10, 15);
  case QN_BF16:
    return decode16(((const uint16_t *)data)[at], 7, 127);
  case QN_F32:
  case QN_C64:
    return (double)((const float *)data)[at];
  default:
    return ((const double *)data)[at];
  }
}

static void store_real(qn_dtype dtype, void *data, int64_t at, double value) {
  switch (dtype) {
  case QN_F16:
    ((uint16_t *)data)[at] = encode16(value, 10, 15);
    break;
  case QN_BF16:
    ((uint16_t *)data)[at] = encode16(value, 7, 127);
    break;
  case QN_F32:
  case QN_C64:
    ((float *)data)[at] = (float)value;
    break;
  default:
    ((double *)data)[at] = value;
  }
}

/* ---- matrices ---- */

static void *zeros(int64_t count, size_t size) {
  void *p = calloc((size_t)(count > 0 ? count : 1), size);
  if (!p) abort();
  return p;
}

wide wide_new(int64_t rows, int64_t cols, bool complex) {
  return (wide){rows, cols, zeros(rows * cols, sizeof(double)),
                complex ? zeros(rows * cols, sizeof(double)) : NULL};
}

void wide_free(wide *m) {
  free(m->re);
  free(m->im);
  *m = (wide){0};
}

void wide_sum_free(wide_sum *s) {
  free(s->re);
  free(s->im);
  *s = (wide_sum){0};
}

wide wide_load(qn_dtype dtype, const void *data, int64_t rows, int64_t cols, int64_t ld) {
  bool complex = is_complex(dtype);
  int step = complex ? 2 : 1;
  wide m = wide_new(rows, cols, complex);
  for (int64_t j = 0; j < cols; j++) {
    for (int64_t i = 0; i < rows; i++) {
      int64_t at = (i + j * ld) * step;
      m.re[i + j * rows] = load_real(dtype, data, at);
      if (complex) m.im[i + j * rows] = load_real(dtype, data, at + 1);
    }
  }
  return m;
}

void wide_store(wide m, qn_dtype dtype, void *data, int64_t ld) {
  bool complex = is_complex(dtype);
  int step = complex ? 2 : 1;
  for (int64_t j = 0; j < m.cols; j++) {
    for (int64_t i = 0; i < m.rows; i++) {
      int64_t at = (i + j * ld) * step, from = i + j * m.rows;
      store_real(dtype, data, at, m.re[from]);
      if (complex) store_real(dtype, data, at + 1, m.im ? m.im[from] : 0.0);
    }
  }
}

static wide copy_of(wide a) {
  wide t = wide_new(a.rows, a.cols, a.im != NULL);
  size_t bytes = (size_t)(a.rows * a.cols) * sizeof(double);
  memcpy(t.re, a.re, bytes);
  if (a.im) memcpy(t.im, a.im, bytes);
  return t;
}

/* In squares, so that both sides stay in cache. */
static void turn(int64_t rows, int64_t cols, const double *from, double sign, double *to) {
  enum { SQUARE = 16 };
  for (int64_t j0 = 0; j0 < cols; j0 += SQUARE)
    for (int64_t i0 = 0; i0 < rows; i0 += SQUARE)
      for (int64_t j = j0; j < cols && j < j0 + SQUARE; j++)
        for (int64_t i = i0; i < rows && i < i0 + SQUARE; i++)
          to[j + i * cols] = sign * from[i + j * rows];
}

wide wide_op(wide a, qn_trans trans) {
  if (trans == QN_NOTRANS) return copy_of(a);
  wide t = wide_new(a.cols, a.rows, a.im != NULL);
  turn(a.rows, a.cols, a.re, 1.0, t.re);
  if (a.im) turn(a.rows, a.cols, a.im, trans == QN_CONJTRANS ? -1.0 : 1.0, t.im);
  return t;
}

wide_shape wide_shape_of(qn_uplo uplo, qn_trans trans) {
  return (uplo == QN_LOWER) == (trans == QN_NOTRANS) ? WIDE_LOWER : WIDE_UPPER;
}

wide wide_triangle(wide a, qn_uplo uplo, qn_trans trans, qn_diag diag) {
  wide t = wide_op(a, trans);
  bool lower = wide_shape_of(uplo, trans) == WIDE_LOWER;
  for (int64_t j = 0; j < t.cols; j++) {
    for (int64_t i = 0; i < t.rows; i++) {
      bool unit = i == j && diag == QN_UNIT;
      if (!unit && (lower ? i >= j : i <= j)) continue;
      t.re[i + j * t.rows] = unit ? 1.0 : 0.0;
      if (t.im) t.im[i + j * t.rows] = 0.0;
    }
  }
  return t;
}

wide wide_abs(wide m) {
  wide r = wide_new(m.rows, m.cols, false);
  for (int64_t i = 0; i < m.rows * m.cols; i++)
    r.re[i] = m.im ? hypot(m.re[i], m.im[i]) : fabs(m.re[i]);
  return r;
}

wide wide_columns(wide m, const int64_t *columns, int64_t count) {
  wide r = wide_new(m.rows, count, m.im != NULL);
  size_t bytes = (size_t)m.rows * sizeof(double);
  for (int64_t j = 0; j < count; j++) {
    memcpy(r.re + j * m.rows, m.re + columns[j] * m.rows, bytes);
    if (m.im) memcpy(r.im + j * m.rows, m.im + columns[j] * m.rows, bytes);
  }
  return r;
}
