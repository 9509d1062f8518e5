/* qn_gemm by ACCURACY.md: all small shapes, then drawn ones of every family. */
#include "conformance/harness.h"
#include <math.h>

typedef struct gemm_case {
  qn_dtype dtype, ctype;
  qn_trans transa, transb;
  int64_t m, n, k, gap;
  int family;
  bool stored; /* beta is 0: C is written, not read */
} gemm_case;

/* ---- families ---- */

enum { UNIFORM, NORMAL, POSITIVE, WILD, SCALED, DENORMAL, FAMILIES };
static const char *const family_names[FAMILIES] = {"uniform",      "normal", "positive",
                                                   "exp(4 randn)", "scaled", "denormal"};

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}
static bool is_half(qn_dtype t) {
  return t == QN_F16 || t == QN_BF16;
}

static bool family_fits(int family, qn_dtype dtype) {
  if (dtype == QN_F16) return family <= POSITIVE; /* the others leave its range */
  return !(dtype == QN_BF16 && family == DENORMAL);
}

static double draw(dice *d, int family) {
  switch (family) {
  case UNIFORM:
  case DENORMAL:
    return dice_uniform(d);
  case POSITIVE:
    return 0.5 + 0.5 * dice_uniform(d);
  case WILD:
    return (dice_uniform(d) < 0 ? -1.0 : 1.0) * exp(4.0 * dice_normal(d));
  default:
    return dice_normal(d);
  }
}

/* `outer_rows`: the rows (else the columns) are what is graded in the scaled family: never the
 * index that is summed over. */
static wide operand(dice *d, const gemm_case *c, int64_t rows, int64_t cols, bool outer_rows) {
  bool wide_range = c->dtype == QN_F64 || c->dtype == QN_C128;
  int reach = wide_range ? 60 : 20, denormal = wide_range ? -520 : -66;
  wide x = wide_new(rows, cols, is_complex(c->dtype));
  int64_t outer = outer_rows ? rows : cols;
  int *grade = calloc((size_t)outer + 1, sizeof *grade);
  assert_non_null(grade);
  for (int64_t i = 0; i < outer; i++) {
    if (c->family == SCALED) grade[i] = (int)dice_below(d, 2 * reach + 1) - reach;
    if (c->family == DENORMAL) grade[i] = denormal;
  }
  for (int64_t j = 0; j < cols; j++) {
    for (int64_t i = 0; i < rows; i++) {
      int e = grade[outer_rows ? i : j];
      x.re[i + j * rows] = ldexp(draw(d, c->family), e);
      if (x.im) x.im[i + j * rows] = ldexp(draw(d, c->family), e);
    }
  }
  free(grade);
  return x;
}

/* C on the scale of the product of the denormal family, else plain. */
static wide addend(dice *d, const gemm_case *c) {
  wide x = random_matrix(d, c->m, c->n, is_complex(c->dtype));
  int e = c->family != DENORMAL ? 0 : c->dtype == QN_F64 || c->dtype == QN_C128 ? -1040 : -132;
  for (int64_t i = 0; i < c->m * c->n; i++) {
    x.re[i] = ldexp(x.re[i], e);
    if (x.im) x.im[i] = ldexp(x.im[i], e);
  }
  return x;
}

/* ---- one case ---- */

typedef struct judgement {
  double worst, squares, count; /* of E / G in u */
} judgement;

static void tell(const gemm_case *c, qn_scalar alpha, qn_scalar beta) {
  now_testing("gemm %s -> %s %c%c %lld x %lld x %lld %s gap=%lld alpha=%g beta=%g",
              qn_dtype_name(c->dtype), qn_dtype_name(c->ctype), c->transa, c->transb,
              (long long)c->m, (long long)c->n, (long long)c->k, family_names[c->family],
              (long long)c->gap, alpha.re, beta.re);
}

static void fail_case(const char *what, double value, double bound) {
  fail_about("%s is %g, allowed %g", what, value, bound);
}

static double bound_of(const gemm_case *c) {
  double k = (double)c->k;
  if (is_half(c->dtype)) return 1.0;
  double bound = c->k <= 64 ? k + 2.0 : 8.0 + 2.0 * sqrt(k);
  return is_complex(c->dtype) ? bound * 2.0 * sqrt(2.0) : bound;
}

/* What rounding below the normal range may add: half a unit of the smallest number for each of k +
 * 2 operations, twice that in complex ones, and as much in what alpha and beta multiply. */
