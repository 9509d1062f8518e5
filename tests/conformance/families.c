/* Families of triangular matrices. Each is made in doubles as a real lower triangle; complex ones
 * are D1 L D2 with random phases D, which keeps every modulus and the condition. */
#include "conformance/families.h"
#include <math.h>
#include <string.h>

static bool is_half(qn_dtype t) {
  return t == QN_F16 || t == QN_BF16;
}
static bool is_double(qn_dtype t) {
  return t == QN_F64 || t == QN_C128;
}
static bool always(int64_t n, qn_dtype dtype) {
  (void)n;
  (void)dtype;
  return true;
}
static bool not_half(int64_t n, qn_dtype dtype) {
  (void)n;
  return !is_half(dtype);
}
static int no_exponent(qn_dtype dtype) {
  (void)dtype;
  return 0;
}

static double *at(wide l, int64_t i, int64_t j) {
  return l.re + i + j * l.rows;
}

static double sign_of(dice *d) {
  return dice_uniform(d) < 0 ? -1.0 : 1.0;
}

/* ---- diagonally dominant, scaled at will ---- */

static void fill_scaled(dice *d, wide l, bool unit, double diagonal, double rest) {
  for (int64_t j = 0; j < l.cols; j++) {
    *at(l, j, j) = unit ? 1.0 : diagonal * sign_of(d) * (1.5 + 0.5 * dice_uniform(d));
    for (int64_t i = j + 1; i < l.rows; i++) *at(l, i, j) = rest * dice_uniform(d) / (double)l.rows;
  }
}

static void fill_dominant(dice *d, wide l, qn_dtype dtype, bool unit) {
  (void)dtype;
  fill_scaled(d, l, unit, 1.0, 1.0);
}

/* ---- unit lower L of a pivoted LU ---- */

/* What costs n^3 to make is made once for each order (and nugget). */
typedef struct kept {
  int64_t order;
  double nugget; /* of the kernel; -1 for an LU */
  double *data;
} kept;

static kept store[64];

static double *recall(int64_t n, double nugget, bool *fresh) {
  kept *k = store;
  while (k->data && !(k->order == n && k->nugget == nugget)) k++;
  assert_true(k < store + sizeof store / sizeof *store);
  *fresh = !k->data;
  if (*fresh) *k = (kept){n, nugget, malloc((size_t)(n * n) * sizeof(double))};
  assert_non_null(k->data);
  return k->data;
}

static void swap_rows(double *a, int64_t n, int64_t i, int64_t j) {
  if (i == j) return;
  for (int64_t c = 0; c < n; c++) {
    double t = a[i + c * n];
    a[i + c * n] = a[j + c * n];
    a[j + c * n] = t;
  }
}

static const double *pivoted_lu(dice *d, int64_t n) {
  bool fresh;
  double *a = recall(n, -1.0, &fresh);
  if (!fresh) return a;
  for (int64_t i = 0; i < n * n; i++) a[i] = dice_uniform(d);
  for (int64_t k = 0; k < n; k++) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; i++)
      if (fabs(a[i + k * n]) > fabs(a[pivot + k * n])) pivot = i;
    swap_rows(a, n, k, pivot);
    for (int64_t i = k + 1; i < n; i++) a[i + k * n] /= a[k + k * n];
    for (int64_t j = k + 1; j < n; j++) {
      double f = a[k + j * n];
      const double *column = a + k * n;
      double *into = a + j * n;
      for (int64_t i = k + 1; i < n; i++) into[i] -= f * column[i];
    }
  }
  return a;
}

static void fill_lu(dice *d, wide l, qn_dtype dtype, bool unit) {
  (void)dtype;
  const double *lu = pivoted_lu(d, l.rows);
  for (int64_t j = 0; j < l.cols; j++) {
    double scale = unit ? 1.0 : sign_of(d) * (1.5 + 0.5 * dice_uniform(d));
    *at(l, j, j) = scale;
    for (int64_t i = j + 1; i < l.rows; i++) *at(l, i, j) = scale * lu[i + j * l.rows];
  }
}

/* ---- Cholesky factor of a Gaussian kernel ---- */

static const double *gaussian_cholesky(int64_t n, double nugget) {
  bool fresh;
  double *a = recall(n, nugget, &fresh);
  if (!fresh) return a;
  const double length = 6.0; /* in points */
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      double gap = (double)(i - j) / length;
      a[i + j * n] = exp(-0.5 * gap * gap) + (i == j ? nugget : 0.0);
    }
  for (int64_t k = 0; k < n; k++) {
    double root = sqrt(a[k + k * n]);
    for (int64_t i = k; i < n; i++) a[i + k * n] /= root;
    for (int64_t j = k + 1; j < n; j++) {
      double f = a[j + k * n];
      const double *column = a + k * n;
      double *into = a + j * n;
      for (int64_t i = j; i < n; i++) into[i] -= f * column[i];
    }
  }
  return a;
}

static void fill_cholesky(dice *d, wide l, qn_dtype dtype, bool unit) {
  (void)d;
  const double *c = gaussian_cholesky(l.rows, is_double(dtype) ? 1e-11 : 1e-5);
  for (int64_t j = 0; j < l.cols; j++)
    for (int64_t i = j; i < l.rows; i++)
      *at(l, i, j) = c[i + j * l.rows] / (unit ? c[j + j * l.rows] : 1.0);
}

