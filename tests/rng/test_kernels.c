/* The cpu's random kernels, every instruction set that this machine runs: against the reference,
 * against one another bit for bit, and on views with gaps. */
#include "backends/cpu/rng.h"
#include "rng/reference.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = QN_RNG_NORMAL_BLOCK, SPAN = QN_RNG_NORMAL_SPAN };

static const qn_rng_kernels *runnable[3];
static int runnable_count;

static void find_runnable(void) {
  runnable[runnable_count++] = &qn_rng_plain;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) runnable[runnable_count++] = &qn_rng_avx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    runnable[runnable_count++] = &qn_rng_avx512;
#endif
  printf("instruction sets:");
  for (int i = 0; i < runnable_count; i++) printf(" %s", runnable[i]->isa);
  printf("\n");
}

static void uniform_is_the_stream(void **unused) {
  (void)unused;
  for (int i = 0; i < runnable_count; i++) {
    uint64_t state = QN_RNG_EP_SEED;
    for (int b = 0; b < 50; b++) {
      double wide[BLOCK];
      float narrow[BLOCK];
      runnable[i]->uniform_f64(state, wide);
      runnable[i]->uniform_f32(state, narrow);
      for (int j = 0; j < BLOCK; j++) {
        double u = ref_next(&state);
        assert_true(wide[j] == u);
        /* toward zero: not above u, and the next float is */
        assert_true((double)narrow[j] <= u && (double)nextafterf(narrow[j], 2.0f) > u);
      }
    }
  }
}

/* The state that makes the number with state x its first: a^-1 x, as a^(2^44) = 1. */
static uint64_t state_before(uint64_t x) {
  qn_rng rng = {x};
  qn_rng_skip(&rng, (UINT64_C(1) << 44) - 1);
  return rng.state;
}

static void extremes_stay_inside(void **unused) {
  (void)unused;
  const uint64_t top = (UINT64_C(1) << 46) - 1;
  for (int i = 0; i < runnable_count; i++) {
    double wide[BLOCK];
    float narrow[BLOCK];
    runnable[i]->uniform_f64(state_before(top), wide);
    runnable[i]->uniform_f32(state_before(top), narrow);
    assert_true(wide[0] == 1.0 - 0x1p-46 && narrow[0] == 1.0f - 0x1p-24f);
    runnable[i]->uniform_f64(state_before(1), wide);
    runnable[i]->uniform_f32(state_before(1), narrow);
    assert_true(wide[0] == 0x1p-46 && narrow[0] == 0x1p-46f);
  }
}

