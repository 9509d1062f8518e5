/* qn_potrf: the backward error, what it leaves alone, and pivots that are not positive. */
#include "conformance/harness.h"
#include <math.h>
#include <string.h>

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}

static void mirror(wide a) {
  for (int64_t j = 0; j < a.cols; j++)
    for (int64_t i = 0; i < j; i++) {
      a.re[i + j * a.rows] = a.re[j + i * a.rows];
      if (a.im) a.im[i + j * a.rows] = -a.im[j + i * a.rows];
    }
}

/* Hermitian: random with a heavy diagonal, or a Gaussian kernel with phases. Both halves are
 * filled. */
static wide positive_matrix(dice *d, int64_t n, qn_dtype dtype, bool kernel) {
  wide a = random_matrix(d, n, n, is_complex(dtype));
  double nugget = dtype == QN_F64 || dtype == QN_C128 ? 1e-9 : 1e-3;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = j; i < n; i++) {
      int64_t at = i + j * n;
      double gap = (double)(i - j) / 6.0, kernel_value = exp(-0.5 * gap * gap), angle = 0.1 * gap;
      if (kernel) a.re[at] = kernel_value * (a.im ? cos(angle) : 1.0);
      if (kernel && a.im) a.im[at] = kernel_value * sin(angle);
      if (i != j) continue;
      a.re[at] = kernel ? 1.0 + nugget : 2.0 * (double)n;
      if (a.im) a.im[at] = 0.0;
    }
  }
  round_to(a, dtype);
  mirror(a);
  return a;
}

static wide stored_triangle(wide a, qn_uplo uplo) {
  wide s = wide_op(a, QN_NOTRANS);
  poison_triangle(s, uplo, QN_NONUNIT);
  return s;
}

static long double norm1(const long double *re, const long double *im, int64_t n) {
  long double norm = 0.0L;
  for (int64_t j = 0; j < n; j++) {
    long double sum = 0.0L;
    for (int64_t i = 0; i < n; i++) sum += hypotl(re[i + j * n], im ? im[i + j * n] : 0.0L);
    if (sum > norm) norm = sum;
  }
  return norm;
}

/* norm1(A - L L^H) / (n u norm1(A)) over the leading `order` rows and columns. */
static double backward_error(wide a, wide factor, qn_uplo uplo, int64_t order, qn_dtype dtype) {
  wide lead = wide_new(order, order, a.im != NULL);
  for (int64_t j = 0; j < order; j++)
    for (int64_t i = 0; i < order; i++) {
      lead.re[i + j * order] = factor.re[i + j * a.rows];
      if (a.im) lead.im[i + j * order] = factor.im[i + j * a.rows];
    }
  qn_trans adjoint = uplo == QN_LOWER ? QN_NOTRANS : QN_CONJTRANS;
  wide l = wide_triangle(lead, uplo, adjoint, QN_NONUNIT);
  wide lh = wide_op(l, QN_CONJTRANS);
  wide_sum p = wide_product(WIDE_LOWER, l, lh);
  wide_sum size = {order, order, calloc((size_t)(order * order), sizeof *size.re), NULL};
  assert_non_null(size.re);
  for (int64_t j = 0; j < order; j++)
    for (int64_t i = 0; i < order; i++) {
      int64_t at = i + j * order, from = i + j * a.rows;
      size.re[at] = hypotl(a.re[from], a.im ? a.im[from] : 0.0L);
      p.re[at] -= a.re[from];
      if (p.im) p.im[at] -= a.im[from];
    }
  long double error = norm1(p.re, p.im, order) /
                      ((long double)order * roundoff(dtype) * norm1(size.re, NULL, order));
  wide_sum_free(&p);
  wide_sum_free(&size);
  wide_free(&lead);
  wide_free(&l);
  wide_free(&lh);
  return (double)error;
}