/* ---- Kahan's ---- */

static void fill_kahan(dice *d, wide l, qn_dtype dtype, bool unit) {
  (void)d;
  /* The inverse grows as (1 + c)^n: kept within the dtype's range. */
  double c = fmin(0.36, (is_double(dtype) ? 200.0 : 40.0) / (double)l.rows), s = sqrt(1.0 - c * c);
  double power = 1.0;
  for (int64_t j = 0; j < l.cols; j++, power *= s) {
    double scale = unit ? 1.0 : power;
    *at(l, j, j) = scale;
    for (int64_t i = j + 1; i < l.rows; i++) *at(l, i, j) = -c * scale;
  }
}

/* ---- random: condition grows as 2^n ---- */

static bool fits_random(int64_t n, qn_dtype dtype) {
  return !is_half(dtype) && n <= (is_double(dtype) ? 900 : 100);
}

static void fill_random(dice *d, wide l, qn_dtype dtype, bool unit) {
  (void)dtype;
  for (int64_t j = 0; j < l.cols; j++) {
    for (int64_t i = j; i < l.rows; i++) *at(l, i, j) = dice_normal(d);
    if (unit) *at(l, j, j) = 1.0;
  }
}

/* ---- graded by powers of two ---- */

static void fill_graded(dice *d, wide l, qn_dtype dtype, bool unit) {
  int reach = is_double(dtype) ? 60 : is_half(dtype) ? 3 : 20;
  int *row = malloc(2 * (size_t)l.rows * sizeof *row), *column = row + l.rows;
  assert_non_null(row);
  for (int64_t i = 0; i < l.rows; i++) {
    row[i] = (int)dice_below(d, 2 * reach + 1) - reach;
    column[i] = unit ? -row[i] : (int)dice_below(d, 2 * reach + 1) - reach;
  }
  fill_scaled(d, l, unit, 1.0, 1.0);
  for (int64_t j = 0; j < l.cols; j++)
    for (int64_t i = j; i < l.rows; i++) *at(l, i, j) = ldexp(*at(l, i, j), row[i] + column[j]);
  free(row);
}

/* ---- diagonals whose reciprocal overflows, or is denormal ---- */

static int tiny_exponent(qn_dtype dtype) {
  return is_double(dtype) ? -1060 : dtype == QN_F16 ? -20 : -132;
}
static int huge_exponent(qn_dtype dtype) {
  return is_double(dtype) ? 1022 : dtype == QN_F16 ? 14 : 126;
}

static void fill_tiny(dice *d, wide l, qn_dtype dtype, bool unit) {
  double scale = ldexp(1.0, tiny_exponent(dtype));
  fill_scaled(d, l, unit, scale, unit ? 1.0 : scale);
}

static void fill_huge(dice *d, wide l, qn_dtype dtype, bool unit) {
  double scale = ldexp(1.0, huge_exponent(dtype));
  fill_scaled(d, l, unit, scale, unit ? 1.0 : scale);
}

static int huge_rhs(qn_dtype dtype) {
  return huge_exponent(dtype) - 4; /* room for a factor alpha */
}

const family families[] = {
    {"dominant", always, fill_dominant, no_exponent},
    {"lu", always, fill_lu, no_exponent},
    {"cholesky", not_half, fill_cholesky, no_exponent},
    {"kahan", not_half, fill_kahan, no_exponent},
    {"random", fits_random, fill_random, no_exponent},
    {"graded", always, fill_graded, no_exponent},
    {"tiny", always, fill_tiny, tiny_exponent},
    {"huge", always, fill_huge, huge_rhs},
};
const int family_count = sizeof families / sizeof *families;

static void turn_phases(dice *d, wide l, bool unit) {
  int64_t n = l.rows;
  double *phase = malloc(2 * (size_t)n * sizeof *phase);
  assert_non_null(phase);
  for (int64_t i = 0; i < n; i++) {
    phase[i] = 3.0 * dice_uniform(d);
    phase[n + i] = unit ? -phase[i] : 3.0 * dice_uniform(d);
  }
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = j; i < n; i++) {
      double angle = phase[i] + phase[n + j], r = l.re[i + j * n];
      l.re[i + j * n] = r * cos(angle);
      l.im[i + j * n] = r * sin(angle);
    }
  }
  free(phase);
}

wide family_triangle(const family *f, dice *d, int64_t n, qn_dtype dtype, qn_diag diag) {
  bool complex = dtype == QN_C64 || dtype == QN_C128;
  wide l = wide_new(n, n, complex);
  f->fill(d, l, dtype, diag == QN_UNIT);
  if (complex) turn_phases(d, l, diag == QN_UNIT);
  round_to(l, dtype);
  return l;
}

wide family_stored(wide l, qn_uplo uplo, qn_diag diag) {
  wide a = wide_op(l, uplo == QN_LOWER ? QN_NOTRANS : QN_TRANS);
  poison_triangle(a, uplo, diag);
  return a;
}
