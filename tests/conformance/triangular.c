/* Cases of trsm and trmm. A case on the right is judged as the transposed one on the left:
 *   X op(A) = alpha B   is   op(A)^T X^T = alpha B^T */
#include "conformance/triangular.h"
#include <math.h>
#include <string.h>

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}
static bool is_half(qn_dtype t) {
  return t == QN_F16 || t == QN_BF16;
}

static void tell(const tri_case *c, qn_scalar alpha) {
  now_testing("%s %c%c%c%c %s n=%lld nrhs=%lld gap=%lld alpha=(%g,%g)", qn_dtype_name(c->dtype),
              c->side, c->uplo, c->trans, c->diag, c->family->name, (long long)c->n,
              (long long)c->nrhs, (long long)c->gap, alpha.re, alpha.im);
}

static void fail_case(const char *what, double value, double bound) {
  fail_about("%s is %g, allowed %g", what, value, bound);
}

/* The operands of a case on the device, and what the judges need of them. */
typedef struct operands {
  frame a, b;
  qn_scalar alpha;
  wide triangle;    /* T, on the left */
  wide_shape shape; /* which elements of T there are */
  wide b0, b1;      /* B before and after, turned to the left; sampled columns only */
} operands;

typedef qn_status (*routine)(qn_stream *, qn_side, qn_uplo, qn_trans, qn_diag, qn_scalar, qn_matrix,
                             qn_matrix);

static wide turned(const tri_case *c, wide b) {
  return wide_op(b, c->side == QN_LEFT ? QN_NOTRANS : QN_TRANS);
}

/* op(A), or its transpose for a case on the right. */
static wide left_triangle(const tri_case *c, wide a, wide_shape *shape) {
  wide t = wide_triangle(a, c->uplo, c->trans, c->diag);
  *shape = wide_shape_of(c->uplo, c->trans);
  if (c->side == QN_LEFT) return t;
  wide turned = wide_op(t, QN_TRANS);
  wide_free(&t);
  *shape = *shape == WIDE_LOWER ? WIDE_UPPER : WIDE_LOWER;
  return turned;
}

static wide scaled_random(dice *d, int64_t rows, int64_t cols, bool complex, int exponent) {
  wide m = random_matrix(d, rows, cols, complex);
  for (int64_t i = 0; i < rows * cols; i++) {
    m.re[i] = ldexp(m.re[i], exponent);
    if (complex) m.im[i] = ldexp(m.im[i], exponent);
  }
  return m;
}

static operands run(const tri_case *c, dice *d, int rhs_exponent, routine call) {
  operands o = {0};
  int64_t m = c->side == QN_LEFT ? c->n : c->nrhs, n = c->side == QN_LEFT ? c->nrhs : c->n;
  wide a = family_stored(c->lower, c->uplo, c->diag);
  wide b = scaled_random(d, m, n, is_complex(c->dtype), rhs_exponent);
  o.alpha = some_scalar(d, c->dtype);
  o.a = frame_new(c->dtype, c->n, c->n, c->gap);
  o.b = frame_new(c->dtype, m, n, c->gap);
  frame_put(&o.a, a);
  frame_put(&o.b, b);
  tell(c, o.alpha);
  ok(call(the_stream(), c->side, c->uplo, c->trans, c->diag, o.alpha, o.a.view, o.b.view));
  wide x = frame_get(&o.b);
  frame_assert_same(&o.a);

  o.triangle = left_triangle(c, a, &o.shape);
  int64_t columns[SAMPLED], count = sample_columns(d, c->nrhs, columns);
  wide b0 = turned(c, b), b1 = turned(c, x);
  o.b0 = wide_columns(b0, columns, count);
  o.b1 = wide_columns(b1, columns, count);
  wide_free(&b0);
  wide_free(&b1);
  wide_free(&a);
  wide_free(&b);
  wide_free(&x);
  return o;
}

static void operands_free(operands *o) {
  frame_free(&o->a);
  frame_free(&o->b);
  wide_free(&o->triangle);
  wide_free(&o->b0);
  wide_free(&o->b1);
}

