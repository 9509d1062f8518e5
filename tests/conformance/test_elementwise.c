/* qn_matrix_axpby and qn_matrix_map: every dtype, views with gaps, in place and not, against long
 * double; what a factor of 0 leaves unread. */
#include "conformance/harness.h"
#include <complex.h>
#include <math.h>
#include <string.h>

static const int64_t shapes[][2] = {{1, 1}, {3, 5}, {64, 2}, {65, 3}, {600, 7}, {1, 130}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef long double _Complex number;

static number at(wide m, int64_t e) {
  return m.re[e] + (m.im ? m.im[e] * (number)I : 0);
}

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}
static bool is_half(qn_dtype t) {
  return t == QN_F16 || t == QN_BF16;
}

/* What an element may be off: `units` roundings of the arithmetic, of `size`, and for a half the
 * last one, of the result. */
static double allowed(qn_dtype t, double units, long double size, number result) {
  double bound = units * roundoff(is_half(t) ? QN_F32 : t) * (double)size + 2 * smallest(t);
  if (is_half(t)) bound += roundoff(t) * (double)cabsl(result) * 1.01;
  return bound;
}

static void assert_near(const char *what, qn_dtype t, number got, number want, double bound) {
  if ((double)cabsl(got - want) <= bound) return;
  fail_msg("%s %s: (%Lg, %Lg) where (%Lg, %Lg) is right", what, qn_dtype_name(t), creall(got),
           cimagl(got), creall(want), cimagl(want));
}

static number scalar(qn_scalar s, qn_dtype t) {
  return s.re + (is_complex(t) ? s.im : 0) * (number)I;
}

/* With `same` X is Y. */
static void check_axpby(dice *d, qn_dtype t, qn_scalar alpha, qn_scalar beta, const int64_t *shape,
                        int64_t gap, bool same) {
  wide x = random_matrix(d, shape[0], shape[1], is_complex(t));
  wide y = random_matrix(d, shape[0], shape[1], is_complex(t));
  frame fx = frame_new(t, shape[0], shape[1], gap), fy = frame_new(t, shape[0], shape[1], gap);
  frame_put(&fx, x);
  frame_put(&fy, y);
  ok(qn_matrix_axpby(the_stream(), alpha, same ? fy.view : fx.view, beta, fy.view));
  wide got = frame_get(&fy);
  for (int64_t e = 0; e < shape[0] * shape[1]; e++) {
    const number ax = scalar(alpha, t) * at(same ? y : x, e), by = scalar(beta, t) * at(y, e);
    const double bound = allowed(t, is_complex(t) ? 8 : 3, cabsl(ax) + cabsl(by), ax + by);
    assert_near("axpby", t, at(got, e), ax + by, bound);
  }
  if (!same) frame_assert_same(&fx);
  frame_free(&fx);
  frame_free(&fy);
  wide_free(&x);
  wide_free(&y);
  wide_free(&got);
}

static void axpby(void **state) {
  (void)state;
  dice d = new_dice();
  for (int t = 0; t < QN_DTYPE_COUNT; t++)
    for (int s = 0; s < SHAPES; s++) {
      if (!device_has((qn_dtype)t)) continue;
      const qn_scalar alpha = some_scalar(&d, (qn_dtype)t), beta = some_scalar(&d, (qn_dtype)t);
      check_axpby(&d, (qn_dtype)t, alpha, beta, shapes[s], s % 2 ? 5 : 0, false);
      check_axpby(&d, (qn_dtype)t, alpha, qn_real(0), shapes[s], 3, false);
      check_axpby(&d, (qn_dtype)t, qn_real(0), beta, shapes[s], 3, false);
      check_axpby(&d, (qn_dtype)t, alpha, beta, shapes[s], 3, true);
    }
}

/* NaN in what is multiplied by 0 must not show. */
static void unread(void **state) {
  (void)state;
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (!device_has((qn_dtype)t)) continue;
    frame nan = frame_new((qn_dtype)t, 70, 2, 2), ones = frame_new((qn_dtype)t, 70, 2, 2);
    wide one = wide_new(70, 2, is_complex((qn_dtype)t)), none = wide_new(70, 2, one.im != NULL);
    for (int e = 0; e < 140; e++) one.re[e] = 1, none.re[e] = NAN;
    frame_put(&nan, none);
    frame_put(&ones, one);
    ok(qn_matrix_axpby(the_stream(), qn_real(0), nan.view, qn_real(2), ones.view));
    ok(qn_matrix_axpby(the_stream(), qn_real(0.5), ones.view, qn_real(0), nan.view));
    ok(qn_matrix_axpby(the_stream(), qn_real(1), nan.view, qn_real(1), ones.view));
    wide got = frame_get(&ones);
    for (int e = 0; e < 140; e++) assert_true(got.re[e] == 3);
    wide_free(&got);
    none.re[0] = NAN;
    frame_put(&nan, none);
    ok(qn_matrix_axpby(the_stream(), qn_real(0), nan.view, qn_real(0), nan.view));
    got = frame_get(&nan);
    for (int e = 0; e < 140; e++) assert_true(got.re[e] == 0);
    wide_free(&got);
    wide_free(&one);
    wide_free(&none);
    frame_free(&nan);
    frame_free(&ones);
  }
}

