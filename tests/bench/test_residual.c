/* The judge of results: exact on small whole numbers, where no rounding happens, blind to what must
 * not influence, and awake to one wrong element. */
#include "bench/residual.h"
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 16 };

/* A matrix of small whole numbers, and its copy in the dtype. */
typedef struct grid {
  int64_t rows, cols;
  double complex v[MOST * MOST];
  _Alignas(64) char data[MOST * MOST * 16];
  bench_matrix m;
} grid;

static unsigned dice = 12345;
static int roll(int low, int high) {
  dice = dice * 1103515245u + 12345u;
  return low + (int)((dice >> 16) % (unsigned)(high - low + 1));
}

static uint16_t half_bits(qn_dtype dtype, double value) {
  const float v = (float)value;
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  if (dtype == QN_BF16) return (uint16_t)(bits >> 16);
  if (value != value) return 0x7e00;
  if (value == 0.0) return 0;
  return (uint16_t)((bits >> 16 & 0x8000) | (((bits & 0x7fffffff) - (112u << 23)) >> 13));
}

static void put(qn_dtype dtype, grid *g, int64_t i, int64_t j, double complex value) {
  const int64_t at = i + j * g->m.ld;
  const double re = creal(value), im = cimag(value);
  switch (dtype) {
  case QN_F16:
  case QN_BF16:
    ((uint16_t *)g->data)[at] = half_bits(dtype, re);
    break;
  case QN_F32:
    ((float *)g->data)[at] = (float)re;
    break;
  case QN_F64:
    ((double *)g->data)[at] = re;
    break;
  case QN_C64:
    ((float *)g->data)[2 * at] = (float)re;
    ((float *)g->data)[2 * at + 1] = (float)im;
    break;
  case QN_C128:
    ((double *)g->data)[2 * at] = re;
    ((double *)g->data)[2 * at + 1] = im;
    break;
  }
}

static void store(qn_dtype dtype, grid *g) {
  g->m = (bench_matrix){g->data, g->rows, g->cols, MOST};
  for (int64_t j = 0; j < g->cols; j++)
    for (int64_t i = 0; i < g->rows; i++) put(dtype, g, i, j, g->v[i + j * MOST]);
}

static void fill(qn_dtype dtype, grid *g, int64_t rows, int64_t cols) {
  memset(g, 0, sizeof *g);
  g->rows = rows;
  g->cols = cols;
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++)
      g->v[i + j * MOST] = roll(-3, 3) + (bench_is_complex(dtype) ? I * roll(-3, 3) : 0.0);
  store(dtype, g);
}

/* Element of op(M). */
static double complex op(const grid *g, qn_trans trans, int64_t i, int64_t j) {
  if (trans == QN_NOTRANS) return g->v[i + j * MOST];
  const double complex v = g->v[j + i * MOST];
  return trans == QN_TRANS ? v : conj(v);
}

static void multiply(grid *out, const grid *a, qn_trans ta, const grid *b, qn_trans tb,
                     int64_t inner, double complex alpha) {
  for (int64_t i = 0; i < out->rows; i++) {
    for (int64_t j = 0; j < out->cols; j++) {
      double complex sum = 0.0;
      for (int64_t l = 0; l < inner; l++) sum += op(a, ta, i, l) * op(b, tb, l, j);
      out->v[i + j * MOST] = alpha * sum;
    }
  }
}

static bench_residual judge(const bench_problem *p, grid *a, grid *b, const grid *before,
                            grid *after) {
  bench_sample sample;
  bench_residual r;
  assert_true(bench_sample_take(&sample, p, &before->m, BENCH_SAMPLE_COLUMNS));
  assert_true(bench_residual_of(&r, &sample, p, &a->m, &b->m, &after->m));
  bench_sample_free(&sample);
  return r;
}

static void assert_exact(const bench_residual *r) {
  assert_true(bench_residual_ok(r));
  assert_true(r->finite);
  assert_true(r->error == 0.0 && r->elementwise == 0.0);
}

/* Element (i, j) of the result goes wrong by a thousandth, then becomes NaN. */
static void assert_awake(const bench_problem *p, grid *a, grid *b, const grid *before, grid *after,
                         int64_t i, int64_t j) {
  const double complex right = after->v[i + j * MOST];
  put(p->dtype, after, i, j, right + (p->dtype == QN_F16 || p->dtype == QN_BF16 ? 16.0 : 0.125));
  bench_residual r = judge(p, a, b, before, after);
  assert_false(bench_residual_ok(&r));
  put(p->dtype, after, i, j, NAN);
  r = judge(p, a, b, before, after);
  assert_false(bench_residual_ok(&r));
  assert_false(r.finite);
  put(p->dtype, after, i, j, right);
}

