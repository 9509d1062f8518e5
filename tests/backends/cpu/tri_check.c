/* Triangular problems in a wider precision: the checks of tri_check.h. */
#include "tri_check.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t random_state = 1;

void random_seed(uint64_t seed) {
  random_state = seed * 2 + 1;
}

double random_number(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)random_state * 0x1p-63;
}

wide element(qn_dtype dtype, const void *data, int64_t ld, int64_t i, int64_t j) {
  int64_t at = i + j * ld;
  switch (dtype) {
  case QN_F32:
    return (wide){((const float *)data)[at], 0};
  case QN_F64:
    return (wide){((const double *)data)[at], 0};
  case QN_C64:
    return (wide){((const float *)data)[2 * at], ((const float *)data)[2 * at + 1]};
  default:
    return (wide){((const double *)data)[2 * at], ((const double *)data)[2 * at + 1]};
  }
}

void set_element(qn_dtype dtype, void *data, int64_t ld, int64_t i, int64_t j, wide value) {
  int64_t at = i + j * ld;
  switch (dtype) {
  case QN_F32:
    ((float *)data)[at] = (float)value.re;
    break;
  case QN_F64:
    ((double *)data)[at] = (double)value.re;
    break;
  case QN_C64:
    ((float *)data)[2 * at] = (float)value.re;
    ((float *)data)[2 * at + 1] = (float)value.im;
    break;
  default:
    ((double *)data)[2 * at] = (double)value.re;
    ((double *)data)[2 * at + 1] = (double)value.im;
    break;
  }
}

long double roundoff(qn_dtype dtype) {
  return dtype == QN_F32 || dtype == QN_C64 ? 0x1p-24L : 0x1p-53L;
}

void problem_init(problem *p, qn_dtype dtype, const char *letters, int64_t rows, int64_t cols,
                  int64_t gap) {
  int64_t n = letters[0] == 'L' ? rows : cols, lda = n + gap, ldb = rows + gap;
  size_t size = qn_dtype_size(dtype);
  *p = (problem){.n = n,
                 .a_size = size * (size_t)(lda * n),
                 .b_size = size * (size_t)(ldb * cols),
                 .call = {.dtype = dtype,
                          .side = (qn_side)letters[0],
                          .uplo = (qn_uplo)letters[1],
                          .trans = (qn_trans)letters[2],
                          .diag = (qn_diag)letters[3],
                          .alpha = {1, 0}}};
  void **all[] = {&p->a, &p->a0, &p->b, &p->b0};
  for (int i = 0; i < 4; i++) {
    size_t bytes = i < 2 ? p->a_size : p->b_size;
    *all[i] = malloc(bytes + 1);
    assert_non_null(*all[i]);
    memset(*all[i], 0xff, bytes); /* all ones is a NaN of every type */
  }
  p->call.a = (qn_cpu_matrix){p->a, n, n, lda};
  p->call.b = (qn_cpu_matrix){p->b, rows, cols, ldb};
}

void problem_free(problem *p) {
  free(p->a);
  free(p->a0);
  free(p->b);
  free(p->b0);
}

void problem_keep(problem *p) {
  memcpy(p->a0, p->a, p->a_size);
  memcpy(p->b0, p->b, p->b_size);
}

void problem_random(problem *p) {
  const qn_cpu_triangular *c = &p->call;
  double scale = 1.0 / (double)(p->n ? p->n : 1);
  for (int64_t j = 0; j < p->n; j++)
    for (int64_t i = 0; i < p->n; i++) {
      bool stored = c->uplo == QN_LOWER ? i > j : i < j;
      wide value = {random_number() * scale, random_number() * scale};
      if (stored) set_element(c->dtype, p->a, c->a.ld, i, j, value);
      if (i == j && c->diag == QN_NONUNIT)
        set_element(c->dtype, p->a, c->a.ld, i, j,
                    (wide){1.5 + 0.5 * random_number(), random_number()});
    }
  for (int64_t j = 0; j < c->b.cols; j++)
    for (int64_t i = 0; i < c->b.rows; i++)
      set_element(c->dtype, p->b, c->b.ld, i, j, (wide){random_number(), random_number()});
  problem_keep(p);
}

wide triangle_element(const problem *p, int64_t i, int64_t j) {
  const qn_cpu_triangular *c = &p->call;
  if (i == j && c->diag == QN_UNIT) return (wide){1, 0};
  int64_t r = c->trans == QN_NOTRANS ? i : j, s = c->trans == QN_NOTRANS ? j : i;
  if (c->uplo == QN_LOWER ? r < s : r > s) return (wide){0, 0};
  wide value = element(c->dtype, p->a0, c->a.ld, r, s);
  if (c->trans == QN_CONJTRANS) value.im = -value.im;
  return value;
}

