/* qn_trsm over ACCURACY.md's grid, and X that falls off. */
#include "conformance/triangular.h"
#include <math.h>

static void grid(void **state) {
  walk_grid(*(const qn_dtype *)*state, families, family_count, check_solve);
}

/* ---- X that falls off ---- */

/* Columns of T fall off by powers of two away from the diagonal, and so does X: norm(|V| |T|) of
 * the inverse V is small, yet what V makes up such an X of is far larger than it. All is exact in
 * f32, where one substitutes. */
enum { ORDER = 448, BEGINS = 288, FALLS = 45, STEP = 2 };

/* The number of unknown i in the order of solution. */
static int64_t turn(int64_t i, bool lower) {
  return lower ? i : ORDER - 1 - i;
}

static int falls(int64_t turn) {
  return turn > BEGINS && turn < BEGINS + FALLS ? STEP * (int)(turn - BEGINS) : 0;
}

static wide falling_triangle(dice *d, bool lower) {
  wide t = wide_new(ORDER, ORDER, false);
  for (int64_t j = 0; j < ORDER; j++)
    for (int64_t i = 0; i < ORDER; i++) {
      const int64_t row = turn(i, lower), column = turn(j, lower);
      const bool falling = column >= BEGINS && row > column && row < BEGINS + FALLS;
      t.re[i + j * ORDER] = i == j ? 1.0
                            : falling
                                ? -ldexp(1.0 + (double)dice_below(d, 8), falls(column) - falls(row))
                                : 0.0;
    }
  return t;
}

static wide falling_solution(dice *d, int64_t nrhs, bool lower) {
  wide x = wide_new(ORDER, nrhs, false);
  for (int64_t e = 0; e < ORDER * nrhs; e++) {
    const double sign = dice_below(d, 2) ? 1.0 : -1.0;
    x.re[e] = ldexp(sign * (1.0 + (double)dice_below(d, 3)), -falls(turn(e % ORDER, lower)));
  }
  return x;
}

static void judge_elements(wide t, wide b, wide x, qn_dtype dtype) {
  const double bound = 16.0 + 2.0 * sqrt(ORDER);
  for (int64_t e = 0; e < ORDER * x.cols; e++) {
    const int64_t i = e % ORDER, first = e - i;
    long double rest = b.re[e], size = 0.0L;
    for (int64_t j = 0; j < ORDER; j++) {
      const long double part = (long double)t.re[i + j * ORDER] * x.re[first + j];
      rest -= part;
      size += fabsl(part);
    }
    const double units = rest == 0 ? 0.0 : (double)(fabsl(rest) / size) / roundoff(dtype);
    if (!score("trsm", dtype, "falling", "element", units, bound))
      fail_about("the residual of an element, in u, is %g, allowed %g", units, bound);
  }
}

static void check_falling(dice *d, qn_dtype dtype, bool lower, qn_side side, qn_trans trans,
                          int64_t nrhs) {
  const bool left = side == QN_LEFT, as_stored = left == (trans == QN_NOTRANS);
  const qn_uplo uplo = lower == as_stored ? QN_LOWER : QN_UPPER;
  wide t = falling_triangle(d, lower), x = falling_solution(d, nrhs, lower);
  wide_sum product = wide_product(lower ? WIDE_LOWER : WIDE_UPPER, t, x);
  wide a = wide_op(t, as_stored ? QN_NOTRANS : QN_TRANS), b = wide_new(ORDER, nrhs, false);
  for (int64_t e = 0; e < ORDER * nrhs; e++) b.re[e] = (double)product.re[e];
  wide turned = wide_op(b, left ? QN_NOTRANS : QN_TRANS);
  poison_triangle(a, uplo, QN_UNIT);
  frame fa = frame_new(dtype, ORDER, ORDER, 4), fb = frame_new(dtype, turned.rows, turned.cols, 4);
  frame_put(&fa, a);
  frame_put(&fb, turned);
  now_testing("%s %c%c%cU falling nrhs=%lld", qn_dtype_name(dtype), side, uplo, trans,
              (long long)nrhs);
  ok(judged_trsm(the_stream(), side, uplo, trans, QN_UNIT, qn_real(1.0), fa.view, fb.view));
  wide got = frame_get(&fb), solved = wide_op(got, left ? QN_NOTRANS : QN_TRANS);
  judge_elements(t, b, solved, dtype);
  wide all[] = {t, x, a, b, turned, got, solved};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) wide_free(&all[i]);
  wide_sum_free(&product);
  frame_free(&fa);
  frame_free(&fb);
}

static void falling(void **state) {
  const qn_dtype dtype = *(const qn_dtype *)*state;
  static const int64_t nrhs[] = {1, 4, 65};
  skip_without(dtype);
  dice d = new_dice();
  for (int c = 0; c < 8; c++)
    for (int r = 0; r < 3; r++)
      check_falling(&d, dtype, c & 1, c & 2 ? QN_RIGHT : QN_LEFT, c & 4 ? QN_TRANS : QN_NOTRANS,
                    nrhs[r]);
}

int main(void) {
  skip_unless_cpu();
  static qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128, QN_F16, QN_BF16};
  const struct CMUnitTest tests[] = {
      {"trsm f32", grid, NULL, NULL, dtypes},
      {"trsm f64", grid, NULL, NULL, dtypes + 1},
      {"trsm c64", grid, NULL, NULL, dtypes + 2},
      {"trsm c128", grid, NULL, NULL, dtypes + 3},
      {"trsm f16", grid, NULL, NULL, dtypes + 4},
      {"trsm bf16", grid, NULL, NULL, dtypes + 5},
      {"falling f32", falling, NULL, NULL, dtypes},
      {"falling f64", falling, NULL, NULL, dtypes + 1},
  };
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
