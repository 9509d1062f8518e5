/* Products with epilogues on the device under test: every kind of operand, in every dtype, around
 * the edges of blocks and tiles; what alpha, beta and k mean; the bits.
 *
 * The expression is evaluated in long double on the oracle's product and the error judged against
 * the magnitudes of what entered it. */
#include "conformance/harness.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct sizes {
  int64_t m, n, k;
} sizes;

/* The matrices of one product and what the device gets of them. */
typedef struct operands {
  qn_dtype dtype, ctype;
  sizes s;
  wide a, b, c, bias_m, bias_n, residual, x, y, z;
  frame fa, fb, fc, fbias_m, fbias_n, fresidual, fx, fy, fz;
  qn_epilogue_args args;
} operands;

static bool is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}
static bool is_half(qn_dtype t) {
  return t == QN_F16 || t == QN_BF16;
}

static frame placed(dice *d, qn_dtype dtype, int64_t rows, int64_t cols, int64_t gap, wide *m) {
  frame f = frame_new(dtype, rows, cols, gap);
  *m = random_matrix(d, rows, cols, is_complex(dtype));
  frame_put(&f, *m);
  return f;
}

/* residual, x and bias_n are f32 beside halves every other time; a bias lies along a row sometimes.
 */
static void make(operands *o, dice *d, qn_dtype dtype, qn_dtype ctype, sizes s) {
  qn_dtype other = is_half(dtype) && dice_below(d, 2) ? QN_F32 : dtype;
  bool lying = dice_below(d, 2);
  *o = (operands){.dtype = dtype, .ctype = ctype, .s = s};
  o->fa = placed(d, dtype, s.m, s.k, 2, &o->a);
  o->fb = placed(d, dtype, s.k, s.n, 2, &o->b);
  o->fc = placed(d, ctype, s.m, s.n, 5, &o->c);
  o->fbias_m =
      lying ? placed(d, dtype, 1, s.m, 2, &o->bias_m) : placed(d, dtype, s.m, 1, 2, &o->bias_m);
  o->fbias_n =
      lying ? placed(d, other, s.n, 1, 2, &o->bias_n) : placed(d, other, 1, s.n, 2, &o->bias_n);
  o->fresidual = placed(d, other, s.m, s.n, 7, &o->residual);
  o->fx = placed(d, other, s.m, s.n, 2, &o->x);
  o->fy = placed(d, dtype, s.m, 1, 2, &o->y);
  o->fz = placed(d, dtype, 1, s.n, 2, &o->z);
  o->args = (qn_epilogue_args){.bias_m = o->fbias_m.view,
                               .bias_n = o->fbias_n.view,
                               .residual = o->fresidual.view,
                               .operand = {o->fx.view, o->fy.view, o->fz.view},
                               .scalar = {qn_real(0.5), qn_real(-3)}};
}

static void unmake(operands *o) {
  wide *const wides[] = {&o->a,        &o->b, &o->c, &o->bias_m, &o->bias_n,
                         &o->residual, &o->x, &o->y, &o->z};
  frame *const frames[] = {&o->fa,        &o->fb, &o->fc, &o->fbias_m, &o->fbias_n,
                           &o->fresidual, &o->fx, &o->fy, &o->fz};
  for (int i = 0; i < 9; i++) {
    wide_free(wides[i]);
    frame_free(frames[i]);
  }
}

/* ---- expressions ---- */

typedef struct values {
  long double acc, c, row, col, bias_m, bias_n, residual, x, y, z, s, t;
} values;

typedef struct expression {
  const char *text;
  long double (*value)(const values *v);
} expression;

static long double bias_relu(const values *v) {
  return v->acc + v->bias_n < 0 ? 0 : v->acc + v->bias_n;
}
static long double two_biases(const values *v) {
  const long double x = v->acc - v->bias_m + v->s * v->bias_n;
  return x < 0 ? 0 : x;
}
static long double all_names(const values *v) {
  return v->s * (v->acc + v->bias_m) - v->c * v->y + v->residual * v->z + v->x + v->bias_n;
}
static long double without_c(const values *v) {
  return v->y * (v->acc + v->bias_m) + v->t * v->residual - v->z * v->x;
}
static long double places(const values *v) {
  return v->row > 2 * v->col ? v->acc + v->row : v->c - v->col;
}
static long double replaced(const values *v) {
  return v->c + 0 * v->acc;
}

/* A device with a compiler is slow at it: there the first three expressions do, unless all is asked
 * for. */
static int expressions_of(qn_dtype dtype) {
  const char *name = getenv("QUERN_TEST_DEVICE");
  bool compiled = name && strcmp(name, "cpu") != 0;
  return is_complex(dtype) ? 1 : compiled && !full_grid() ? 3 : 6;
}

/* In any dtype, complex too, where the oracle takes the parts one by one: no products there. */
static long double linear(const values *v) {
  return v->acc + v->bias_n - v->residual + v->c + (v->row == 1 ? v->x : -v->y);
}