void check_untouched(const problem *p) {
  const qn_cpu_triangular *c = &p->call;
  size_t size = qn_dtype_size(c->dtype);
  assert_memory_equal(p->a, p->a0, p->a_size);
  for (int64_t j = 0; j < c->b.cols; j++) {
    size_t gap = (size_t)(c->b.rows + j * c->b.ld) * size;
    assert_memory_equal((char *)p->b + gap, (char *)p->b0 + gap,
                        (size_t)(c->b.ld - c->b.rows) * size);
  }
}

static wide multiply(wide x, wide y) {
  return (wide){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static long double size_of(wide x) {
  return x.im == 0 ? fabsl(x.re) : sqrtl(x.re * x.re + x.im * x.im);
}

/* The matrix that acts on a right-hand side: element (i, k) of op(A) on the left side, (k, i) on
 * the right, at [k + i * n]; to be freed. */
static wide *acting(const problem *p) {
  wide *t = malloc((size_t)(p->n * p->n) * sizeof *t + 1);
  assert_non_null(t);
  for (int64_t i = 0; i < p->n; i++)
    for (int64_t k = 0; k < p->n; k++)
      t[k + i * p->n] =
          p->call.side == QN_LEFT ? triangle_element(p, i, k) : triangle_element(p, k, i);
  return t;
}

/* Element q of right-hand side v: a column of B on the left side, a row on the right. */
static wide side_element(const problem *p, const void *b, int64_t q, int64_t v) {
  bool left = p->call.side == QN_LEFT;
  return element(p->call.dtype, b, p->call.b.ld, left ? q : v, left ? v : q);
}

/* Row i of the acting matrix times right-hand side v of x, and the sum of sizes. */
static wide apply(const problem *p, const wide *acts, const void *x, int64_t i, int64_t v,
                  long double *sizes) {
  wide sum = {0, 0};
  *sizes = 0;
  for (int64_t k = 0; k < p->n; k++) {
    wide t = acts[k + i * p->n];
    if (t.re == 0 && t.im == 0) continue;
    wide y = side_element(p, x, k, v), product = multiply(t, y);
    sum.re += product.re;
    sum.im += product.im;
    *sizes += size_of(t) * size_of(y);
  }
  return sum;
}

static long double norm1(const wide *acts, int64_t n) {
  long double norm = 0;
  for (int64_t k = 0; k < n; k++) {
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += size_of(acts[k + i * n]);
    norm = fmaxl(norm, sum);
  }
  return norm;
}

static long double complex_factor(const problem *p) {
  return qn_dtype_is_complex(p->call.dtype) ? 2 * sqrtl(2) : 1;
}

static long double share(long double error, long double bound) {
  if (error == 0) return 0;
  long double s = error / bound;
  return s == s ? s : INFINITY;
}

long double solve_error(const problem *p) {
  const qn_cpu_triangular *c = &p->call;
  int64_t vectors = c->side == QN_LEFT ? c->b.cols : c->b.rows;
  long double u = roundoff(c->dtype) * complex_factor(p), worst = 0;
  wide *acts = acting(p);
  long double norm = norm1(acts, p->n);
  wide alpha = {c->alpha.re, c->alpha.im};
  for (int64_t v = 0; v < vectors; v++) {
    long double residual = 0, x_norm = 0;
    for (int64_t i = 0; i < p->n; i++) {
      long double sizes;
      wide ax = apply(p, acts, p->b, i, v, &sizes);
      wide b = multiply(alpha, side_element(p, p->b0, i, v));
      long double r = size_of((wide){b.re - ax.re, b.im - ax.im});
      residual += r;
      x_norm += size_of(side_element(p, p->b, i, v));
      worst = fmaxl(worst, share(r, (16 + 2 * sqrtl((long double)p->n)) * u * sizes));
    }
    worst = fmaxl(worst, share(residual, 30 * u * norm * x_norm));
  }
  free(acts);
  return worst;
}

long double multiply_error(const problem *p) {
  const qn_cpu_triangular *c = &p->call;
  int64_t vectors = c->side == QN_LEFT ? c->b.cols : c->b.rows;
  long double k = (long double)p->n, worst = 0;
  long double bound = (k <= 64 ? k + 2 : 8 + 2 * sqrtl(k)) * roundoff(c->dtype) * complex_factor(p);
  wide alpha = {c->alpha.re, c->alpha.im}, *acts = acting(p);
  for (int64_t v = 0; v < vectors; v++)
    for (int64_t i = 0; i < p->n; i++) {
      long double sizes;
      wide want = multiply(alpha, apply(p, acts, p->b0, i, v, &sizes));
      wide got = side_element(p, p->b, i, v);
      long double error = size_of((wide){got.re - want.re, got.im - want.im});
      worst = fmaxl(worst, share(error, bound * size_of(alpha) * sizes));
    }
  free(acts);
  return worst;
}
