/* Every operation of epilogues against long double, on values from everywhere: the product has k =
 * 1 and B of ones, so that acc is exactly what A holds. Bounds: docs/epilogue.md. */
#include "conformance/harness.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What an expression may name, as long double. */
typedef struct point {
  long double acc, bias, s, t;
} point;

static long double greater(long double a, long double b) {
  return a > b || a != a ? a : b;
}
static long double smaller(long double a, long double b) {
  return a < b || a != a ? a : b;
}
static long double sigmoid(long double x) {
  return 1 / (1 + expl(-x));
}

static long double rest(long double x, long double y) {
  return isinf(x) && x < 0 ? 0 : x * y; /* of -Inf the limit */
}

/* In u: of the value, or for the last kind of |acc|. The first bound is the cpu's, the second what
 * OpenCL asks of its functions at most. */
typedef enum measure { OF_VALUE, OF_ARGUMENT } measure;

/* name, expression, the same in long double, measure, bounds */
#define CASES(X)                                                                                   \
  X(value, "acc", a, OF_VALUE, 0, 0)                                                               \
  X(number, "0.1", 0.1L, OF_VALUE, 1, 1)                                                           \
  X(plus, "acc + bias_n", a + p->bias, OF_VALUE, 1, 1)                                             \
  X(minus, "acc - s", a - p->s, OF_VALUE, 1, 1)                                                    \
  X(times, "acc * t", a * p->t, OF_VALUE, 1, 1)                                                    \
  X(over, "acc / t", a / p->t, OF_VALUE, 1, 5)                                                     \
  X(negative, "-acc", -a, OF_VALUE, 0, 0)                                                          \
  X(signs, "- - +-acc", -a, OF_VALUE, 0, 0)                                                        \
  X(less, "acc < bias_n", a < p->bias, OF_VALUE, 0, 0)                                             \
  X(at_most, "acc <= bias_n", a <= p->bias, OF_VALUE, 0, 0)                                        \
  X(more, "acc > bias_n", a > p->bias, OF_VALUE, 0, 0)                                             \
  X(at_least, "acc >= bias_n", a >= p->bias, OF_VALUE, 0, 0)                                       \
  X(equal, "acc == bias_n", a == p->bias, OF_VALUE, 0, 0)                                          \
  X(unequal, "acc != bias_n", a != p->bias, OF_VALUE, 0, 0)                                        \
  X(chosen, "acc ? bias_n : s", a != 0 ? p->bias : p->s, OF_VALUE, 1, 1)                           \
  X(nested, "acc > 1 ? t : acc > 0 ? s : acc", a > 1 ? p->t : a > 0 ? p->s : a, OF_VALUE, 1, 1)    \
  X(least, "min(acc, bias_n)", smaller(a, p->bias), OF_VALUE, 0, 0)                                \
  X(most, "max(acc, bias_n)", greater(a, p->bias), OF_VALUE, 0, 0)                                 \
  X(least_nan, "min(bias_n, acc)", smaller(p->bias, a), OF_VALUE, 0, 0)                            \
  X(most_nan, "max(bias_n, acc)", greater(p->bias, a), OF_VALUE, 0, 0)                             \
  X(size, "abs(acc)", fabsl(a), OF_VALUE, 0, 0)                                                    \
  X(power, "exp(acc)", expl(a), OF_VALUE, 3, 6)                                                    \
  X(logarithm, "log(acc)", logl(a), OF_VALUE, 3, 6)                                                \
  X(hyperbolic, "tanh(acc)", tanhl(a), OF_VALUE, 5, 10)                                            \
  X(error, "erf(acc)", erfl(a), OF_VALUE, 4, 32)                                                   \
  X(root, "sqrt(acc)", sqrtl(a), OF_VALUE, 1, 6)                                                   \
  X(rectified, "relu(acc)", a < 0 ? 0 : a, OF_VALUE, 0, 0)                                         \
  X(gelu, "gelu(acc)", rest(a, (1 + erfl(a * sqrtl(0.5L))) / 2), OF_ARGUMENT, 4, 34)               \
  X(gelu_tanh, "gelu_tanh(acc)",                                                                   \
    rest(a, (1 + tanhl(sqrtl(2 / acosl(-1)) * (a + 0.044715L * a * a * a))) / 2), OF_ARGUMENT, 6,  \
    12)                                                                                            \
  X(silu, "silu(acc)", rest(a, sigmoid(a)), OF_VALUE, 6, 16)                                       \
  X(sigmoid_, "sigmoid(acc)", sigmoid(a), OF_VALUE, 6, 16)                                         \
  X(clamped, "clamp(acc, -2, bias_n)", smaller(greater(a, -2), p->bias), OF_VALUE, 0, 0)