static const expression real_expressions[] = {
    {"relu(acc + bias_n)", bias_relu},
    {"relu(acc - bias_m + s * bias_n)", two_biases},
    {"s * (acc + bias_m) - c * y + residual * z + x + bias_n", all_names},
    {"y * (acc + bias_m) + t * residual - z * x", without_c},
    {"row > 2 * col ? acc + row : c - col", places},
    {"c + 0 * acc", replaced},
};
static const expression any_expressions[] = {
    {"acc + bias_n - residual + c + (row == 1 ? x : -y)", linear},
};

/* ---- judging ---- */

static double plane(wide m, int64_t i, int64_t j, bool imaginary) {
  const double *of = imaginary ? m.im : m.re;
  return of ? of[i + j * m.rows] : 0;
}

/* acc of all elements, one plane, in long double. */
static wide_sum sums(const operands *o, double alpha, double beta) {
  wide_sum acc = wide_product(WIDE_FULL, o->a, o->b);
  for (int64_t e = 0; e < o->s.m * o->s.n; e++) {
    acc.re[e] = alpha != 0 ? alpha * acc.re[e] : 0;
    if (beta != 0) acc.re[e] += beta * o->c.re[e];
    if (!acc.im) continue;
    acc.im[e] = alpha != 0 ? alpha * acc.im[e] : 0;
    if (beta != 0) acc.im[e] += beta * o->c.im[e];
  }
  return acc;
}

static void judge(const operands *o, const expression *e, wide_sum acc, wide got, bool imaginary) {
  const double k = (double)o->s.k, unit = is_half(o->dtype) ? 0x1p-24 : roundoff(o->dtype);
  for (int64_t j = 0; j < o->s.n; j++)
    for (int64_t i = 0; i < o->s.m; i++) {
      const int64_t at = i + j * o->s.m;
      bool lying = o->bias_m.rows == 1 && o->s.m > 1;
      bool standing = o->bias_n.cols == 1;
      const values v = {
          imaginary ? acc.im[at] : acc.re[at],
          plane(o->c, i, j, imaginary),
          (long double)i,
          (long double)j,
          lying ? plane(o->bias_m, 0, i, imaginary) : plane(o->bias_m, i, 0, imaginary),
          standing ? plane(o->bias_n, j, 0, imaginary) : plane(o->bias_n, 0, j, imaginary),
          plane(o->residual, i, j, imaginary),
          plane(o->x, i, j, imaginary),
          plane(o->y, i, 0, imaginary),
          plane(o->z, 0, j, imaginary),
          0.5L,
          -3.0L};
      long double want = e->value(&v), off = fabsl(want - plane(got, i, j, imaginary));
      /* entries are below 1, so |A||B| is below k and all else below some tens */
      double magnitude = k + 20 + (double)fabsl(want);
      double bound = ((double)o->s.k <= 64 ? k + 8 : 16 + 2 * sqrt(k)) * unit * magnitude +
                     roundoff(o->ctype) * (double)fabsl(want) + smallest(o->ctype);
      if (is_complex(o->dtype)) bound *= 3;
      if (!score("epilogue", o->dtype, e->text, "element", (double)off / bound, 1))
        fail_msg("%s of %s -> %s %lld x %lld x %lld at (%lld, %lld): %.17g, should be %.17Lg",
                 e->text, qn_dtype_name(o->dtype), qn_dtype_name(o->ctype), (long long)o->s.m,
                 (long long)o->s.n, (long long)o->s.k, (long long)i, (long long)j,
                 plane(got, i, j, imaginary), want);
    }
}

static void one_case(dice *d, qn_dtype dtype, qn_dtype ctype, sizes s, const expression *e,
                     double alpha, double beta) {
  operands o;
  qn_epilogue *epilogue;
  make(&o, d, dtype, ctype, s);
  ok(qn_epilogue_create(e->text, "s t", "x y z", &epilogue));
  ok(qn_gemm_ex(the_stream(), QN_NOTRANS, QN_NOTRANS, qn_real(alpha), o.fa.view, o.fb.view,
                qn_real(beta), o.fc.view, epilogue, &o.args));
  qn_epilogue_free(epilogue); /* while the product may be in flight */
  wide got = frame_get(&o.fc);
  wide_sum acc = sums(&o, alpha, beta);
  judge(&o, e, acc, got, false);
  if (is_complex(dtype)) judge(&o, e, acc, got, true);
  frame_assert_same(&o.fresidual);
  wide_sum_free(&acc);
  wide_free(&got);
  unmake(&o);
}

/* Around vectors, strips of 256 and 128, tiles and blocks; k that is cut, and on cards split. */
static const sizes shapes[] = {{1, 1, 1},     {3, 5, 2},     {16, 8, 7},   {33, 4, 40},
                               {127, 9, 300}, {128, 3, 64},  {257, 2, 30}, {300, 17, 1100},
                               {64, 70, 600}, {520, 140, 40}};