/* The factor of A, whose other triangle, filled with NaN, must come back as it was. */
static wide factored(wide a, qn_dtype dtype, qn_uplo uplo, int64_t gap, int64_t *info) {
  frame f = frame_new(dtype, a.rows, a.cols, gap);
  wide stored = stored_triangle(a, uplo);
  frame_put(&f, stored);
  ok(judged_potrf(the_stream(), uplo, f.view, info));
  ok(qn_stream_sync(the_stream()));
  wide result = frame_get(&f);
  for (int64_t j = 0; j < a.cols; j++)
    for (int64_t i = 0; i < a.rows; i++)
      if (uplo == QN_LOWER ? i < j : i > j) assert_true(isnan(result.re[i + j * a.rows]));
  frame_free(&f);
  wide_free(&stored);
  return result;
}

static void factors(void **state) {
  qn_dtype dtype = *(const qn_dtype *)*state;
  skip_without(dtype);
  dice d = new_dice();
  for (int list = 0; list < 2; list++) {
    const int64_t *orders = list ? large_orders : small_orders;
    for (int s = 0; orders[s]; s++) {
      int64_t n = orders[s];
      if (n > 600 && !full_grid()) continue;
      for (int variant = 0; variant < 4; variant++) {
        if (!case_drawn(&d)) continue;
        qn_uplo uplo = variant & 1 ? QN_UPPER : QN_LOWER;
        wide a = positive_matrix(&d, n, dtype, variant & 2);
        int64_t info = -1;
        wide l = factored(a, dtype, uplo, variant & 2 ? 5 : 0, &info);
        assert_int_equal(info, 0);
        double error = backward_error(a, l, uplo, n, dtype);
        if (!score("potrf", dtype, variant & 2 ? "kernel" : "dominant", "norm / n", error, 30.0))
          fail_msg("potrf %s %c n=%lld: backward error %g n u", qn_dtype_name(dtype), uplo,
                   (long long)n, error);
        wide_free(&a);
        wide_free(&l);
      }
    }
  }
}

/* A pivot that is zero, negative or NaN: its place is told and what leads it is factored. */
static void bad_pivots(void **state) {
  qn_dtype dtype = *(const qn_dtype *)*state;
  skip_without(dtype);
  if (peer_judged()) skip();
  dice d = new_dice();
  static const int64_t orders[] = {1, 2, 33, 65, 257, 511};
  static const double pivots[] = {0.0, -1.0, NAN};
  for (int c = 0; c < 6 * 3 * 2 * 4; c++) {
    if (!case_drawn(&d)) continue;
    int64_t n = orders[c % 6];
    qn_uplo uplo = c / 18 % 2 ? QN_UPPER : QN_LOWER;
    int64_t places[] = {0, n / 2, n - 1, dice_below(&d, n)}, at = places[c / 36];
    wide a = positive_matrix(&d, n, dtype, false);
    a.re[at + at * n] = pivots[c / 6 % 3];
    int64_t info = -1;
    wide l = factored(a, dtype, uplo, 5, &info);
    assert_int_equal(info, at + 1);
    if (at > 0) {
      double error = backward_error(a, l, uplo, at, dtype);
      if (!score("potrf", dtype, "bad pivot", "norm / n", error, 30.0))
        fail_msg("potrf %s %c n=%lld: the part before pivot %lld is off by %g n u",
                 qn_dtype_name(dtype), uplo, (long long)n, (long long)at, error);
    }
    wide_free(&a);
    wide_free(&l);
  }
}

/* A - L L^H by what it does to a vector: the largest element over u norm1(A) max |x|, over the
 * leading `order` rows and columns. For orders at which the product itself would take too long. */
