/* Where Inf and NaN stand must be where the reference loops put them. Complex numbers are told
 * apart as finite or not only: how a product of infinities splits into parts is nobody's rule. */
#include "conformance/harness.h"
#include <math.h>
#include <stdio.h>

static const qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128, QN_F16, QN_BF16};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}

/* 0 finite, 1 NaN, 2 and 3 the infinities; 4 a complex number that is not finite. */
static int class_of(wide m, int64_t i) {
  if (m.im) return isfinite(m.re[i]) && isfinite(m.im[i]) ? 0 : 4;
  if (isnan(m.re[i])) return 1;
  return isinf(m.re[i]) ? (m.re[i] > 0 ? 2 : 3) : 0;
}

static void compare(wide got, wide want, const char *what) {
  for (int64_t i = 0; i < want.rows * want.cols; i++)
    if (class_of(got, i) != class_of(want, i))
      fail_msg("%s: element (%lld, %lld) is %g, the reference has %g", what,
               (long long)(i % want.rows), (long long)(i / want.rows), got.re[i], want.re[i]);
}

/* ---- trsm and trmm ---- */

typedef struct special_case {
  qn_dtype dtype;
  qn_side side;
  qn_uplo uplo;
  qn_trans trans;
  qn_diag diag;
  int64_t n, nrhs;
  bool solve;
  int kind;
} special_case;

enum { ZERO_DIAGONAL, TWO_ZEROS, A_INF, A_NAN, B_INF, B_NAN, A_DIAGONAL_INF, KINDS };
static const char *const kind_names[KINDS] = {
    "zero on the diagonal", "two zeros", "Inf in A", "NaN in A", "Inf in B", "NaN in B",
    "Inf on the diagonal"};

/* Tame numbers with zeros among them: zero times Inf must show. */
static wide tame(dice *d, int64_t rows, int64_t cols, bool complex, double scale) {
  wide m = random_matrix(d, rows, cols, complex);
  for (int64_t i = 0; i < rows * cols; i++) {
    bool zero = dice_below(d, 5) == 0;
    m.re[i] = zero ? 0.0 : scale * m.re[i];
    if (complex) m.im[i] = zero ? 0.0 : scale * m.im[i];
  }
  return m;
}

static void plant(wide m, int64_t i, int64_t j, double value) {
  m.re[i + j * m.rows] = value;
  if (m.im) m.im[i + j * m.rows] = 0.0;
}

static void plant_kind(const special_case *c, dice *d, wide a, wide b) {
  int64_t i = dice_below(d, c->n), k = dice_below(d, c->n);
  int64_t low = i < k ? i : k, high = i < k ? k : i;
  int64_t row = c->uplo == QN_LOWER ? high : low, column = c->uplo == QN_LOWER ? low : high;
  double sign = dice_uniform(d) < 0 ? -1.0 : 1.0;
  switch (c->kind) {
  case TWO_ZEROS:
    plant(a, k, k, 0.0);
    plant(a, i, i, 0.0);
    break;
  case ZERO_DIAGONAL:
    plant(a, i, i, 0.0);
    break;
  case A_INF:
    plant(a, row, column, sign * INFINITY);
    break;
  case A_NAN:
    plant(a, row, column, NAN);
    break;
  case A_DIAGONAL_INF:
    plant(a, i, i, sign * INFINITY);
    break;
  case B_INF:
    plant(b, dice_below(d, b.rows), dice_below(d, b.cols), sign * INFINITY);
    break;
  case B_NAN:
    plant(b, dice_below(d, b.rows), dice_below(d, b.cols), NAN);
    break;
  }
}

static void check_special(const special_case *c, dice *d) {
  bool complex = is_complex(c->dtype), left = c->side == QN_LEFT;
  wide a = tame(d, c->n, c->n, complex, 1.0 / (double)c->n);
  for (int64_t i = 0; i < c->n; i++) plant(a, i, i, i % 2 ? -1.25 : 1.5);
  wide b = tame(d, left ? c->n : c->nrhs, left ? c->nrhs : c->n, complex, 1.0);
  plant_kind(c, d, a, b);
  poison_triangle(a, c->uplo, c->diag);
  frame fa = frame_new(c->dtype, a.rows, a.cols, 4), fb = frame_new(c->dtype, b.rows, b.cols, 4);
  frame_put(&fa, a);
  frame_put(&fb, b);
  qn_scalar alpha = qn_real(dice_below(d, 2) ? 1.0 : -0.5);
  ok((c->solve ? qn_trsm : qn_trmm)(the_stream(), c->side, c->uplo, c->trans, c->diag, alpha,
                                    fa.view, fb.view));
  wide got = frame_get(&fb);

  wide_shape shape = wide_shape_of(c->uplo, c->trans);
  wide t = wide_triangle(a, c->uplo, c->trans, c->diag);
  wide left_t = wide_op(t, left ? QN_NOTRANS : QN_TRANS);
  wide want = wide_op(b, left ? QN_NOTRANS : QN_TRANS);
  wide left_got = wide_op(got, left ? QN_NOTRANS : QN_TRANS);
  if (!left) shape = shape == WIDE_LOWER ? WIDE_UPPER : WIDE_LOWER;
  (c->solve ? reference_solve : reference_multiply)(shape, c->diag, alpha, left_t, want);
  char what[160];
  snprintf(what, sizeof what, "%s %s %c%c%c%c n=%lld nrhs=%lld, %s", c->solve ? "trsm" : "trmm",
           qn_dtype_name(c->dtype), c->side, c->uplo, c->trans, c->diag, (long long)c->n,
           (long long)c->nrhs, kind_names[c->kind]);
  compare(left_got, want, what);

  frame_free(&fa);
  frame_free(&fb);
  wide_free(&a);
  wide_free(&b);
  wide_free(&got);
  wide_free(&t);
  wide_free(&left_t);
  wide_free(&want);
  wide_free(&left_got);
}