static const qn_trans transes[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};

static void gemm(void **state) {
  (void)state;
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    for (int ops = 0; ops < 9; ops++) {
      grid a, b, before, after;
      bench_problem p = bench_problem_make(BENCH_GEMM, (qn_dtype)t);
      p.m = 5, p.n = 7, p.k = 4;
      p.transa = transes[ops % 3], p.transb = transes[ops / 3];
      const bool ta = p.transa != QN_NOTRANS, tb = p.transb != QN_NOTRANS;
      p.alpha = bench_is_complex(p.dtype) ? qn_complex(1.0, 2.0) : qn_real(2.0);
      fill(p.dtype, &a, ta ? p.k : p.m, ta ? p.m : p.k);
      fill(p.dtype, &b, tb ? p.n : p.k, tb ? p.k : p.n);
      fill(p.dtype, &before, p.m, p.n);
      after = before;
      after.m.data = after.data;
      multiply(&after, &a, p.transa, &b, p.transb, p.k, p.alpha.re + I * p.alpha.im);
      grid nan = before; /* beta = 0: C is not read */
      nan.m.data = nan.data;
      memset(nan.data, 0xff, sizeof nan.data);
      store(p.dtype, &after);
      bench_residual r = judge(&p, &a, &b, &nan, &after);
      assert_exact(&r);
      assert_awake(&p, &a, &b, &nan, &after, 2, 6);
      p.beta = qn_real(-1.0);
      for (int64_t j = 0; j < p.n; j++)
        for (int64_t i = 0; i < p.m; i++) after.v[i + j * MOST] -= before.v[i + j * MOST];
      store(p.dtype, &after);
      r = judge(&p, &a, &b, &before, &after);
      assert_exact(&r);
    }
  }
}

/* Makes A the triangle it is meant to be, in `pure`; what must not influence is NaN in A. */
static void cut_triangle(const bench_problem *p, grid *a, grid *pure) {
  const int64_t n = a->rows;
  for (int64_t j = 0; j < n; j++) {
    /* powers of two, so that a solve stays whole */
    a->v[j + j * MOST] = roll(0, 1) ? 2.0 : -1.0;
    for (int64_t i = 0; i < n; i++)
      if (p->uplo == QN_LOWER ? i < j : i > j) a->v[i + j * MOST] = NAN;
    if (p->diag == QN_UNIT) a->v[j + j * MOST] = NAN;
  }
  store(p->dtype, a);
  *pure = *a;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++)
      if (p->uplo == QN_LOWER ? i < j : i > j) pure->v[i + j * MOST] = 0.0;
    if (p->diag == QN_UNIT) pure->v[j + j * MOST] = 1.0;
  }
}

/* X := alpha op(A) Y or alpha Y op(A) */
static void triangular_product(const bench_problem *p, grid *x, const grid *pure, const grid *y,
                               double complex alpha) {
  if (p->side == QN_LEFT) {
    multiply(x, pure, p->transa, y, QN_NOTRANS, p->m, alpha);
  } else {
    multiply(x, y, QN_NOTRANS, pure, p->transa, p->n, alpha);
  }
}

static void triangular(bench_routine routine, qn_dtype dtype, int letters) {
  grid a, pure, b, x;
  bench_problem p = bench_problem_make(routine, dtype);
  p.side = letters & 1 ? QN_RIGHT : QN_LEFT;
  p.uplo = letters & 2 ? QN_UPPER : QN_LOWER;
  p.diag = letters & 4 ? QN_UNIT : QN_NONUNIT;
  p.transa = transes[letters / 8];
  p.m = 6, p.n = 5;
  fill(dtype, &a, bench_order(&p), bench_order(&p));
  cut_triangle(&p, &a, &pure);
  fill(dtype, &b, p.m, p.n);
  x = b;
  x.m.data = x.data;
  if (routine == BENCH_TRMM) {
    p.alpha = bench_is_complex(dtype) ? qn_complex(1.0, -1.0) : qn_real(-2.0);
    triangular_product(&p, &x, &pure, &b, p.alpha.re + I * p.alpha.im);
    store(dtype, &x);
    const bench_residual r = judge(&p, &a, &a, &b, &x);
    assert_exact(&r);
    assert_awake(&p, &a, &a, &b, &x, 5, 4);
  } else { /* b := op(A) x / alpha, with alpha = 1/2 */
    p.alpha = qn_real(0.5);
    triangular_product(&p, &b, &pure, &x, 2.0);
    store(dtype, &b);
    const bench_residual r = judge(&p, &a, &a, &b, &x);
    assert_exact(&r);
    assert_awake(&p, &a, &a, &b, &x, 5, 4);
  }
}