static double error_on_vector(dice *d, wide a, wide factor, qn_uplo uplo, int64_t order,
                              qn_dtype dtype) {
  wide lead = wide_new(order, order, a.im != NULL), lead_a = wide_new(order, order, a.im != NULL);
  for (int64_t j = 0; j < order; j++)
    for (int64_t i = 0; i < order; i++) {
      const int64_t to = i + j * order, from = i + j * a.rows;
      lead.re[to] = factor.re[from];
      lead_a.re[to] = a.re[from];
      if (a.im) lead.im[to] = factor.im[from], lead_a.im[to] = a.im[from];
    }
  wide l = wide_triangle(lead, uplo, uplo == QN_LOWER ? QN_NOTRANS : QN_CONJTRANS, QN_NONUNIT);
  wide lh = wide_op(l, QN_CONJTRANS), x = random_matrix(d, order, 1, a.im != NULL);
  wide_sum ax = wide_product(WIDE_FULL, lead_a, x), y = wide_product(WIDE_UPPER, lh, x);
  wide rounded = wide_new(order, 1, a.im != NULL);
  long double largest_x = 0.0L, largest = 0.0L;
  for (int64_t i = 0; i < order; i++) {
    rounded.re[i] = (double)y.re[i];
    if (a.im) rounded.im[i] = (double)y.im[i];
    largest_x = fmaxl(largest_x, hypotl(x.re[i], a.im ? x.im[i] : 0.0L));
  }
  wide_sum z = wide_product(WIDE_LOWER, l, rounded);
  for (int64_t i = 0; i < order; i++) {
    const long double error = hypotl(z.re[i] - ax.re[i], a.im ? z.im[i] - ax.im[i] : 0.0L);
    if (!(error <= largest)) largest = error; /* NaN too */
  }
  long double norm = 0.0L;
  for (int64_t j = 0; j < order; j++) {
    long double sum = 0.0L;
    for (int64_t i = 0; i < order; i++)
      sum += hypotl(lead_a.re[i + j * order], a.im ? lead_a.im[i + j * order] : 0.0L);
    norm = fmaxl(norm, sum);
  }
  wide_sum_free(&ax);
  wide_sum_free(&y);
  wide_sum_free(&z);
  wide_free(&lead);
  wide_free(&lead_a);
  wide_free(&l);
  wide_free(&lh);
  wide_free(&x);
  wide_free(&rounded);
  return (double)(largest / (norm * largest_x * roundoff(dtype)));
}

/* Orders beyond what a device factors at once, and a pivot that fails there. Cards, whose blocks
 * are of 2048 and more unless QUERN_POTRF_BLOCK says less, have the largest orders that go by one
 * launch, and one with two updates behind them in f32, as well. */
static void several_panels(void **state) {
  qn_dtype dtype = *(const qn_dtype *)*state;
  skip_without(dtype);
  if (peer_judged()) skip();
  static const struct {
    int64_t n, bad; /* the 1-based place of a pivot that fails */
  } cases[] = {{2087, 0}, {2200, 0}, {2087, 2068}, {2200, 2181}, {6400, 0},
               {6400, 0}, {3333, 0}, {4096, 0},    {4000, 2900}, {3001, 2700}};
  enum { EVERYWHERE = 4, ON_A_CARD = sizeof cases / sizeof *cases };
  dice d = new_dice();
  qn_device_info info;
  ok(qn_device_query(the_device(), &info));
  const bool card = strcmp(info.backend, "cuda") == 0 && !is_complex(dtype);
  for (int c = 0; c < (card ? ON_A_CARD : EVERYWHERE); c++) {
    const int64_t n = cases[c].n, bad = cases[c].bad;
    const qn_uplo uplo = c % 2 ? QN_UPPER : QN_LOWER;
    wide a = positive_matrix(&d, n, dtype, false);
    if (bad) a.re[bad - 1 + (bad - 1) * n] = -1.0;
    int64_t pivot = -1;
    wide l = factored(a, dtype, uplo, 3, &pivot);
    assert_int_equal(pivot, bad);
    const double error = error_on_vector(&d, a, l, uplo, bad ? bad - 1 : n, dtype);
    if (!score("potrf", dtype, "panels", "norm / sqrt n", error / sqrt((double)n), 3.0))
      fail_msg("potrf %s %c n=%lld: backward error %g u", qn_dtype_name(dtype), uplo, (long long)n,
               error);
    wide_free(&a);
    wide_free(&l);
  }
}