/* Error in units of the last place of the exact value. */
static double ulps(double got, long double exact) {
  int exponent;
  (void)frexpl(exact, &exponent);
  return (double)(fabsl((long double)got - exact) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

static void normal_is_the_polar_method(void **unused) {
  (void)unused;
  for (int i = 0; i < runnable_count; i++) {
    double worst = 0;
    for (uint64_t b = 0; b < 200; b++) {
      qn_rng rng = {QN_RNG_EP_SEED};
      qn_rng_skip(&rng, b * SPAN);
      long double exact[BLOCK];
      double wide[BLOCK];
      float narrow[BLOCK];
      ref_normal_block(rng.state, exact);
      runnable[i]->normal_f64(rng.state, wide);
      runnable[i]->normal_f32(rng.state, narrow);
      for (int j = 0; j < BLOCK; j++) {
        double error = ulps(wide[j], exact[j]);
        worst = error > worst ? error : worst;
        assert_true(narrow[j] == (float)wide[j]);
      }
    }
    printf("%s: worst error of a normal %.2f ulp\n", runnable[i]->isa, worst);
    assert_true(worst < 3.0);
  }
}

/* Far out and close in: the pair at which t is smallest among many, and t next to 1. Both ends of
 * the logarithm meet the reference. */
static void tails_of_the_logarithm(void **unused) {
  (void)unused;
  /* x = 2^45 + 1 is u = 1/2 + 2^-46, so that 2u - 1 = 2^-45: the first of a pair near the centre */
  const uint64_t starts[] = {state_before((UINT64_C(1) << 45) + 1),
                             state_before((UINT64_C(1) << 45) - 1), state_before(1),
                             state_before((UINT64_C(1) << 46) - 1)};
  for (int i = 0; i < runnable_count; i++) {
    for (unsigned s = 0; s < sizeof starts / sizeof *starts; s++) {
      long double exact[BLOCK];
      double wide[BLOCK];
      ref_normal_block(starts[s], exact);
      runnable[i]->normal_f64(starts[s], wide);
      for (int j = 0; j < BLOCK; j++) assert_true(ulps(wide[j], exact[j]) < 3.0);
    }
  }
}

/* The circle's edge: blocks that begin with a pair within 1e-7 of it, inside and outside. */
static void edge_of_the_circle(void **unused) {
  (void)unused;
  int inside = 0, outside = 0;
  qn_rng rng = qn_rng_make(161803);
  while (inside < 3 || outside < 3) {
    qn_rng before = rng;
    double x = 2.0 * qn_rng_next(&rng) - 1.0, y = 2.0 * qn_rng_next(&rng) - 1.0;
    double t = x * x + y * y;
    if (fabs(t - 1.0) > 1e-7) continue;
    inside += t <= 1.0;
    outside += t > 1.0;
    long double exact[BLOCK];
    ref_normal_block(before.state, exact);
    for (int i = 0; i < runnable_count; i++) {
      double wide[BLOCK];
      runnable[i]->normal_f64(before.state, wide);
      for (int j = 0; j < BLOCK; j++) assert_true(ulps(wide[j], exact[j]) < 3.0);
    }
  }
}

static void instruction_sets_agree(void **unused) {
  (void)unused;
  double want[BLOCK], got[BLOCK];
  for (int i = 1; i < runnable_count; i++) {
    for (uint64_t b = 0; b < 2000; b++) {
      qn_rng rng = {31415927};
      qn_rng_skip(&rng, b * SPAN);
      qn_rng_plain.normal_f64(rng.state, want);
      runnable[i]->normal_f64(rng.state, got);
      assert_memory_equal(want, got, sizeof want);
      qn_rng_plain.normal_f32(rng.state, (float *)want);
      runnable[i]->normal_f32(rng.state, (float *)got);
      assert_memory_equal(want, got, sizeof(float) * BLOCK);
    }
  }
}

/* Every shape of a view holds the same numbers in column-major order; gaps keep their bytes. */
static void check_view(bool normal, qn_dtype dtype, int64_t rows, int64_t cols, int64_t ld) {
  const size_t size = qn_dtype_size(dtype);
  const size_t bytes = (size_t)(ld * cols) * size;
  const int64_t total = rows * cols, blocks = qn_ceil_div(total, BLOCK);
  char *view = malloc(bytes), *flat = malloc((size_t)blocks * BLOCK * size);
  memset(view, 0xa5, bytes);
  qn_cpu_rng_fill(&qn_rng_plain, normal, dtype, 77, (qn_cpu_matrix){view, rows, cols, ld});
  for (int64_t b = 0; b < blocks; b++) {
    qn_rng rng = {77};
    qn_rng_skip(&rng, (uint64_t)b * (normal ? SPAN : BLOCK));
    char *to = flat + (size_t)(b * BLOCK) * size;
    if (dtype == QN_F32)
      (normal ? qn_rng_plain.normal_f32 : qn_rng_plain.uniform_f32)(rng.state, (float *)to);
    else
      (normal ? qn_rng_plain.normal_f64 : qn_rng_plain.uniform_f64)(rng.state, (double *)to);
  }
  for (int64_t j = 0; j < cols; j++) {
    const char *column = view + (size_t)(j * ld) * size;
    assert_memory_equal(column, flat + (size_t)(j * rows) * size, (size_t)rows * size);
    for (size_t g = (size_t)rows * size; g < (size_t)ld * size; g++)
      assert_int_equal((unsigned char)column[g], 0xa5);
  }
  free(view);
  free(flat);
}

static void views(void **unused) {
  (void)unused;
  static const int64_t shapes[][3] = {{1, 1, 1},       {1, 3000, 4},    {3000, 1, 3001},
                                      {7, 293, 9},     {1024, 3, 1024}, {1024, 3, 1030},
                                      {1025, 5, 1025}, {33, 31, 33},    {5000, 7, 5003}};
  for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    for (int which = 0; which < 4; which++)
      check_view(which & 1, which & 2 ? QN_F32 : QN_F64, shapes[s][0], shapes[s][1], shapes[s][2]);
  }
  qn_cpu_rng_fill(&qn_rng_plain, false, QN_F64, 77, (qn_cpu_matrix){NULL, 0, 5, 1});
  qn_cpu_rng_fill(&qn_rng_plain, true, QN_F32, 77, (qn_cpu_matrix){NULL, 5, 0, 5});
}

/* Moments of four million normals: mean, variance, skewness and kurtosis within five standard
 * errors, and the share beyond one, two and three sigma. */
static void moments(void **unused) {
  (void)unused;
  enum { BLOCKS = 4096 };
  const double n = (double)BLOCKS * BLOCK;
  double m[5] = {0}, beyond[4] = {0};
  for (uint64_t b = 0; b < BLOCKS; b++) {
    qn_rng rng = {QN_RNG_EP_SEED};
    qn_rng_skip(&rng, b * SPAN);
    double x[BLOCK];
    runnable[runnable_count - 1]->normal_f64(rng.state, x);
    for (int i = 0; i < BLOCK; i++) {
      double power = 1;
      for (int p = 1; p < 5; p++) m[p] += power *= x[i];
      for (int s = 1; s < 4; s++) beyond[s] += fabs(x[i]) > s;
    }
  }
  static const double want[5] = {1, 0, 1, 0, 3}, variance[5] = {0, 1, 2, 15, 96};
  for (int p = 1; p < 5; p++) assert_true(fabs(m[p] / n - want[p]) < 5.0 * sqrt(variance[p] / n));
  for (int s = 1; s < 4; s++) {
    double share = erfc(s / sqrt(2.0));
    assert_true(fabs(beyond[s] / n - share) < 5.0 * sqrt(share * (1 - share) / n));
  }
}

int main(void) {
  find_runnable();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_is_the_stream),
      cmocka_unit_test(extremes_stay_inside),
      cmocka_unit_test(normal_is_the_polar_method),
      cmocka_unit_test(tails_of_the_logarithm),
      cmocka_unit_test(edge_of_the_circle),
      cmocka_unit_test(instruction_sets_agree),
      cmocka_unit_test(views),
      cmocka_unit_test(moments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