/* ---- maps ---- */

static number mapped(qn_map map, number x) {
  const long double re = creall(x);
  switch (map) {
  case QN_MAP_NEGATE:
    return -x;
  case QN_MAP_CONJUGATE:
    return conjl(x);
  case QN_MAP_ABS:
    return cabsl(x);
  case QN_MAP_SQUARE:
    return x * x;
  case QN_MAP_RECIPROCAL:
    return 1 / x;
  case QN_MAP_SQRT:
    return sqrtl(re);
  case QN_MAP_EXP:
    return expl(re);
  case QN_MAP_LOG:
    return logl(re);
  case QN_MAP_TANH:
    return tanhl(re);
  case QN_MAP_RELU:
    return re > 0 ? re : 0;
  }
  return 0;
}

static void check_map(dice *d, qn_dtype t, qn_map map, const int64_t *shape, bool same) {
  wide x = random_matrix(d, shape[0], shape[1], is_complex(t));
  const bool positive = map == QN_MAP_SQRT || map == QN_MAP_LOG;
  for (int64_t e = 0; e < shape[0] * shape[1]; e++)
    x.re[e] = (positive ? fabs(x.re[e]) + 0.001 : x.re[e]) * (e % 3 == 0 ? 9.0 : 1.0);
  frame fx = frame_new(t, shape[0], shape[1], 3), fy = frame_new(t, shape[0], shape[1], 2);
  frame_put(&fx, x);
  frame_put(&fy, x);
  ok(qn_matrix_map(the_stream(), map, same ? fy.view : fx.view, fy.view));
  wide got = frame_get(&fy);
  for (int64_t e = 0; e < shape[0] * shape[1]; e++) {
    const number want = mapped(map, at(x, e));
    /* near 1 the logarithm's own error is a part of 1, not of the result */
    const long double size = map == QN_MAP_LOG ? 1 + cabsl(want) : cabsl(want);
    assert_near("map", t, at(got, e), want, allowed(t, 16, size, want));
  }
  if (!same) frame_assert_same(&fx);
  frame_free(&fx);
  frame_free(&fy);
  wide_free(&x);
  wide_free(&got);
}

static void maps(void **state) {
  (void)state;
  dice d = new_dice();
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (!device_has((qn_dtype)t)) continue;
    const qn_map last = is_complex((qn_dtype)t) ? QN_MAP_RECIPROCAL : QN_MAP_RELU;
    for (qn_map map = QN_MAP_NEGATE; map <= last; map++) {
      if (!case_drawn(&d)) continue;
      check_map(&d, (qn_dtype)t, map, shapes[0], false);
      check_map(&d, (qn_dtype)t, map, shapes[3], true);
      check_map(&d, (qn_dtype)t, map, shapes[4], false);
    }
  }
}

static void refused(void **state) {
  (void)state;
  qn_matrix a, b, c;
  ok(qn_matrix_alloc(the_device(), QN_F32, 4, 3, &a));
  ok(qn_matrix_alloc(the_device(), QN_F32, 3, 4, &b));
  ok(qn_matrix_alloc(the_device(), QN_C64, 4, 3, &c));
  const qn_scalar one = qn_real(1);
  assert_int_equal(qn_matrix_axpby(NULL, one, a, one, a), QN_EINVAL);
  assert_int_equal(qn_matrix_axpby(the_stream(), one, a, one, b), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "y is 3 x 4 f32 where x is 4 x 3 f32"));
  assert_int_equal(qn_matrix_axpby(the_stream(), one, a, one, c), QN_EINVAL);
  assert_int_equal(qn_matrix_map(the_stream(), (qn_map)99, a, a), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "map is 99"));
  assert_int_equal(qn_matrix_map(the_stream(), QN_MAP_EXP, c, c), QN_EUNSUPPORTED);
  a.cols = 0;
  ok(qn_matrix_axpby(the_stream(), one, a, one, a));
  ok(qn_matrix_map(the_stream(), QN_MAP_EXP, a, a));
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
  qn_buffer_free(c.buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(axpby), cmocka_unit_test(unread),
                                     cmocka_unit_test(maps), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