#define DEFINE(name, text, value, of, cpu, other)                                                  \
  static long double name##_of(const point *p) {                                                   \
    const long double a = p->acc;                                                                  \
    (void)a;                                                                                       \
    return (value);                                                                                \
  }
CASES(DEFINE)

static const struct {
  const char *text;
  long double (*value)(const point *p);
  measure of;
  double cpu, other;
} cases[] = {
#define ROW(name, text, value, of, cpu, other) {text, name##_of, of, cpu, other},
    CASES(ROW)};

enum { ROWS = 1003, COLS = 3 };

/* Of both signs: small whole numbers, quarters about 0, all magnitudes, what is special. */
static wide arguments(dice *d, qn_dtype dtype) {
  wide x = wide_new(ROWS, 1, false);
  static const double special[] = {0.0,  -0.0, INFINITY, -INFINITY, NAN,    1.0,  -1.0,
                                   88.7, -88,  709.7,    -708,      1e-30,  -104, 4.0,
                                   -4.0, 6.0,  -6.0,     0.7072,    0.7071, 1.001};
  for (int i = 0; i < ROWS; i++) {
    double sign = dice_uniform(d) < 0 ? -1 : 1;
    switch (i % 4) {
    case 0:
      x.re[i] = dice_normal(d);
      break;
    case 1:
      x.re[i] = 8 * dice_uniform(d);
      break;
    case 2:
      x.re[i] = 100 * dice_uniform(d);
      break;
    default:
      x.re[i] = sign * exp(8 * dice_normal(d));
      break;
    }
  }
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) x.re[7 * i] = special[i];
  x.re[200] = smallest(dtype);
  x.re[201] = 5 * smallest(dtype);
  x.re[202] = largest(dtype);
  x.re[203] = -largest(dtype);
  round_to(x, dtype);
  return x;
}

static double round_number(qn_dtype dtype, double x) {
  bool f64 = dtype == QN_F64;
  volatile float narrow = (float)x;
  return f64 ? x : narrow;
}

static bool on_cpu(void) {
  const char *device = getenv("QUERN_TEST_DEVICE");
  return !device || strcmp(device, "cpu") == 0;
}

/* What may be lost beside the operation's own error: the rounding to a half, and whatever is below
 * the normal numbers (e^-x overflows before its reciprocal is that small), times an argument. */
static long double allowance(qn_dtype dtype, double bound, long double want, long double acc) {
  long double lowest = bound == 0 ? 0 : dtype == QN_F64 ? DBL_MIN : FLT_MIN;
  long double lost = lowest * fmaxl(1, isfinite(acc) ? fabsl(acc) : 1);
  if (dtype == QN_F16 || dtype == QN_BF16)
    lost += roundoff(dtype) * fabsl(want) + 0.5L * smallest(dtype);
  return lost;
}

static void judge(size_t c, qn_dtype dtype, const point *p, double got) {
  long double want = cases[c].value(p);
  if (fabsl(want) > (long double)largest(dtype) * (1 + roundoff(dtype)))
    want = want > 0 ? INFINITY : -INFINITY;
  double bound = on_cpu() ? cases[c].cpu : cases[c].other;
  double error = INFINITY;
  if (isfinite(want) && isfinite(got)) {
    long double scale = fabsl(cases[c].of == OF_ARGUMENT ? p->acc : want);
    long double off = fabsl(want - got) - allowance(dtype, bound, want, p->acc);
    double unit = dtype == QN_F64 ? roundoff(QN_F64) : roundoff(QN_F32);
    error = off <= 0 ? 0 : (double)(off / (scale * unit));
  } else if ((isnan(want) && isnan(got)) || want == got) {
    error = 0;
  }
  if (!score("epilogue", dtype, cases[c].text, "u", error, bound))
    fail_msg("%s of %s at acc = %.9Lg, bias_n = %Lg: %.17g, should be %.17Lg, off by %.3g u of %g",
             cases[c].text, qn_dtype_name(dtype), p->acc, p->bias, got, want, error, bound);
}