static void trmm(void **state) {
  (void)state;
  for (int t = QN_F32; t < QN_DTYPE_COUNT; t++)
    for (int letters = 0; letters < 24; letters++) triangular(BENCH_TRMM, (qn_dtype)t, letters);
}

static void trsm(void **state) {
  (void)state;
  for (int t = QN_F32; t < QN_DTYPE_COUNT; t++)
    for (int letters = 0; letters < 24; letters++) triangular(BENCH_TRSM, (qn_dtype)t, letters);
}

static void potrf(void **state) {
  (void)state;
  for (int t = QN_F32; t < QN_DTYPE_COUNT; t++) {
    for (int upper = 0; upper < 2; upper++) {
      grid factor, a, pure;
      bench_problem p = bench_problem_make(BENCH_POTRF, (qn_dtype)t);
      p.uplo = upper ? QN_UPPER : QN_LOWER;
      p.m = p.n = 6;
      fill(p.dtype, &factor, 6, 6);
      cut_triangle(&p, &factor, &pure);
      a = factor;
      a.m.data = a.data;
      if (upper) {
        multiply(&a, &pure, QN_CONJTRANS, &pure, QN_NOTRANS, 6, 1.0);
      } else {
        multiply(&a, &pure, QN_NOTRANS, &pure, QN_CONJTRANS, 6, 1.0);
      }
      for (int64_t j = 0; j < 6; j++) /* the other triangle does not influence */
        for (int64_t i = 0; i < 6; i++)
          if (upper ? i > j : i < j) a.v[i + j * MOST] = NAN;
      store(p.dtype, &a);
      const bench_residual r = judge(&p, &factor, &factor, &a, &factor);
      assert_exact(&r);
      put(p.dtype, &factor, upper ? 1 : 4, upper ? 4 : 1, 100.0);
      const bench_residual wrong = judge(&p, &factor, &factor, &a, &factor);
      assert_true(wrong.error > 0.0);
    }
  }
}

/* One rounding is 1 u at most: the measure has the scale that its limit is told in. */
static void one_rounding_is_one_unit(void **state) {
  (void)state;
  grid a, b, c;
  bench_problem p = bench_problem_make(BENCH_GEMM, QN_F32);
  p.m = p.n = p.k = 1;
  fill(QN_F32, &a, 1, 1);
  fill(QN_F32, &b, 1, 1);
  fill(QN_F32, &c, 1, 1);
  ((float *)a.data)[0] = 1.0f + 0x1p-23f;
  ((float *)b.data)[0] = 1.0f + 0x1p-23f;
  ((float *)c.data)[0] = ((float *)a.data)[0] * ((float *)b.data)[0];
  bench_residual r = judge(&p, &a, &b, &c, &c);
  assert_true(r.error > 0.0 && r.error <= 1.0);
  ((float *)c.data)[0] = 1.0f + 0x1p-20f; /* 6 u beyond */
  r = judge(&p, &a, &b, &c, &c);
  assert_true(r.error > 11.0 && r.error < 13.0);
  assert_true(r.limit == 3.0);
}

/* Off by two units of f16: wrong for sums in f32, what sums in f16 may do. */
static void sums_in_f16_have_their_own_limit(void **state) {
  (void)state;
  grid a, b, c;
  bench_problem p = bench_problem_make(BENCH_GEMM, QN_F16);
  p.m = p.n = p.k = 1;
  fill(QN_F16, &a, 1, 1);
  fill(QN_F16, &b, 1, 1);
  fill(QN_F16, &c, 1, 1);
  ((uint16_t *)a.data)[0] = ((uint16_t *)b.data)[0] = 0x3c00; /* 1 */
  ((uint16_t *)c.data)[0] = 0x3c02;
  const bench_residual r = judge(&p, &a, &b, &c, &c);
  assert_false(bench_residual_ok(&r));
  p.f16_sums = true;
  const bench_residual f16 = judge(&p, &a, &b, &c, &c);
  assert_true(f16.error == r.error && f16.limit == 4096 * r.limit);
  assert_true(bench_residual_ok(&f16));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gemm),
      cmocka_unit_test(trmm),
      cmocka_unit_test(trsm),
      cmocka_unit_test(potrf),
      cmocka_unit_test(one_rounding_is_one_unit),
      cmocka_unit_test(sums_in_f16_have_their_own_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