static void test_dtype(qn_dtype dtype) {
  skip_without(dtype);
  dice d = new_dice();
  const expression *list = is_complex(dtype) ? any_expressions : real_expressions;
  const int count = expressions_of(dtype);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int e = 0; e < count; e++) {
      one_case(&d, dtype, dtype, shapes[i], &list[e], 1, 0);
      one_case(&d, dtype, dtype, shapes[i], &list[e], -0.75, 0.5);
      if (!is_half(dtype)) continue;
      one_case(&d, dtype, QN_F32, shapes[i], &list[e], 2, 1);
      one_case(&d, dtype, QN_F32, shapes[i], &list[e], 2, 0);
    }
  for (int e = 0; e < count; e++) one_case(&d, dtype, dtype, (sizes){800, 3, 20}, &list[e], 1, 1);
  one_case(&d, dtype, dtype, (sizes){9, 4, 5}, &any_expressions[0], 1, 1);
}

#define TEST(name, dtype)                                                                          \
  static void name(void **state) {                                                                 \
    (void)state;                                                                                   \
    test_dtype(dtype);                                                                             \
  }
TEST(test_f16, QN_F16)
TEST(test_bf16, QN_BF16)
TEST(test_f32, QN_F32)
TEST(test_f64, QN_F64)
TEST(test_c64, QN_C64)
TEST(test_c128, QN_C128)

/* ---- what alpha, beta and k mean ---- */

static void run(operands *o, const char *text, double alpha, double beta) {
  qn_epilogue *e;
  ok(qn_epilogue_create(text, "s t", "x y z", &e));
  ok(qn_gemm_ex(the_stream(), QN_NOTRANS, QN_NOTRANS, qn_real(alpha), o->fa.view, o->fb.view,
                qn_real(beta), o->fc.view, e, &o->args));
  qn_epilogue_free(e);
}

static void all_are(operands *o, double value) {
  wide got = frame_get(&o->fc);
  for (int64_t e = 0; e < o->s.m * o->s.n; e++) assert_true(got.re[e] == value);
  wide_free(&got);
}

static void fill(wide m, frame *f, double value) {
  for (int64_t e = 0; e < m.rows * m.cols; e++) m.re[e] = value;
  frame_put(f, m);
}

static void test_factors(void **state) {
  (void)state;
  static const qn_dtype dtypes[] = {QN_F32, QN_BF16};
  for (int t = 0; t < 2; t++)
    for (int64_t k = 0; k <= 3; k += 3) {
      operands o;
      dice d = new_dice();
      make(&o, &d, dtypes[t], dtypes[t], (sizes){21, 6, k});
      fill(o.c, &o.fc, NAN); /* neither beta = 0 nor acc lets it in */
      fill(o.a, &o.fa, NAN);
      run(&o, "acc + 2", 0, 0);
      all_are(&o, 2);
      fill(o.c, &o.fc, NAN);
      run(&o, "c != c ? 3 : acc", 0, 0); /* c alone does */
      all_are(&o, 3);
      run(&o, "acc + 1", 0, 2);
      all_are(&o, 7);
      run(&o, "acc * 10 + c", 0, 1);
      all_are(&o, 77);
      fill(o.a, &o.fa, 1);
      fill(o.b, &o.fb, 1);
      fill(o.c, &o.fc, 8);
      run(&o, "acc - c", 0.5, 2); /* half the product and one C */
      all_are(&o, 0.5 * (double)k + 8);
      unmake(&o);
    }
}

static void test_empty(void **state) {
  (void)state;
  operands o;
  dice d = new_dice();
  make(&o, &d, QN_F32, QN_F32, (sizes){4, 4, 4});
  o.fc.view = qn_matrix_sub(o.fc.view, 0, 0, 4, 0);
  o.fb.view = qn_matrix_sub(o.fb.view, 0, 0, 4, 0);
  run(&o, "acc + 1", 1, 0);
  unmake(&o);
}

/* ---- the bits ---- */

static void test_bits(void **state) {
  (void)state;
  operands o;
  dice d = new_dice();
  make(&o, &d, QN_F32, QN_F32, (sizes){700, 130, 500});
  wide first = {0};
  for (int threads = 1; threads <= 4; threads++) {
    ok(qn_set_num_threads(threads));
    frame_put(&o.fc, o.c);
    run(&o, "gelu(acc + bias_n) + c * x", 1, 1);
    wide got = frame_get(&o.fc);
    if (threads == 1) {
      first = got;
      continue;
    }
    assert_memory_equal(got.re, first.re, (size_t)(o.s.m * o.s.n) * sizeof *got.re);
    wide_free(&got);
  }
  ok(qn_set_num_threads(0));
  wide_free(&first);
  unmake(&o);
}

int main(void) {
  skip_unless_cpu();
  skip_unless_device();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_f16),     cmocka_unit_test(test_bf16),  cmocka_unit_test(test_f32),
      cmocka_unit_test(test_f64),     cmocka_unit_test(test_c64),   cmocka_unit_test(test_c128),
      cmocka_unit_test(test_factors), cmocka_unit_test(test_empty), cmocka_unit_test(test_bits)};
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
