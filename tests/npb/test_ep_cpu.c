/* EP on the cpu: each instruction set against plain loops over libm, the official results, and the
 * same bits whatever the threads and shares. */
#include "npb/ep_cpu.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>

/* Those of this machine, then two more widths (ep_cpu_any.h). */
static const char *const isas[] = {"plain", "avx2", "avx512", "neon"};
extern const ep_cpu_kernel ep_cpu_eight, ep_cpu_pair;
enum { ISAS = sizeof isas / sizeof *isas, KERNELS = ISAS + 2 };

static const ep_cpu_kernel *kernel_at(int i) {
  return i < ISAS ? ep_cpu_find(isas[i]) : i == ISAS ? &ep_cpu_eight : &ep_cpu_pair;
}

/* The definition, pair by pair; the sums wider, for theirs would be the larger error. */
static ep_sums by_definition(uint64_t x, uint64_t pairs) {
  ep_sums s;
  long double sum[4] = {0.0L};
  memset(&s, 0, sizeof s);
  for (uint64_t i = 0; i < pairs; i++) {
    double u[2];
    for (int j = 0; j < 2; j++) {
      x = x * UINT64_C(1220703125) & NPB_LCG_MASK;
      u[j] = 2.0 * ldexp((double)x, -46) - 1.0;
    }
    const double t = u[0] * u[0] + u[1] * u[1];
    if (t > 1.0) continue;
    const double f = sqrt(-2.0 * log(t) / t), gx = u[0] * f, gy = u[1] * f;
    sum[0] += gx;
    sum[1] += gy;
    sum[2] += fabs(gx);
    sum[3] += fabs(gy);
    s.count[(int)fmax(fabs(gx), fabs(gy))]++;
  }
  s.x = (double)sum[0];
  s.y = (double)sum[1];
  s.abs_x = (double)sum[2];
  s.abs_y = (double)sum[3];
  return s;
}

static void assert_near(double value, double reference, double scale) {
  if (!(fabs(value - reference) <= 1e-14 * scale))
    fail_msg("%.17g, not %.17g (scale %g)", value, reference, scale);
}

static void definition(void **state) {
  (void)state;
  static const uint64_t starts[] = {0, 1, 12345, (UINT64_C(1) << 43) + 7};
  static const uint64_t lengths[] = {512, 1024, 65536};
  for (int k = 0; k < KERNELS; k++) {
    const ep_cpu_kernel *kernel = kernel_at(k);
    if (!kernel) continue;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
      for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j++) {
        const uint64_t x = npb_lcg_skip(EP_SEED, starts[i]);
        const ep_sums want = by_definition(x, lengths[j]);
        ep_sums got;
        kernel->chunk(x, lengths[j], &got);
        assert_memory_equal(got.count, want.count, sizeof got.count);
        assert_near(got.abs_x, want.abs_x, want.abs_x);
        assert_near(got.abs_y, want.abs_y, want.abs_y);
        assert_near(got.x, want.x, want.abs_x);
        assert_near(got.y, want.y, want.abs_y);
      }
    }
  }
}

/* Those with fused multiply-adds, to the bit. */
static void isas_agree(void **state) {
  (void)state;
  const ep_cpu_kernel *first = NULL;
  ep_sums want, got;
  for (int k = 1; k < KERNELS; k++) {
    const ep_cpu_kernel *kernel = kernel_at(k);
    if (!kernel) continue;
    kernel->chunk(EP_SEED, 1 << 20, first ? &got : &want);
    if (first) assert_memory_equal(&got, &want, sizeof got);
    first = kernel;
  }
}

static void run_share(ep_share share, int threads, ep_sums *rows) {
  const npb_progress silent = {0};
  ep_engine engine;
  double end = -1.0;
  ep_cpu_open(share, threads, &engine);
  assert_int_equal(engine.run(&engine, &silent, rows, &end), QN_OK);
  assert_true(end >= 0.0);
  engine.close(&engine);
}

static ep_sums total(const ep_sums *rows) {
  ep_sums sum;
  memset(&sum, 0, sizeof sum);
  for (int i = 0; i < EP_ROWS; i++) ep_add(&sum, &rows[i]);
  return sum;
}

static void threads_and_shares_agree(void **state) {
  (void)state;
  static ep_sums want[EP_ROWS], got[EP_ROWS];
  run_share((ep_share){24, 0, EP_ROWS}, 1, want);
  for (int threads = 2; threads <= 5; threads++) {
    run_share((ep_share){24, 0, EP_ROWS}, threads, got);
    assert_memory_equal(got, want, sizeof got);
  }
  for (int first = 0, count; first < EP_ROWS; first += count) {
    count = first < 100 ? 37 : EP_ROWS - first;
    if (first + count > EP_ROWS) count = EP_ROWS - first;
    run_share((ep_share){24, first, count}, 2, got + first);
  }
  assert_memory_equal(got, want, sizeof got);
}

static void official(void **state) {
  (void)state;
  static ep_sums rows[EP_ROWS];
  for (const char *c = "SW"; *c; c++) {
    const ep_class *class = ep_find_class(*c);
    run_share((ep_share){class->m, 0, EP_ROWS}, 2, rows);
    const ep_sums sum = total(rows);
    const ep_check check = ep_verify(class, &sum);
    assert_true(check.passed && check.signs == EP_RIGHT && check.counts == EP_RIGHT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(definition), cmocka_unit_test(isas_agree),
                                     cmocka_unit_test(threads_and_shares_agree),
                                     cmocka_unit_test(official)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
