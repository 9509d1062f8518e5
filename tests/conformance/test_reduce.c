/* qn_matrix_reduce: every dtype, all of a view and each of its columns, against long double; the
 * same bits for any leading dimension; norms at the ends of the range; NaN; nothing to reduce. */
#include "conformance/harness.h"
#include <math.h>
#include <string.h>

/* Within a chunk, a column of several chunks, columns that no chunk ends with. */
static const int64_t shapes[][2] = {{1, 1},    {5, 3},    {1, 700}, {700, 1},
                                    {4097, 1}, {9000, 3}, {3, 6000}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}

typedef struct value {
  long double re, im, size; /* size: what the error is a part of */
} value;

static value right(qn_reduction op, wide x, int64_t begin, int64_t end) {
  value v = {op == QN_REDUCE_MAX ? -INFINITY : op == QN_REDUCE_MIN ? INFINITY : 0, 0, 0};
  for (int64_t e = begin; e < end; e++) {
    const long double re = x.re[e], im = x.im ? x.im[e] : 0, modulus = hypotl(re, im);
    v.size += modulus;
    if (op == QN_REDUCE_SUM) v.re += re, v.im += im;
    if (op == QN_REDUCE_SUM_ABS) v.re += modulus;
    if (op == QN_REDUCE_NORM) v.re += modulus * modulus;
    if (op == QN_REDUCE_MAX_ABS && modulus > v.re) v.re = modulus;
    if (op == QN_REDUCE_MAX && re > v.re) v.re = re;
    if (op == QN_REDUCE_MIN && re < v.re) v.re = re;
  }
  if (op == QN_REDUCE_NORM) v.size = v.re = sqrtl(v.re);
  if (op == QN_REDUCE_MAX_ABS) v.size = x.im ? v.re : 0; /* the modulus of a real is exact */
  if (op > QN_REDUCE_MAX_ABS) v.size = 0;
  return v;
}

static wide reduce(qn_reduction op, frame *x, int64_t columns) {
  frame out = frame_new(qn_reduce_dtype(op, x->view.dtype), 1, columns, 3);
  wide blank = wide_new(1, columns, is_complex(out.view.dtype));
  frame_put(&out, blank);
  ok(qn_matrix_reduce(the_stream(), op, x->view, out.view));
  wide got = frame_get(&out);
  wide_free(&blank);
  frame_free(&out);
  return got;
}

static void check(qn_reduction op, frame *f, wide x, bool each_column) {
  const int64_t columns = each_column ? x.cols : 1, count = x.rows * x.cols / columns;
  wide got = reduce(op, f, columns);
  const double u = roundoff(qn_reduce_dtype(op, f->view.dtype));
  for (int64_t j = 0; j < columns; j++) {
    const value want = right(op, x, j * count, (j + 1) * count);
    const long double off = hypotl(got.re[j] - want.re, (got.im ? got.im[j] : 0) - want.im);
    if (off > 100 * u * want.size)
      fail_msg("reduction %d of %lld x %lld %s: %g, off by %Lg", (int)op, (long long)x.rows,
               (long long)x.cols, qn_dtype_name(f->view.dtype), got.re[j], off);
  }
  wide_free(&got);
}

static void check_shape(dice *d, qn_dtype t, qn_reduction op, const int64_t *shape, int64_t gap) {
  wide x = random_matrix(d, shape[0], shape[1], is_complex(t));
  frame f = frame_new(t, shape[0], shape[1], gap);
  frame_put(&f, x);
  check(op, &f, x, false);
  if (shape[1] <= 700) check(op, &f, x, true);
  frame_assert_same(&f);
  frame_free(&f);
  wide_free(&x);
}

static void all_shapes(void **state) {
  (void)state;
  dice d = new_dice();
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    const qn_reduction last = is_complex((qn_dtype)t) ? QN_REDUCE_MAX_ABS : QN_REDUCE_MIN;
    for (qn_reduction op = QN_REDUCE_SUM; op <= last; op++) {
      if (!device_has((qn_dtype)t) || !case_drawn(&d)) continue;
      for (int s = 0; s < SHAPES; s++) check_shape(&d, (qn_dtype)t, op, shapes[s], s % 2 ? 4 : 0);
    }
  }
}

static void same_bits(void **state) {
  (void)state;
  dice d = new_dice();
  for (qn_dtype t = QN_F32; t <= QN_F64; t++) {
    if (!device_has(t)) continue;
    wide x = random_matrix(&d, 37, 900, false);
    frame tight = frame_new(t, 37, 900, 0), loose = frame_new(t, 37, 900, 6);
    frame_put(&tight, x);
    frame_put(&loose, x);
    for (qn_reduction op = QN_REDUCE_SUM; op <= QN_REDUCE_NORM; op++) {
      wide first = reduce(op, &tight, 1), second = reduce(op, &loose, 1);
      assert_true(first.re[0] == second.re[0]);
      wide_free(&first);
      wide_free(&second);
    }
    frame_free(&tight);
    frame_free(&loose);
    wide_free(&x);
  }
}

/* ---- the ends of the range ---- */

