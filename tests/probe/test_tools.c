/* The tools of the probe's rows: noise, chains, f16 bits, teams, verdicts. */
#include "probe/chain.h"
#include "probe/halves.h"
#include "probe/team.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* A chain visits every place once before it comes back. */
static void test_chain(void **state) {
  (void)state;
  enum { COUNT = 1024, STRIDE = 4, PLACES = COUNT / STRIDE };
  uint32_t next[COUNT] = {0}, order[PLACES], place = 0;
  int visits[COUNT] = {0};
  probe_chain_make(next, COUNT, STRIDE, order);
  for (int step = 0; step < PLACES; step++) {
    visits[place]++;
    place = next[place];
  }
  assert_int_equal(place, 0);
  for (int i = 0; i < COUNT; i++) assert_int_equal(visits[i], i % STRIDE == 0);
  assert_int_equal(probe_chain_follow(next, 0, 3), next[next[next[0]]]);
}

static void test_noise(void **state) {
  (void)state;
  double sum = 0.0;
  for (uint32_t i = 0; i < 100000; i++) {
    const float x = probe_noise(i, 1);
    assert_true(x > -1.0f && x < 1.0f);
    sum += x;
  }
  assert_true(fabs(sum) < 600.0); /* three standard deviations are 548 */
  assert_true(probe_noise(5, 1) != probe_noise(5, 2));
}

static double value_of_half(uint16_t bits) {
  const double magnitude = ldexp(1024 + (bits & 1023), (bits >> 10 & 31) - 25);
  return (bits & 0x7fff) == 0 ? 0.0 : bits >> 15 ? -magnitude : magnitude;
}

static void test_halves(void **state) {
  (void)state;
  for (int i = -128; i <= 128; i++)
    assert_true(value_of_half(probe_half_bits(i / 128.0)) == i / 128.0);
}

static atomic_int parts[8];

static void take_part(void *user, int thread) {
  (void)user;
  atomic_fetch_add(&parts[thread], 1);
}

static void test_team(void **state) {
  (void)state;
  for (int threads = 1; threads <= 8; threads++) {
    memset(parts, 0, sizeof parts);
    assert_true(probe_team(threads, take_part, NULL) >= 0.0);
    for (int t = 0; t < 8; t++) assert_int_equal(atomic_load(&parts[t]), t < threads);
  }
}

/* One second against ceilings of 100 GB/s, 1000 GB/s of local memory and 500 GFLOP/s. */
static probe_bound verdict(double moved, double local, double flops) {
  static probe p = {.ceilings = {.memory = 100.0, .local = 1000.0, .compute = {500.0}}};
  probe_figure f = {.bytes = 1.0, .moved = moved, .local = local, .flops = flops};
  f.seconds.median = 1.0;
  probe_judge(&p, &f);
  assert_true(f.memory_share == moved / 100e9 && f.local_share == local / 1000e9);
  return f.bound;
}

static void test_verdict(void **state) {
  (void)state;
  assert_int_equal(verdict(80e9, 0, 0), PROBE_UNBOUND); /* a copy */
  assert_int_equal(verdict(80e9, 0, 300e9), PROBE_MEMORY);
  assert_int_equal(verdict(80e9, 900e9, 300e9), PROBE_LOCAL);
  assert_int_equal(verdict(80e9, 700e9, 450e9), PROBE_COMPUTE);
  assert_int_equal(verdict(40e9, 400e9, 200e9), PROBE_LATENCY);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain), cmocka_unit_test(test_noise),
                                     cmocka_unit_test(test_halves), cmocka_unit_test(test_team),
                                     cmocka_unit_test(test_verdict)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
