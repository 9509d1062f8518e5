/* The reference loops, for the places of Inf and NaN. Doubles hold every dtype's range, so that
 * nothing overflows here that would not there; callers keep to values where the same holds the
 * other way round. */
#include "oracle/oracle.h"
#include <math.h>

typedef struct number {
  double re, im;
} number;

static number get(wide m, int64_t i, int64_t j) {
  return (number){m.re[i + j * m.rows], m.im ? m.im[i + j * m.rows] : 0.0};
}

static void put(wide m, int64_t i, int64_t j, number x) {
  m.re[i + j * m.rows] = x.re;
  if (m.im) m.im[i + j * m.rows] = x.im;
}

/* Real matrices must not meet an imaginary zero times Inf. */
static number times(wide m, number x, number y) {
  if (!m.im) return (number){x.re * y.re, 0.0};
  return (number){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* Scaled by the larger part of the divisor, so that only what must overflow does. */
static number over(wide m, number x, number y) {
  if (!m.im) return (number){x.re / y.re, 0.0};
  if (fabs(y.re) >= fabs(y.im)) {
    double ratio = y.im / y.re, scale = y.re + y.im * ratio;
    return (number){(x.re + x.im * ratio) / scale, (x.im - x.re * ratio) / scale};
  }
  double ratio = y.re / y.im, scale = y.im + y.re * ratio;
  return (number){(x.re * ratio + x.im) / scale, (x.im * ratio - x.re) / scale};
}

static number scaled(wide m, qn_scalar alpha, number x) {
  if (alpha.re == 1.0 && alpha.im == 0.0) return x;
  return times(m, (number){alpha.re, alpha.im}, x);
}

void reference_solve(wide_shape shape, qn_diag diag, qn_scalar alpha, wide t, wide b) {
  int64_t n = t.rows;
  bool lower = shape == WIDE_LOWER;
  for (int64_t j = 0; j < b.cols; j++) {
    for (int64_t i = 0; i < n; i++) put(b, i, j, scaled(b, alpha, get(b, i, j)));
    for (int64_t step = 0; step < n; step++) {
      int64_t k = lower ? step : n - 1 - step;
      number x = get(b, k, j);
      if (diag == QN_NONUNIT) x = over(b, x, get(t, k, k));
      put(b, k, j, x);
      for (int64_t i = lower ? k + 1 : 0; i < (lower ? n : k); i++) {
        number y = get(b, i, j), p = times(b, get(t, i, k), x);
        put(b, i, j, (number){y.re - p.re, y.im - p.im});
      }
    }
  }
}

void reference_multiply(wide_shape shape, qn_diag diag, qn_scalar alpha, wide t, wide b) {
  int64_t n = t.rows;
  bool lower = shape == WIDE_LOWER;
  for (int64_t j = 0; j < b.cols; j++) {
    for (int64_t step = 0; step < n; step++) {
      int64_t k = lower ? n - 1 - step : step;
      number x = scaled(b, alpha, get(b, k, j));
      for (int64_t i = lower ? k + 1 : 0; i < (lower ? n : k); i++) {
        number y = get(b, i, j), p = times(b, get(t, i, k), x);
        put(b, i, j, (number){y.re + p.re, y.im + p.im});
      }
      put(b, k, j, diag == QN_NONUNIT ? times(b, get(t, k, k), x) : x);
    }
  }
}