static double norm_of(qn_dtype t, int64_t n, double first, double rest) {
  wide x = wide_new(n, 1, is_complex(t));
  for (int64_t i = 0; i < n; i++) x.re[i] = i ? rest : first;
  frame f = frame_new(t, n, 1, 0);
  frame_put(&f, x);
  wide got = reduce(QN_REDUCE_NORM, &f, 1);
  const double norm = got.re[0];
  wide_free(&got);
  frame_free(&f);
  wide_free(&x);
  return norm;
}

static void assert_norm(qn_dtype t, int64_t n, double first, double rest, double want) {
  const double got = norm_of(t, n, first, rest);
  if (!(fabs(got - want) <= 100 * roundoff(t) * want + smallest(t)))
    fail_msg("norm of %g and %lld times %g is %g, not %g (%s)", first, (long long)n - 1, rest, got,
             want, qn_dtype_name(t));
}

static void norms(void **state) {
  (void)state;
  static const qn_dtype types[] = {QN_F32, QN_F64, QN_C64, QN_C128};
  dice d = new_dice();
  for (int i = 0; i < 4; i++) {
    const qn_dtype t = types[i];
    if (!device_has(t) || !case_drawn(&d)) continue;
    const double huge = ldexp(1, t == QN_F32 || t == QN_C64 ? 120 : 1000), tiny = smallest(t) * 64;
    assert_norm(t, 64, huge, huge, 8 * huge);
    assert_norm(t, 64, tiny, tiny, 8 * tiny);
    assert_norm(t, 6400, tiny, tiny, 80 * tiny);
    assert_norm(t, 65, huge, 1, huge);
    assert_norm(t, 65, tiny, 1, 8);
    assert_norm(t, 17, 0, huge, 4 * huge);
    assert_norm(t, 17, 0, 0, 0);
    /* a low part and a middle one of like size */
    const double edge = ldexp(1, t == QN_F32 || t == QN_C64 ? -63 : -511);
    assert_norm(t, 26, edge, 0.25 * edge, edge * sqrt(1 + 25.0 / 16));
    assert_true(isinf(norm_of(t, 20, INFINITY, 1)));
    assert_true(isnan(norm_of(t, 20, NAN, 1)));
    assert_true(isnan(norm_of(t, 20, NAN, huge)));
    assert_true(isnan(norm_of(t, 20, NAN, tiny)));
  }
}

static void special(void **state) {
  (void)state;
  skip_without(QN_F32);
  dice d = new_dice();
  for (qn_reduction op = QN_REDUCE_SUM; op <= QN_REDUCE_MIN; op++)
    for (int place = 0; place < 3 && case_drawn(&d); place++) {
      wide x = wide_new(5000, 1, false);
      x.re[place * 2499] = NAN;
      frame f = frame_new(QN_F32, 5000, 1, 0);
      frame_put(&f, x);
      wide got = reduce(op, &f, 1);
      assert_true(isnan(got.re[0]));
      wide_free(&got);
      frame_free(&f);
      wide_free(&x);
    }
}

static void nothing(void **state) {
  (void)state;
  skip_without(QN_F32);
  static const double want[] = {0, 0, 0, 0, -INFINITY, INFINITY};
  qn_matrix x, out;
  ok(qn_matrix_alloc(the_device(), QN_F32, 4, 3, &x));
  ok(qn_matrix_alloc(the_device(), QN_F32, 1, 3, &out));
  x.rows = 0;
  dice d = new_dice();
  for (qn_reduction op = QN_REDUCE_SUM; op <= QN_REDUCE_MIN; op++) {
    if (!case_drawn(&d)) continue;
    float got[3] = {NAN, NAN, NAN};
    ok(qn_matrix_reduce(the_stream(), op, x, out));
    ok(qn_matrix_read(the_stream(), got, 1, out));
    ok(qn_stream_sync(the_stream()));
    for (int j = 0; j < 3; j++) assert_true(got[j] == (float)want[op]);
  }
  qn_buffer_free(x.buffer);
  qn_buffer_free(out.buffer);
}

static void refused(void **state) {
  (void)state;
  qn_matrix x, out, two;
  ok(qn_matrix_alloc(the_device(), QN_C64, 4, 3, &x));
  ok(qn_matrix_alloc(the_device(), QN_F32, 1, 1, &out));
  ok(qn_matrix_alloc(the_device(), QN_F32, 1, 2, &two));
  assert_int_equal(qn_matrix_reduce(the_stream(), QN_REDUCE_NORM, x, two), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "out is 1 x 2, neither 1 x 1 nor 1 x 3"));
  assert_int_equal(qn_matrix_reduce(the_stream(), QN_REDUCE_SUM, x, out), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "out is f32, not c64"));
  assert_int_equal(qn_matrix_reduce(the_stream(), QN_REDUCE_MAX, x, out), QN_EUNSUPPORTED);
  assert_int_equal(qn_matrix_reduce(the_stream(), (qn_reduction)6, x, out), QN_EINVAL);
  assert_int_equal(qn_matrix_reduce(NULL, QN_REDUCE_NORM, x, out), QN_EINVAL);
  qn_buffer_free(x.buffer);
  qn_buffer_free(out.buffer);
  qn_buffer_free(two.buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_shapes), cmocka_unit_test(same_bits),
                                     cmocka_unit_test(norms),      cmocka_unit_test(special),
                                     cmocka_unit_test(nothing),    cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