typedef struct operands {
  qn_dtype dtype;
  frame *a, *b, *bias, *c;
  const wide *x, *limits;
  double s, t;
} operands;

/* One epilogue for GROUP cases, of which a scalar picks one: a device with a compiler is slow at
 * it. */
enum { GROUP = 9, CASES_COUNT = sizeof cases / sizeof *cases };

static void group_text(size_t first, char *text, size_t size) {
  size_t used = 0;
  for (size_t i = first; i < first + GROUP && i < CASES_COUNT; i++)
    used += (size_t)snprintf(text + used, size - used, "pick == %zu ? (%s) : ", i - first,
                             cases[i].text);
  snprintf(text + used, size - used, "0");
}

static void one_group(const operands *o, size_t first) {
  char text[1024];
  qn_epilogue *e;
  wide nothing = wide_new(ROWS, COLS, false);
  group_text(first, text, sizeof text);
  ok(qn_epilogue_create(text, "s t pick", NULL, &e));
  for (size_t i = first; i < first + GROUP && i < CASES_COUNT; i++) {
    const qn_epilogue_args args = {
        .bias_n = o->bias->view,
        .scalar = {qn_real(o->s), qn_real(o->t), qn_real((double)(i - first))}};
    frame_put(o->c, nothing);
    ok(qn_gemm_ex(the_stream(), QN_NOTRANS, QN_NOTRANS, qn_real(1), o->a->view, o->b->view,
                  qn_real(0), o->c->view, e, &args));
    wide got = frame_get(o->c);
    for (int j = 0; j < COLS; j++)
      for (int r = 0; r < ROWS; r++) {
        const point p = {o->x->re[r], o->limits->re[j], o->s, o->t};
        judge(i, o->dtype, &p, got.re[r + j * ROWS]);
      }
    wide_free(&got);
  }
  wide_free(&nothing);
  qn_epilogue_free(e);
}

static void test_dtype(qn_dtype dtype) {
  skip_without(dtype);
  dice d = new_dice();
  const double s = round_number(dtype, 0.3), t = round_number(dtype, -1.7);
  frame a = frame_new(dtype, ROWS, 1, 0), b = frame_new(dtype, 1, COLS, 0),
        bias = frame_new(dtype, COLS, 1, 2), c = frame_new(dtype, ROWS, COLS, 5);
  wide x = arguments(&d, dtype), ones = wide_new(1, COLS, false), limits = wide_new(COLS, 1, false);
  for (int j = 0; j < COLS; j++) ones.re[j] = 1;
  limits.re[0] = 1.0;
  limits.re[1] = NAN;
  limits.re[2] = -0.5;
  frame_put(&a, x);
  frame_put(&b, ones);
  frame_put(&bias, limits);
  const operands o = {dtype, &a, &b, &bias, &c, &x, &limits, s, t};
  for (size_t i = 0; i < CASES_COUNT; i += GROUP) one_group(&o, i);
  wide_free(&x);
  wide_free(&ones);
  wide_free(&limits);
  frame_free(&a);
  frame_free(&b);
  frame_free(&bias);
  frame_free(&c);
}

static void test_f16(void **state) {
  (void)state;
  test_dtype(QN_F16);
}
static void test_bf16(void **state) {
  (void)state;
  test_dtype(QN_BF16);
}
static void test_f32(void **state) {
  (void)state;
  test_dtype(QN_F32);
}
static void test_f64(void **state) {
  (void)state;
  test_dtype(QN_F64);
}

int main(void) {
  skip_unless_cpu();
  skip_unless_device();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_f16), cmocka_unit_test(test_bf16),
                                     cmocka_unit_test(test_f32), cmocka_unit_test(test_f64)};
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