/* Two calls before one sync, the second of order 0 or not: info is the second's. */
static void the_last_info_counts(void **state) {
  (void)state;
  dice d = new_dice();
  for (int empty = 0; empty < 2; empty++) {
    wide a = positive_matrix(&d, 9, QN_F32, false);
    a.re[4 + 4 * 9] = -1.0;
    frame bad = frame_new(QN_F32, 9, 9, 0), good = frame_new(QN_F32, 9, 9, 0);
    frame_put(&bad, a);
    a.re[4 + 4 * 9] = 18.0;
    frame_put(&good, a);
    int64_t info = -1;
    ok(qn_potrf(the_stream(), QN_LOWER, bad.view, &info));
    const qn_matrix none = qn_matrix_of(good.view.buffer, QN_F32, 0, 0, 1);
    ok(qn_potrf(the_stream(), QN_LOWER, empty ? none : good.view, &info));
    ok(qn_stream_sync(the_stream()));
    assert_int_equal(info, 0);
    frame_free(&bad);
    frame_free(&good);
    wide_free(&a);
  }
}

static void count_step(void *user, const qn_trace_step *step) {
  (void)step;
  ++*(int *)user;
}

/* A trace has the stream waited for between the steps: info is that of the last one all the same.
 */
static void traced(void **state) {
  (void)state;
  dice d = new_dice();
  const int64_t pivots[] = {0, 61, 0, 3};
  int steps = 0;
  ok(qn_stream_set_trace(the_stream(), count_step, &steps));
  for (int i = 0; i < 4; i++) {
    wide a = positive_matrix(&d, 70, QN_F32, false);
    if (pivots[i]) a.re[(pivots[i] - 1) * 71] = -1.0;
    frame f = frame_new(QN_F32, 70, 70, 2);
    frame_put(&f, a);
    int64_t info = -1;
    ok(qn_potrf(the_stream(), QN_LOWER, f.view, &info));
    ok(qn_stream_sync(the_stream()));
    assert_int_equal(info, pivots[i]);
    frame_free(&f);
    wide_free(&a);
  }
  ok(qn_stream_set_trace(the_stream(), NULL, NULL));
  assert_true(steps > 0);
}

/* info may be NULL; the imaginary part of the diagonal is taken as zero, whatever it is and however
 * many blocks and panels there are. */
static void odd_arguments(void **state) {
  qn_dtype dtype = *(const qn_dtype *)*state;
  skip_without(dtype);
  if (peer_judged()) skip();
  dice d = new_dice();
  for (int variant = 0; variant < 2; variant++) {
    qn_uplo uplo = variant ? QN_UPPER : QN_LOWER;
    const int64_t n = variant ? 129 : 577;
    wide a = positive_matrix(&d, n, dtype, false), dirty = wide_op(a, QN_NOTRANS);
    for (int64_t i = 0; dirty.im && i < n; i++) dirty.im[i + i * n] = i % 3 ? 3.0 : NAN;
    wide l = factored(dirty, dtype, uplo, 0, NULL);
    for (int64_t i = 0; l.im && i < n; i++) assert_true(l.im[i + i * n] == 0.0);
    assert_true(backward_error(a, l, uplo, n, dtype) <= 30.0);
    wide_free(&a);
    wide_free(&dirty);
    wide_free(&l);
  }
}

int main(void) {
  skip_unless_cpu();
  static qn_dtype types[] = {QN_F32, QN_F64, QN_C64, QN_C128};
#define EACH(test)                                                                                 \
  {#test " f32", test, NULL, NULL, types}, {#test " f64", test, NULL, NULL, types + 1},            \
      {#test " c64", test, NULL, NULL, types + 2}, {                                               \
#test " c128", test, NULL, NULL, types + 3                                                     \
  }
  const struct CMUnitTest tests[] = {EACH(factors),
                                     EACH(bad_pivots),
                                     EACH(several_panels),
                                     EACH(odd_arguments),
                                     cmocka_unit_test(the_last_info_counts),
                                     cmocka_unit_test(traced)};
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
