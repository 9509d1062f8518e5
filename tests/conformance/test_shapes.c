/* A thousand shapes at random, up to 3000 and of any side, triangle, transpose, leading dimension
 * and place in memory: gemm, trmm, trsm and potrf on the device under test against the cpu.
 *
 * Both sides' errors are within the bounds of ACCURACY.md for the data at hand, whose largest
 * element is 1, so the two may differ by twice that. A device that is the cpu is held against
 * itself in other blocks. */
#include "conformance/harness.h"
#include <math.h>

enum { SHAPES = 1000, LONGEST = 3000 };
static const double work_most = 5e8; /* multiply-adds of a case */

typedef enum routine { GEMM, TRMM, TRSM, POTRF, ROUTINES } routine;
static const char *const names[ROUTINES] = {"gemm", "trmm", "trsm", "potrf"};

typedef struct shape_case {
  routine routine;
  qn_dtype dtype;
  int64_t m, n, k; /* k: of gemm, and the order of a triangle */
  qn_side side;
  qn_uplo uplo;
  qn_trans transa, transb;
  qn_diag diag;
  qn_scalar alpha, beta;
} shape_case;

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}

/* As often between 1 and 10 as between 100 and 1000. */
static int64_t some_length(dice *d) {
  return (int64_t)exp(log(LONGEST) * (0.5 + 0.5 * dice_uniform(d)));
}

static int64_t some_gap(dice *d) {
  static const int64_t gaps[] = {0, 1, 2, 5, 8, 33, GAP_ALIGNED};
  return gaps[dice_below(d, (int64_t)(sizeof gaps / sizeof *gaps))];
}

static double work_of(const shape_case *c) {
  return (double)c->m * (double)c->n * (double)c->k * (is_complex(c->dtype) ? 4.0 : 1.0);
}

