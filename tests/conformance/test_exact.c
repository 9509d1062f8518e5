/* What must hold exactly: the meaning of alpha = 0, beta = 0, k = 0 and empty matrices, and the
 * same bits from run to run and for any number of threads. */
#include "conformance/harness.h"
#include <math.h>
#include <string.h>

static const qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128, QN_F16, QN_BF16};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}
static bool is_half(qn_dtype t) {
  return t == QN_F16 || t == QN_BF16;
}

static wide constant(int64_t rows, int64_t cols, bool complex, double value) {
  wide m = wide_new(rows, cols, complex);
  for (int64_t i = 0; i < rows * cols; i++) {
    m.re[i] = value;
    if (complex) m.im[i] = value;
  }
  return m;
}

static frame frame_of(qn_dtype dtype, wide m, int64_t gap) {
  frame f = frame_new(dtype, m.rows, m.cols, gap);
  frame_put(&f, m);
  return f;
}

/* x = beta y exactly: beta has few bits and y is small whole numbers. */
static void assert_scaled(wide x, qn_scalar beta, wide y) {
  for (int64_t i = 0; i < x.rows * x.cols; i++) {
    double re = y.re[i], im = y.im ? y.im[i] : 0.0;
    bool zero = beta.re == 0.0 && beta.im == 0.0; /* then y, perhaps NaN, is not looked at */
    double want_re = zero ? 0.0 : beta.re * re - beta.im * im;
    double want_im = zero ? 0.0 : beta.re * im + beta.im * re;
    assert_true(x.re[i] == want_re);
    if (x.im) assert_true(x.im[i] == want_im);
  }
}

static wide whole_numbers(dice *d, int64_t rows, int64_t cols, bool complex) {
  wide m = wide_new(rows, cols, complex);
  for (int64_t i = 0; i < rows * cols; i++) {
    m.re[i] = (double)(dice_below(d, 17) - 8);
    if (complex) m.im[i] = (double)(dice_below(d, 17) - 8);
  }
  return m;
}

/* gemm whose product must not be there: A and B are NaN. */
static void check_no_product(dice *d, qn_dtype dtype, qn_dtype ctype, int64_t n, int64_t k,
                             qn_scalar alpha, qn_scalar beta) {
  bool complex = is_complex(dtype);
  wide a = constant(n, k, complex, NAN), b = constant(k, n, complex, NAN);
  wide c = beta.re == 0.0 && beta.im == 0.0 ? constant(n, n, complex, NAN)
                                            : whole_numbers(d, n, n, complex);
  frame fa = frame_of(dtype, a, 3), fb = frame_of(dtype, b, 3), fc = frame_of(ctype, c, 3);
  ok(qn_gemm(the_stream(), QN_NOTRANS, QN_NOTRANS, alpha, fa.view, fb.view, beta, fc.view));
  wide got = frame_get(&fc);
  assert_scaled(got, beta, c);
  frame_free(&fa);
  frame_free(&fb);
  frame_free(&fc);
  wide_free(&a);
  wide_free(&b);
  wide_free(&c);
  wide_free(&got);
}

static void gemm_without_product(void **state) {
  (void)state;
  dice d = new_dice();
  const qn_scalar zero = {0, 0}, one = {1, 0}, beta = {-1.5, 0};
  for (int t = 0; t < DTYPES; t++) {
    if (!device_has(dtypes[t])) continue;
    qn_dtype type = dtypes[t];
    qn_scalar turn = {0.5, is_complex(type) ? 2.0 : 0.0}, faint = {1e-60, 0};
    for (int64_t n = 1; n < 40; n += 19) {
      const qn_scalar betas[] = {zero, one, beta, turn};
      for (int i = 0; i < 4; i++) {
        check_no_product(&d, type, type, n, 5, zero, betas[i]);
        check_no_product(&d, type, type, n, 0, qn_real(2.0), betas[i]);
        check_no_product(&d, type, type, n, 0, qn_real(NAN), betas[i]);
        /* A factor that is zero in the arithmetic of the dtype is zero. */
        if (type != QN_F64 && type != QN_C128)
          check_no_product(&d, type, type, n, 5, faint, betas[i]);
        if (is_half(type)) check_no_product(&d, type, QN_F32, n, 5, zero, betas[i]);
      }
    }
  }
}

/* With beta = 0, or one that rounds to 0, a C of NaN does not show; with beta = 1 all of it stays.
 */