/* |alpha b - y| at one element. */
static double distance(qn_scalar alpha, wide b, wide_sum y, int64_t at) {
  long double br = b.re[at], bi = b.im ? b.im[at] : 0.0L;
  long double re = alpha.re * br - alpha.im * bi, im = alpha.re * bi + alpha.im * br;
  return (double)hypotl(re - y.re[at], im - (y.im ? y.im[at] : 0.0L));
}

/* What rounding below the normal range may add to one element: half a unit of the smallest number
 * for each of n + 2 operations, twice that in complex ones; and as much in what `factor` (the
 * diagonal of a solve, alpha of a product) multiplies afterwards. */
static double underflow(const tri_case *c, double factor) {
  double operations = ((double)c->n + 2.0) * (is_complex(c->dtype) ? 2.0 : 1.0);
  return smallest(c->dtype) * operations * (1.0 + factor);
}

static long double norm1(wide magnitudes) {
  long double norm = 0.0L;
  for (int64_t j = 0; j < magnitudes.cols; j++) {
    long double sum = 0.0L;
    for (int64_t i = 0; i < magnitudes.rows; i++) sum += magnitudes.re[i + j * magnitudes.rows];
    if (sum > norm) norm = sum;
  }
  return norm;
}

/* ---- solve: residuals by column and by element ---- */

void check_solve(const tri_case *c, dice *d) {
  operands o = run(c, d, c->family->rhs_exponent(c->dtype), judged_trsm);
  wide t = wide_abs(o.triangle), x = wide_abs(o.b1);
  wide_sum product = wide_product(o.shape, o.triangle, o.b1);
  wide_sum magnitude = wide_product(o.shape, t, x);
  double u = roundoff(c->dtype);
  double normwise = 30.0, elementwise = 16.0 + 2.0 * sqrt((double)c->n);
  long double norm = norm1(t);

  for (int64_t j = 0; j < o.b1.cols; j++) {
    long double residual = 0.0L, slack = 0.0L, x_norm = 0.0L;
    for (int64_t i = 0; i < c->n; i++) {
      int64_t at = i + j * c->n;
      double r = distance(o.alpha, o.b0, product, at);
      double floor = underflow(c, t.re[i + i * c->n]);
      double units = fmax(r - floor, 0.0) / (u * (double)magnitude.re[at]);
      if (r <= floor) units = 0.0;
      if (!score("trsm", c->dtype, c->family->name, "element", units, elementwise))
        fail_case("the residual of an element, in u", units, elementwise);
      residual += r;
      slack += floor;
      x_norm += x.re[at];
    }
    double units = (double)(fmaxl(residual - slack, 0.0L) / ((long double)u * norm * x_norm));
    if (residual <= slack) units = 0.0;
    if (!score("trsm", c->dtype, c->family->name, "column", units, normwise))
      fail_case("the residual of a column, in u", units, normwise);
  }
  wide_sum_free(&product);
  wide_sum_free(&magnitude);
  wide_free(&t);
  wide_free(&x);
  operands_free(&o);
}

/* ---- multiply: the error against the wide product ---- */

static void judge_product(const tri_case *c, dice *d, routine call) {
  operands o = run(c, d, 0, call);
  wide t = wide_abs(o.triangle), b = wide_abs(o.b0);
  wide_sum product = wide_product(o.shape, o.triangle, o.b0);
  wide_sum magnitude = wide_product(o.shape, t, b);
  double u = roundoff(c->dtype), k = (double)c->n;
  double alpha = hypot(o.alpha.re, o.alpha.im);
  double bound = k <= 64 ? k + 2.0 : 8.0 + 2.0 * sqrt(k);
  if (is_complex(c->dtype)) bound *= 2.0 * sqrt(2.0);

  for (int64_t at = 0; at < c->n * o.b1.cols; at++) {
    long double pr = product.re[at], pi = product.im ? product.im[at] : 0.0L;
    long double re = o.alpha.re * pr - o.alpha.im * pi, im = o.alpha.re * pi + o.alpha.im * pr;
    double error = (double)hypotl(o.b1.re[at] - re, (o.b1.im ? o.b1.im[at] : 0.0L) - im);
    double g = alpha * (double)magnitude.re[at], floor = underflow(c, alpha);
    double used, limit = bound;
    if (is_half(c->dtype)) { /* one rounding of the result, and f32 before */
      used = error / (u * hypot((double)re, (double)im) + 0x1p-22 * (k / 16.0 + 4.0) * g + floor);
      limit = 1.0;
    } else {
      used = error <= floor ? 0.0 : (error - floor) / (u * g);
    }
    if (!score("trmm", c->dtype, c->family->name, "element", used, limit))
      fail_case("the error of an element, in u", used, limit);
  }
  wide_sum_free(&product);
  wide_sum_free(&magnitude);
  wide_free(&t);
  wide_free(&b);
  operands_free(&o);
}