static shape_case some_case(dice *d, qn_dtype dtype) {
  static const qn_trans trans[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  shape_case c = {.dtype = dtype};
  do {
    c.routine = (routine)dice_below(d, ROUTINES);
    c.m = some_length(d);
    c.n = c.routine == POTRF ? c.m : some_length(d);
    c.k = some_length(d);
    c.side = dice_below(d, 2) ? QN_RIGHT : QN_LEFT;
    if (c.routine == TRMM || c.routine == TRSM) c.k = c.side == QN_LEFT ? c.m : c.n;
    if (c.routine == POTRF) c.k = c.m;
  } while (work_of(&c) > work_most);
  c.uplo = dice_below(d, 2) ? QN_UPPER : QN_LOWER;
  c.transa = trans[dice_below(d, 3)];
  c.transb = trans[dice_below(d, 3)];
  c.diag = dice_below(d, 4) ? QN_NONUNIT : QN_UNIT;
  c.alpha = some_scalar(d, dtype);
  c.beta = dice_below(d, 3) ? some_scalar(d, dtype) : qn_real(0.0);
  return c;
}

static void tell(const shape_case *c, int64_t gap_a, int64_t gap_c) {
  now_testing("%s %s m=%lld n=%lld k=%lld %c%c%c%c%c alpha=(%g,%g) beta=(%g,%g) gaps %lld %lld",
              names[c->routine], qn_dtype_name(c->dtype), (long long)c->m, (long long)c->n,
              (long long)c->k, c->side, c->uplo, c->transa, c->transb, c->diag, c->alpha.re,
              c->alpha.im, c->beta.re, c->beta.im, (long long)gap_a, (long long)gap_c);
}

/* ---- operands ---- */

/* Elements of at most 1 off the diagonal, and a diagonal that keeps solutions and pivots tame. */
static wide some_triangle(dice *d, int64_t n, qn_dtype dtype, double scale, double diagonal) {
  wide a = random_matrix(d, n, n, is_complex(dtype));
  for (int64_t i = 0; i < n * n; i++) {
    a.re[i] *= scale;
    if (a.im) a.im[i] *= scale;
  }
  for (int64_t i = 0; i < n; i++) {
    a.re[i + i * n] = diagonal * (1.0 + 0.25 * dice_uniform(d));
    if (a.im) a.im[i + i * n] = 0.0;
  }
  return a;
}

typedef struct operands {
  wide a, b, c; /* as they are stored; c is what is overwritten */
} operands;

static operands make(const shape_case *c, dice *d) {
  operands o = {{0}, {0}, {0}};
  const bool complex = is_complex(c->dtype);
  const double order = (double)c->k;
  if (c->routine == POTRF) {
    o.c = some_triangle(d, c->n, c->dtype, 1.0, 4.0 * sqrt(order) + 2.0);
    poison_triangle(o.c, c->uplo, QN_NONUNIT);
    return o;
  }
  o.c = random_matrix(d, c->m, c->n, complex);
  if (c->routine == GEMM) {
    const bool ta = c->transa != QN_NOTRANS, tb = c->transb != QN_NOTRANS;
    o.a = random_matrix(d, ta ? c->k : c->m, ta ? c->m : c->k, complex);
    o.b = random_matrix(d, tb ? c->n : c->k, tb ? c->k : c->n, complex);
  } else {
    o.a = some_triangle(d, c->k, c->dtype, 1.0 / (2.0 * sqrt(order)), 1.0);
    poison_triangle(o.a, c->uplo, c->diag);
  }
  return o;
}

static void operands_free(operands *o) {
  wide_free(&o->a);
  wide_free(&o->b);
  wide_free(&o->c);
}

static qn_status call(qn_stream *s, const shape_case *c, qn_matrix a, qn_matrix b, qn_matrix to) {
  switch (c->routine) {
  case GEMM:
    return qn_gemm(s, c->transa, c->transb, c->alpha, a, b, c->beta, to);
  case TRMM:
    return qn_trmm(s, c->side, c->uplo, c->transa, c->diag, c->alpha, a, to);
  case TRSM:
    return qn_trsm(s, c->side, c->uplo, c->transa, c->diag, c->alpha, a, to);
  default:
    return qn_potrf(s, c->uplo, to, NULL);
  }
}

/* ---- the two sides ---- */

static wide on_device(const shape_case *c, operands *o, dice *d) {
  const int64_t gap_a = some_gap(d), gap_b = some_gap(d), gap_c = some_gap(d);
  frame a = frame_new(c->dtype, o->a.rows, o->a.cols, gap_a);
  frame b = frame_new(c->dtype, o->b.rows, o->b.cols, gap_b);
  frame to = frame_new(c->dtype, o->c.rows, o->c.cols, gap_c);
  frame_put(&a, o->a);
  frame_put(&b, o->b);
  frame_put(&to, o->c);
  tell(c, gap_a, gap_c);
  ok(call(the_stream(), c, a.view, b.view, to.view));
  wide result = frame_get(&to);
  frame_assert_same(&a);
  frame_assert_same(&b);
  frame_free(&a);
  frame_free(&b);
  frame_free(&to);
  return result;
}

static qn_matrix on_host(qn_device *cpu, qn_dtype dtype, wide m, void **data) {
  const size_t bytes = (size_t)(m.rows * m.cols) * qn_dtype_size(dtype);
  qn_buffer *buffer;
  *data = malloc(bytes + 64);
  assert_non_null(*data);
  wide_store(m, dtype, *data, m.rows);
  ok(qn_buffer_wrap(cpu, *data, bytes + 64, &buffer));
  return qn_matrix_of(buffer, dtype, m.rows, m.cols, m.rows > 0 ? m.rows : 1);
}

static wide on_cpu(qn_device *cpu, qn_stream *s, const shape_case *c, const operands *o) {
  void *data[3];
  qn_matrix a = on_host(cpu, c->dtype, o->a, &data[0]), b = on_host(cpu, c->dtype, o->b, &data[1]);
  qn_matrix to = on_host(cpu, c->dtype, o->c, &data[2]);
  enum { OTHER_BLOCK = 96 };
  ok(qn_device_set_trsm_block(cpu, OTHER_BLOCK));
  ok(qn_device_set_trmm_block(cpu, OTHER_BLOCK));
  ok(call(s, c, a, b, to));
  ok(qn_stream_sync(s));
  ok(qn_device_set_trsm_block(cpu, 0));
  ok(qn_device_set_trmm_block(cpu, 0));
  wide result = wide_load(c->dtype, data[2], o->c.rows, o->c.cols, o->c.rows);
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
  qn_buffer_free(to.buffer);
  for (int i = 0; i < 3; i++) free(data[i]);
  return result;
}

/* What elements may differ by, in u: of products |alpha| |A| |B| + |beta| |C| times the bound; a
 * solution of a triangle whose inverse has norm 2 at most, or nearly, by that of its residual; a
 * factor likewise. */
static double bound_of(const shape_case *c) {
  const double k = (double)c->k, widen = is_complex(c->dtype) ? 4.0 : 1.0;
  const double sum = 8.0 + 2.0 * sqrt(k), alpha = hypot(c->alpha.re, c->alpha.im);
  switch (c->routine) {
  case GEMM:
    return 2.0 * widen * sum * (alpha * k + hypot(c->beta.re, c->beta.im));
  case TRMM:
  case TRSM:
    return 8.0 * widen * sum * alpha * (1.25 + 0.5 * sqrt(k));
  default:
    return 8.0 * widen * sum * (5.0 * sqrt(sqrt(k)) + 2.0);
  }
}

static void compare(const shape_case *c, wide x, wide y) {
  double worst = 0.0;
  for (int64_t j = 0; j < x.cols; j++) {
    for (int64_t i = 0; i < x.rows; i++) {
      const int64_t at = i + j * x.rows;
      if (c->routine == POTRF && (c->uplo == QN_LOWER ? i < j : i > j)) continue;
      const double apart = hypot(x.re[at] - y.re[at], x.im ? x.im[at] - y.im[at] : 0.0);
      if (!(apart <= worst)) worst = apart;
    }
  }
  const double units = worst / roundoff(c->dtype), bound = bound_of(c);
  if (!score(names[c->routine], c->dtype, "any shape", "apart / bound", units / bound, 1.0))
    fail_about("results are %g u apart, allowed %g", units, bound);
}

static void try_case(qn_device *cpu, qn_stream *s, const shape_case *c, dice *d) {
  operands o = make(c, d);
  wide x = on_device(c, &o, d), y = on_cpu(cpu, s, c, &o);
  compare(c, x, y);
  wide_free(&x);
  wide_free(&y);
  operands_free(&o);
}

/* Products of more tiles than a card works on at a time: small ones fill waves and a little more;
 * and one tile behind another, C being written and not read. */
static void many_tiles(qn_device *cpu, qn_stream *s, qn_dtype dtype, dice *d) {
  shape_case c = {.routine = GEMM, .dtype = dtype, .m = 2100, .n = 2176, .k = 1024};
  c.transa = QN_NOTRANS;
  c.transb = QN_TRANS;
  c.alpha = qn_real(-1.0);
  c.beta = qn_real(1.0);
  try_case(cpu, s, &c, d);
  c.m = 2176;
  c.k = 40;
  c.beta = qn_real(0.0);
  for (int i = 0; i < 4; i++) {
    c.transa = i & 1 ? QN_TRANS : QN_NOTRANS;
    c.transb = i & 2 ? QN_TRANS : QN_NOTRANS;
    try_case(cpu, s, &c, d);
  }
}

static void shapes(void **state) {
  const qn_dtype dtype = *(const qn_dtype *)*state;
  skip_without(dtype);
  qn_device *cpu;
  qn_stream *s;
  ok(qn_device_open("cpu", &cpu));
  ok(qn_stream_create(cpu, &s));
  dice d = new_dice();
  d.state += (uint64_t)dtype;
  for (int i = 0; i < SHAPES / 4; i++) {
    const shape_case c = some_case(&d, dtype);
    if (case_drawn(&d)) try_case(cpu, s, &c, &d);
  }
  many_tiles(cpu, s, dtype, &d);
  qn_stream_free(s);
  qn_device_close(cpu);
}

int main(void) {
  skip_unless_cpu();
  static qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128};
  const struct CMUnitTest tests[] = {
      {"shapes f32", shapes, NULL, NULL, dtypes},
      {"shapes f64", shapes, NULL, NULL, dtypes + 1},
      {"shapes c64", shapes, NULL, NULL, dtypes + 2},
      {"shapes c128", shapes, NULL, NULL, dtypes + 3},
  };
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