static double underflow(const gemm_case *c, double factors) {
  double operations = ((double)c->k + 2.0) * (is_complex(c->dtype) ? 2.0 : 1.0);
  return smallest(c->ctype) * operations * (1.0 + factors);
}

/* The part of the bound that one element uses: of u G, or of the bound of the halves itself. */
static double used(const gemm_case *c, double error, double magnitude, double g, double floor) {
  double k = (double)c->k;
  if (is_half(c->dtype))
    return error / (roundoff(c->ctype) * magnitude + 0x1p-22 * (k / 16.0 + 4.0) * g + floor);
  return error <= floor ? 0.0 : (error - floor) / (roundoff(c->dtype) * g);
}

static void judge_element(const gemm_case *c, double value, judgement *j) {
  double bound = bound_of(c);
  if (!score("gemm", c->dtype, family_names[c->family], "element", value, bound))
    fail_case("the error of an element, in u", value, bound);
  j->squares += value * value;
  j->count += 1.0;
}

static void judge(const gemm_case *c, dice *d, wide a, wide b, wide c0, wide c1, qn_scalar alpha,
                  qn_scalar beta) {
  int64_t columns[SAMPLED], count = sample_columns(d, c->n, columns);
  wide op_a = wide_op(a, c->transa), all = wide_op(b, c->transb);
  wide op_b = wide_columns(all, columns, count), abs_a = wide_abs(op_a), abs_b = wide_abs(op_b);
  wide_sum product = wide_product(WIDE_FULL, op_a, op_b);
  wide_sum magnitude = wide_product(WIDE_FULL, abs_a, abs_b);
  judgement j = {0};
  for (int64_t s = 0; s < count; s++) {
    for (int64_t i = 0; i < c->m; i++) {
      int64_t at = i + s * c->m, in_c = i + columns[s] * c->m;
      long double pr = product.re[at], pi = product.im ? product.im[at] : 0.0L;
      long double cr = c0.re[in_c], ci = c0.im ? c0.im[in_c] : 0.0L;
      long double re = alpha.re * pr - alpha.im * pi + beta.re * cr - beta.im * ci;
      long double im = alpha.re * pi + alpha.im * pr + beta.re * ci + beta.im * cr;
      double error = (double)hypotl(c1.re[in_c] - re, (c1.im ? c1.im[in_c] : 0.0L) - im);
      double abs_alpha = hypot(alpha.re, alpha.im), abs_beta = hypot(beta.re, beta.im);
      double g = (double)(abs_alpha * magnitude.re[at] + abs_beta * hypotl(cr, ci));
      double floor = underflow(c, abs_alpha + abs_beta);
      judge_element(c, used(c, error, (double)hypotl(re, im), g, floor), &j);
    }
  }
  if (c->family <= NORMAL && !is_half(c->dtype) && j.count >= 100.0) {
    double rms = sqrt(j.squares / j.count), bound = is_complex(c->dtype) ? 1.5 * sqrt(8.0) : 1.5;
    if (!score("gemm", c->dtype, family_names[c->family], "rms", rms, bound))
      fail_case("the rms error, in u", rms, bound);
  }
  wide_sum_free(&product);
  wide_sum_free(&magnitude);
  wide_free(&op_a);
  wide_free(&op_b);
  wide_free(&all);
  wide_free(&abs_a);
  wide_free(&abs_b);
}

static void check(const gemm_case *c, dice *d) {
  bool ta = c->transa != QN_NOTRANS, tb = c->transb != QN_NOTRANS;
  wide a = operand(d, c, ta ? c->k : c->m, ta ? c->m : c->k, !ta);
  wide b = operand(d, c, tb ? c->n : c->k, tb ? c->k : c->n, tb);
  wide c0 = addend(d, c);
  frame fa = frame_new(c->dtype, a.rows, a.cols, c->gap);
  frame fb = frame_new(c->dtype, b.rows, b.cols, c->gap);
  frame fc = frame_new(c->ctype, c->m, c->n, c->gap);
  frame_put(&fa, a);
  frame_put(&fb, b);
  frame_put(&fc, c0);
  qn_scalar alpha = some_scalar(d, c->dtype), beta = some_scalar(d, c->dtype);
  if (dice_below(d, 4) == 0 || c->stored) beta = qn_real(0.0);
  tell(c, alpha, beta);
  qn_status status =
      judged_gemm(the_stream(), c->transa, c->transb, alpha, fa.view, fb.view, beta, fc.view);
  const bool declined = status == QN_EUNSUPPORTED && variant_forced();
  if (!declined) ok(status);
  wide c1 = frame_get(&fc);
  frame_assert_same(&fa);
  frame_assert_same(&fb);
  if (!declined) judge(c, d, a, b, c0, c1, alpha, beta);
  frame_free(&fa);
  frame_free(&fb);
  frame_free(&fc);
  wide_free(&a);
  wide_free(&b);
  wide_free(&c0);
  wide_free(&c1);
}