static void walk(bool solve) {
  static const int64_t orders[] = {1, 2, 7, 31, 33, 65, 129, 257};
  static const int64_t nrhs[] = {1, 7, 33};
  dice d = new_dice();
  for (int t = 0; t < DTYPES; t++) {
    if (!device_has(dtypes[t])) continue;
    for (int i = 0; i < 8 * 16 * KINDS; i++) {
      special_case c = {
          .dtype = dtypes[t], .solve = solve, .kind = i / 128, .n = orders[i / 16 % 8]};
      c.nrhs = nrhs[dice_below(&d, 3)];
      c.side = i & 1 ? QN_RIGHT : QN_LEFT;
      c.uplo = i & 2 ? QN_UPPER : QN_LOWER;
      c.diag = i & 4 ? QN_UNIT : QN_NONUNIT;
      c.trans = i & 8 ? (dice_below(&d, 2) ? QN_CONJTRANS : QN_TRANS) : QN_NOTRANS;
      check_special(&c, &d);
    }
  }
}

/* So many right-hand sides that a device may go another way; each kind in each combination once. */
static void walk_many(bool solve) {
  static const int64_t orders[] = {130, 200, 257}, nrhs[] = {129, 180};
  dice d = new_dice();
  for (int t = 0; t < DTYPES; t++) {
    if (!device_has(dtypes[t])) continue;
    for (int i = 0; i < 16 * KINDS; i++) {
      if (!case_drawn(&d)) continue;
      special_case c = {.dtype = dtypes[t], .solve = solve, .kind = i / 16};
      c.n = orders[dice_below(&d, 3)];
      c.nrhs = nrhs[dice_below(&d, 2)];
      c.side = i & 1 ? QN_RIGHT : QN_LEFT;
      c.uplo = i & 2 ? QN_UPPER : QN_LOWER;
      c.diag = i & 4 ? QN_UNIT : QN_NONUNIT;
      c.trans = i & 8 ? (dice_below(&d, 2) ? QN_CONJTRANS : QN_TRANS) : QN_NOTRANS;
      check_special(&c, &d);
    }
  }
}

static void trsm_many(void **state) {
  (void)state;
  walk_many(true);
}

static void trmm_many(void **state) {
  (void)state;
  walk_many(false);
}

static void trsm(void **state) {
  (void)state;
  walk(true);
}

static void trmm(void **state) {
  (void)state;
  walk(false);
}

/* ---- gemm ---- */

static void check_gemm(qn_dtype dtype, dice *d, int kind) {
  bool complex = is_complex(dtype);
  int64_t m = 1 + dice_below(d, 70), n = 1 + dice_below(d, 70), k = 1 + dice_below(d, 300);
  wide a = tame(d, m, k, complex, 1.0), b = tame(d, k, n, complex, 1.0);
  wide c = tame(d, m, n, complex, 1.0);
  double value = kind % 3 == 0 ? NAN : kind % 3 == 1 ? INFINITY : -INFINITY;
  wide target = kind / 3 == 0 ? a : kind / 3 == 1 ? b : c;
  plant(target, dice_below(d, target.rows), dice_below(d, target.cols), value);
  frame fa = frame_new(dtype, m, k, 3), fb = frame_new(dtype, k, n, 3),
        fc = frame_new(dtype, m, n, 3);
  frame_put(&fa, a);
  frame_put(&fb, b);
  frame_put(&fc, c);
  ok(qn_gemm(the_stream(), QN_NOTRANS, QN_NOTRANS, qn_real(-0.5), fa.view, fb.view, qn_real(2.0),
             fc.view));
  wide got = frame_get(&fc);
  wide_sum product = wide_product(WIDE_FULL, a, b);
  for (int64_t i = 0; i < m * n; i++) {
    c.re[i] = (double)(2.0L * c.re[i] - 0.5L * product.re[i]);
    if (complex) c.im[i] = (double)(2.0L * c.im[i] - 0.5L * product.im[i]);
  }
  compare(got, c, qn_dtype_name(dtype));
  wide_sum_free(&product);
  frame_free(&fa);
  frame_free(&fb);
  frame_free(&fc);
  wide_free(&a);
  wide_free(&b);
  wide_free(&c);
  wide_free(&got);
}

static void gemm(void **state) {
  (void)state;
  dice d = new_dice();
  for (int t = 0; t < DTYPES; t++) {
    if (!device_has(dtypes[t])) continue;
    for (int i = 0; i < 90; i++) check_gemm(dtypes[t], &d, i % 9);
  }
}

int main(void) {
  skip_unless_cpu();
  const struct CMUnitTest tests[] = {cmocka_unit_test(trsm), cmocka_unit_test(trmm),
                                     cmocka_unit_test(trsm_many), cmocka_unit_test(trmm_many),
                                     cmocka_unit_test(gemm)};
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