static void gemm_beta(void **state) {
  (void)state;
  dice d = new_dice();
  for (int t = 0; t < DTYPES; t++) {
    if (!device_has(dtypes[t])) continue;
    wide a = whole_numbers(&d, 21, 9, is_complex(dtypes[t]));
    wide b = whole_numbers(&d, 9, 34, is_complex(dtypes[t]));
    wide c = constant(21, 34, is_complex(dtypes[t]), NAN);
    frame fa = frame_of(dtypes[t], a, 4), fb = frame_of(dtypes[t], b, 4);
    frame fc = frame_of(dtypes[t], c, 4);
    bool wide_range = dtypes[t] == QN_F64 || dtypes[t] == QN_C128;
    qn_scalar beta = qn_real(wide_range ? 0.0 : 1e-60);
    ok(qn_gemm(the_stream(), QN_NOTRANS, QN_NOTRANS, qn_real(1), fa.view, fb.view, beta, fc.view));
    ok(qn_gemm(the_stream(), QN_NOTRANS, QN_NOTRANS, qn_real(-1), fa.view, fb.view, qn_real(1),
               fc.view));
    wide got = frame_get(&fc), none = constant(21, 34, is_complex(dtypes[t]), 0.0);
    if (!is_half(dtypes[t])) assert_scaled(got, qn_real(1), none);
    for (int64_t i = 0; i < 21 * 34; i++) assert_true(isfinite(got.re[i]));
    frame_free(&fa);
    frame_free(&fb);
    frame_free(&fc);
    wide_free(&a);
    wide_free(&b);
    wide_free(&c);
    wide_free(&got);
    wide_free(&none);
  }
}

typedef qn_status (*triangular)(qn_stream *, qn_side, qn_uplo, qn_trans, qn_diag, qn_scalar,
                                qn_matrix, qn_matrix);
static const triangular routines[] = {qn_trsm, qn_trmm};

static void check_zero_alpha(triangular routine, qn_dtype dtype, int64_t n, qn_scalar alpha) {
  bool complex = is_complex(dtype);
  for (int side = 0; side < 2; side++) {
    int64_t m = side ? 7 : n, cols = side ? n : 7;
    wide a = constant(n, n, complex, NAN), b = constant(m, cols, complex, NAN);
    frame fa = frame_of(dtype, a, 3), fb = frame_of(dtype, b, 3);
    ok(routine(the_stream(), side ? QN_RIGHT : QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, alpha,
               fa.view, fb.view));
    wide got = frame_get(&fb);
    assert_scaled(got, qn_real(0), b);
    frame_free(&fa);
    frame_free(&fb);
    wide_free(&a);
    wide_free(&b);
    wide_free(&got);
  }
}

static void zero_alpha(void **state) {
  (void)state;
  for (int r = 0; r < 2; r++) {
    for (int t = 0; t < DTYPES; t++) {
      if (!device_has(dtypes[t])) continue;
      for (int64_t n = 1; n < 400; n += 131) {
        check_zero_alpha(routines[r], dtypes[t], n, qn_real(0.0));
        check_zero_alpha(routines[r], dtypes[t], n, qn_real(-0.0));
        if (dtypes[t] != QN_F64 && dtypes[t] != QN_C128)
          check_zero_alpha(routines[r], dtypes[t], n, qn_real(1e-60));
        /* Real types read the real part alone. */
        if (!is_complex(dtypes[t])) check_zero_alpha(routines[r], dtypes[t], n, qn_complex(0, 1));
      }
    }
  }
}

/* Nothing to do is no error, and nothing is touched. */
static void empty(void **state) {
  (void)state;
  for (int t = 0; t < DTYPES; t++) {
    if (!device_has(dtypes[t])) continue;
    qn_stream *s = the_stream();
    wide some = constant(4, 4, is_complex(dtypes[t]), 2.0);
    frame f = frame_of(dtypes[t], some, 2);
    qn_matrix none = qn_matrix_sub(f.view, 0, 0, 0, 0), tall = qn_matrix_sub(f.view, 0, 0, 4, 0);
    qn_matrix flat = qn_matrix_sub(f.view, 0, 0, 0, 4);
    for (int r = 0; r < 2; r++) {
      ok(routines[r](s, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(0), none, none));
      ok(routines[r](s, QN_LEFT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(1), none, flat));
      ok(routines[r](s, QN_LEFT, QN_UPPER, QN_TRANS, QN_UNIT, qn_real(2), f.view, tall));
      ok(routines[r](s, QN_RIGHT, QN_LOWER, QN_NOTRANS, QN_NONUNIT, qn_real(2), f.view, flat));
    }
    ok(qn_gemm(s, QN_NOTRANS, QN_NOTRANS, qn_real(1), flat, f.view, qn_real(0), flat));
    ok(qn_gemm(s, QN_NOTRANS, QN_NOTRANS, qn_real(1), f.view, tall, qn_real(0), tall));
    int64_t info = -1;
    if (!is_half(dtypes[t])) {
      ok(qn_potrf(s, QN_LOWER, none, &info));
      ok(qn_stream_sync(s));
      assert_int_equal(info, 0);
    }
    frame_assert_same(&f);
    frame_free(&f);
    wide_free(&some);
  }
}

