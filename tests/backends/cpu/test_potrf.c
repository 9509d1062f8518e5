/* potrf of the cpu backend: factor, other triangle, first bad pivot. */
#include "backends/cpu/cpu.h"
#include "tri_check.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128};

typedef struct matrix {
  qn_dtype dtype;
  qn_uplo uplo;
  int64_t n, ld;
  size_t size;
  void *a, *a0;
} matrix;

static bool stored(const matrix *x, int64_t i, int64_t j) {
  return i < x->n && (x->uplo == QN_LOWER ? i >= j : i <= j);
}

/* A Hermitian matrix with a dominant diagonal in one triangle, NaN everywhere else. */
static void matrix_init(matrix *x, qn_dtype dtype, qn_uplo uplo, int64_t n) {
  *x = (matrix){.dtype = dtype, .uplo = uplo, .n = n, .ld = n + 3};
  x->size = qn_dtype_size(dtype) * (size_t)(x->ld * n);
  x->a = malloc(x->size + 1);
  x->a0 = malloc(x->size + 1);
  assert_true(x->a && x->a0);
  memset(x->a, 0xff, x->size);
  random_seed((uint64_t)n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      wide value = {random_number(), random_number()};
      if (i == j) value = (wide){0.75L * (long double)n + 1, 0};
      if (stored(x, i, j)) set_element(dtype, x->a, x->ld, i, j, value);
    }
  memcpy(x->a0, x->a, x->size);
}

static void matrix_free(matrix *x) {
  free(x->a);
  free(x->a0);
}

static void check_other_part(const matrix *x) {
  size_t size = qn_dtype_size(x->dtype);
  for (int64_t j = 0; j < x->n; j++)
    for (int64_t i = 0; i < x->ld; i++) {
      size_t at = (size_t)(i + j * x->ld) * size;
      if (!stored(x, i, j)) assert_memory_equal((char *)x->a + at, (char *)x->a0 + at, size);
    }
}

/* Element (i, j) of the lower triangle, of the matrix or of the factor. */
static wide lower(const matrix *x, const void *data, int64_t i, int64_t j) {
  if (x->uplo == QN_LOWER) return element(x->dtype, data, x->ld, i, j);
  wide v = element(x->dtype, data, x->ld, j, i);
  return (wide){v.re, -v.im};
}

/* norm1(A - L L^H) over 30 n u norm1(A), of the leading `order` rows and columns. */
static long double factor_error(const matrix *x, int64_t order) {
  long double norm = 0, error = 0;
  for (int64_t j = 0; j < order; j++) {
    long double norm_j = 0, error_j = 0;
    for (int64_t i = 0; i < order; i++) {
      int64_t r = i > j ? i : j, s = i > j ? j : i;
      wide a = lower(x, x->a0, r, s), sum = {0, 0};
      for (int64_t k = 0; k <= s; k++) {
        wide p = lower(x, x->a, r, k), q = lower(x, x->a, s, k);
        sum.re += p.re * q.re + p.im * q.im;
        sum.im += p.im * q.re - p.re * q.im;
      }
      norm_j += hypotl(a.re, a.im);
      error_j += hypotl(a.re - sum.re, a.im - sum.im);
    }
    norm = fmaxl(norm, norm_j);
    error = isnan(error_j) ? INFINITY : fmaxl(error, error_j);
  }
  return order ? error / (30 * (long double)order * roundoff(x->dtype) * norm) : 0;
}

static qn_cpu_matrix view(const matrix *x) {
  return (qn_cpu_matrix){x->a, x->n, x->n, x->ld};
}

static void each(int64_t n, void (*visit)(matrix *x)) {
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (int upper = 0; upper < 2; upper++) {
      matrix x;
      matrix_init(&x, dtypes[d], upper ? QN_UPPER : QN_LOWER, n);
      visit(&x);
      check_other_part(&x);
      matrix_free(&x);
    }
}

static void factor(matrix *x) {
  int64_t info = -1;
  assert_int_equal(qn_cpu_potrf(x->dtype, x->uplo, view(x), &info), QN_OK);
  assert_int_equal(info, 0);
  assert_true(factor_error(x, x->n) <= 1);
}

static void test_factor(void **state) {
  (void)state;
  static const int64_t orders[] = {0, 1, 2, 3, 5, 8, 13, 16, 17, 31, 33, 64, 65, 100, 129};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) each(orders[i], factor);
}

/* A bad pivot at each place of a matrix: its index comes back, the part before it is factored. */
static void bad_pivot(matrix *x, int64_t at, long double value) {
  memcpy(x->a, x->a0, x->size);
  set_element(x->dtype, x->a, x->ld, at, at, (wide){value, 0});
  int64_t info = -1;
  assert_int_equal(qn_cpu_potrf(x->dtype, x->uplo, view(x), &info), QN_OK);
  assert_int_equal(info, at + 1);
  assert_true(factor_error(x, at) <= 1);
}

static void bad_pivots(matrix *x) {
  for (int64_t at = 0; at < x->n; at++) {
    bad_pivot(x, at, -1);
    bad_pivot(x, at, 0);
    bad_pivot(x, at, NAN);
  }
  set_element(x->dtype, x->a, x->ld, x->n - 1, x->n - 1, (wide){NAN, 0});
}

static void test_bad_pivot(void **state) {
  (void)state;
  each(35, bad_pivots);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factor),
      cmocka_unit_test(test_bad_pivot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