/* Out of place, into columns without gaps that no one has written, and back. */
static qn_status multiply_to(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans,
                             qn_diag diag, qn_scalar alpha, qn_matrix a, qn_matrix b) {
  qn_matrix c;
  ok(qn_matrix_alloc(qn_stream_device(stream), b.dtype, b.rows, b.cols, &c));
  ok(qn_fill(stream, c.buffer, 0, qn_buffer_size(c.buffer) / 4 * 4, UINT32_MAX, 4));
  ok(qn_trmm_to(stream, side, uplo, trans, diag, alpha, a, b, c));
  const qn_status status = qn_matrix_copy(stream, QN_NOTRANS, c, b);
  qn_buffer_free(c.buffer);
  return status;
}

void check_multiply(const tri_case *c, dice *d) {
  judge_product(c, d, judged_trmm);
  if (dice_below(d, 3) == 0 && !peer_judged()) judge_product(c, d, multiply_to);
}

/* ---- the grid ---- */

typedef void (*check_fn)(const tri_case *c, dice *d);

/* Combination `index` of side, uplo and trans: 8, or 12 for complex types. */
static void combine(tri_case *c, int index) {
  static const qn_trans trans[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  c->side = index & 1 ? QN_RIGHT : QN_LEFT;
  c->uplo = index & 2 ? QN_UPPER : QN_LOWER;
  c->trans = trans[index / 4];
}

static int combinations(qn_dtype dtype) {
  return is_complex(dtype) ? 12 : 8;
}

static void walk_combinations(tri_case c, dice *d, check_fn check) {
  for (int index = 0; index < combinations(c.dtype); index++) {
    combine(&c, index);
    if (case_drawn(d)) check(&c, d);
  }
}

/* All combinations, few right-hand sides. */
static void walk_small(tri_case c, dice *d, check_fn check) {
  for (int j = 0; small_nrhs[j]; j++) {
    c.nrhs = small_nrhs[j];
    c.gap = (c.n + j) % 3 == 0 ? 0 : 5;
    walk_combinations(c, d, check);
  }
}

/* All numbers of right-hand sides: every combination, or one drawn for one in `odds`. */
static void walk_large(tri_case c, dice *d, int odds, check_fn check) {
  for (int j = 0; large_nrhs[j]; j++) {
    c.nrhs = large_nrhs[j] < 0 ? c.n : large_nrhs[j];
    c.gap = j % 2 ? 0 : 5;
    if (full_grid()) {
      walk_combinations(c, d, check);
    } else if (dice_below(d, odds) == 0 && case_drawn(d)) {
      combine(&c, (int)dice_below(d, combinations(c.dtype)));
      check(&c, d);
    }
  }
}

static void walk_orders(tri_case c, dice *d, const int64_t *orders, check_fn check) {
  bool small = orders == small_orders;
  for (int i = 0; orders[i]; i++) {
    c.n = orders[i];
    if (!c.family->fits(c.n, c.dtype)) continue;
    if (!order_drawn(d, c.n)) continue;
    for (int unit = 0; unit < 2; unit++) {
      c.diag = unit ? QN_UNIT : QN_NONUNIT;
      c.lower = family_triangle(c.family, d, c.n, c.dtype, c.diag);
      if (small) walk_small(c, d, check);
      walk_large(c, d, small ? 8 : 4, check);
      wide_free(&c.lower);
    }
  }
}

void walk_grid(qn_dtype dtype, const family *list, int count, check_fn check) {
  skip_without(dtype);
  dice d = new_dice();
  for (int f = 0; f < count; f++) {
    tri_case c = {.dtype = dtype, .family = list + f};
    walk_orders(c, &d, small_orders, check);
    walk_orders(c, &d, large_orders, check);
  }
}