/* One column has no next one: its ld may be anything. */
static void columns_alone(void **state) {
  (void)state;
  enum { N = 70 };
  const int64_t lds[] = {N, (int64_t)1 << 41, INT64_MAX};
  dice d = new_dice();
  for (int t = 0; t < DTYPES; t++) {
    if (!device_has(dtypes[t])) continue;
    const bool complex = is_complex(dtypes[t]);
    wide a = constant(N, N, complex, 1), x = whole_numbers(&d, N, 1, complex);
    frame fa = frame_of(dtypes[t], a, 2), fx = frame_of(dtypes[t], x, 0), first = {0};
    for (int i = 0; i < 3; i++) {
      frame fy = frame_of(dtypes[t], x, 0);
      fx.view.ld = lds[i];
      qn_matrix y = fy.view;
      y.ld = lds[i];
      ok(qn_gemm(the_stream(), QN_TRANS, QN_NOTRANS, qn_real(1), fa.view, fx.view, qn_real(1), y));
      ok(qn_trmm(the_stream(), QN_LEFT, QN_UPPER, QN_TRANS, QN_UNIT, qn_real(1), fa.view, y));
      ok(qn_trsm(the_stream(), QN_LEFT, QN_UPPER, QN_TRANS, QN_UNIT, qn_real(1), fa.view, y));
      wide got = frame_get(&fy);
      wide_free(&got);
      if (i == 0) {
        first = fy;
        continue;
      }
      assert_memory_equal(first.after, fy.after, fy.bytes);
      frame_free(&fy);
    }
    frame_free(&first);
    frame_free(&fa);
    frame_free(&fx);
    wide_free(&a);
    wide_free(&x);
  }
}

/* ---- the same bits ---- */

typedef struct bits_case {
  qn_dtype dtype;
  int routine; /* 0 gemm, 1 trsm, 2 trmm, 3 potrf */
  int64_t n, nrhs;
} bits_case;

static wide heavy_diagonal(dice *d, int64_t n, bool complex) {
  wide a = random_matrix(d, n, n, complex);
  for (int64_t i = 0; i < n; i++) {
    a.re[i + i * n] = 2.0 * (double)n;
    if (complex) a.im[i + i * n] = 0.0;
  }
  return a;
}

/* The bytes that the routine leaves, from operands that depend on the case alone. */
static frame result_of(const bits_case *c) {
  dice d = {(uint64_t)(c->n * 1000 + c->nrhs)};
  wide a = heavy_diagonal(&d, c->n, is_complex(c->dtype));
  wide b = random_matrix(&d, c->n, c->nrhs, is_complex(c->dtype));
  frame fa = frame_of(c->dtype, a, 5), fb = frame_of(c->dtype, b, 5);
  frame fc = frame_of(c->dtype, b, 5);
  qn_stream *s = the_stream();
  if (c->routine == 0)
    ok(qn_gemm(s, QN_TRANS, QN_NOTRANS, qn_real(0.7), fa.view, fb.view, qn_real(-0.3), fc.view));
  if (c->routine == 1 || c->routine == 2)
    ok(routines[c->routine - 1](s, QN_LEFT, QN_UPPER, QN_TRANS, QN_NONUNIT, qn_real(0.7), fa.view,
                                fc.view));
  if (c->routine == 3) ok(qn_potrf(s, QN_LOWER, fa.view, NULL));
  wide got = frame_get(c->routine == 3 ? &fa : &fc);
  wide_free(&got);
  wide_free(&a);
  wide_free(&b);
  frame_free(&fb);
  frame_free(c->routine == 3 ? &fc : &fa);
  return c->routine == 3 ? fa : fc;
}

static void same_bits(void **state) {
  (void)state;
  static const int64_t shapes[][2] = {{65, 3}, {257, 64}, {511, 511}, {1000, 7}};
  static const int threads[] = {1, 1, 2, 3, 4};
  for (int i = 0; i < 4 * 4 * DTYPES; i++) {
    bits_case c = {dtypes[i / 16], i % 4, shapes[i / 4 % 4][0], shapes[i / 4 % 4][1]};
    if (!device_has(c.dtype) || (c.routine == 3 && is_half(c.dtype))) continue;
    ok(qn_set_num_threads(threads[0]));
    frame first = result_of(&c);
    for (size_t t = 1; t < sizeof threads / sizeof *threads; t++) {
      ok(qn_set_num_threads(threads[t]));
      frame again = result_of(&c);
      if (memcmp(first.after, again.after, first.bytes) != 0)
        fail_msg("routine %d %s n=%lld nrhs=%lld: %d threads give other bits than %d", c.routine,
                 qn_dtype_name(c.dtype), (long long)c.n, (long long)c.nrhs, threads[t], threads[0]);
      frame_free(&again);
    }
    frame_free(&first);
  }
  ok(qn_set_num_threads(0));
}

int main(void) {
  skip_unless_cpu();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gemm_without_product), cmocka_unit_test(gemm_beta),
      cmocka_unit_test(zero_alpha),           cmocka_unit_test(empty),
      cmocka_unit_test(columns_alone),        cmocka_unit_test(same_bits),
  };
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