/* ---- the walks ---- */

static void walk_trans(gemm_case c, dice *d) {
  static const qn_trans trans[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  int count = is_complex(c.dtype) ? 3 : 2;
  for (int i = 0; i < count * count; i++) {
    c.transa = trans[i % count];
    c.transb = trans[i / count];
    if (case_drawn(d)) check(&c, d);
  }
}

static const int64_t gaps[] = {0, 5, GAP_ALIGNED};

static void small_shapes(qn_dtype dtype, qn_dtype ctype, dice *d) {
  static const int64_t sizes[] = {1, 2, 7, 16, 33, 65};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  for (int i = 0; i < SIZES * SIZES * SIZES; i++) {
    gemm_case c = {.dtype = dtype,
                   .ctype = ctype,
                   .family = UNIFORM,
                   .gap = gaps[(i + i / SIZES + i / SIZES / SIZES) % 3]};
    c.m = sizes[i % SIZES];
    c.n = sizes[i / SIZES % SIZES];
    c.k = sizes[i / SIZES / SIZES];
    walk_trans(c, d);
  }
}

/* C ends soon behind the first rows of a tile, whose columns are stored whole: those that store a
 * tile in pieces have some with nothing in them. */
static void few_rows(qn_dtype dtype, qn_dtype ctype, dice *d) {
  static const int64_t rows[] = {8, 32, 96, 160}, inner[] = {2, 70};
  for (int i = 0; i < 4 * 2 * 4; i++) {
    gemm_case c = {.dtype = dtype, .ctype = ctype, .gap = GAP_ALIGNED, .stored = true};
    c.m = rows[i % 4];
    c.n = 300;
    c.k = inner[i / 4 % 2];
    c.transa = i & 8 ? QN_TRANS : QN_NOTRANS;
    c.transb = i & 16 ? QN_TRANS : QN_NOTRANS;
    check(&c, d);
  }
}

static int64_t any_order(dice *d, bool large) {
  if (large && dice_below(d, 3) == 0) return large_orders[dice_below(d, 3)];
  return small_orders[dice_below(d, 11)];
}

static void drawn_shapes(qn_dtype dtype, qn_dtype ctype, dice *d) {
  for (int family = 0; family < FAMILIES; family++) {
    if (!family_fits(family, dtype)) continue;
    for (int i = 0; i < (full_grid() ? 60 : 5); i++) {
      gemm_case c = {.dtype = dtype, .ctype = ctype, .family = family, .gap = gaps[i % 3]};
      bool large = i == 0 || full_grid();
      c.m = any_order(d, large);
      c.n = any_order(d, large);
      c.k = any_order(d, true);
      walk_trans(c, d);
    }
  }
}

static void grid(void **state) {
  const qn_dtype *types = *state;
  skip_without(types[0]);
  dice d = new_dice();
  small_shapes(types[0], types[1], &d);
  few_rows(types[0], types[1], &d);
  drawn_shapes(types[0], types[1], &d);
}

int main(void) {
  skip_unless_cpu();
  static qn_dtype types[][2] = {{QN_F32, QN_F32},   {QN_F64, QN_F64}, {QN_C64, QN_C64},
                                {QN_C128, QN_C128}, {QN_F16, QN_F16}, {QN_F16, QN_F32},
                                {QN_BF16, QN_BF16}, {QN_BF16, QN_F32}};
  const struct CMUnitTest tests[] = {
      {"gemm f32", grid, NULL, NULL, types[0]},  {"gemm f64", grid, NULL, NULL, types[1]},
      {"gemm c64", grid, NULL, NULL, types[2]},  {"gemm c128", grid, NULL, NULL, types[3]},
      {"gemm f16", grid, NULL, NULL, types[4]},  {"gemm f16 to f32", grid, NULL, NULL, types[5]},
      {"gemm bf16", grid, NULL, NULL, types[6]}, {"gemm bf16 to f32", grid, NULL, NULL, types[7]},
  };
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
