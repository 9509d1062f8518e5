/* The stream's states are integers: every check is exact. */
#include "rng/reference.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

static const uint64_t low46 = (UINT64_C(1) << 46) - 1;

static void seed_is_cut_and_made_odd(void **unused) {
  (void)unused;
  assert_int_equal(qn_rng_make(QN_RNG_EP_SEED).state, 271828183);
  assert_int_equal(qn_rng_make(0).state, 1);
  assert_int_equal(qn_rng_make(42).state, 43);
  assert_int_equal(qn_rng_make(UINT64_MAX).state, low46);
}

static void next_is_the_modular_product(void **unused) {
  (void)unused;
  qn_rng rng = qn_rng_make(QN_RNG_EP_SEED);
  uint64_t state = rng.state;
  for (int i = 0; i < 100000; i++) {
    double expected = ref_next(&state), got = qn_rng_next(&rng);
    assert_true(got == expected && got > 0.0 && got < 1.0);
    assert_int_equal(rng.state, state);
  }
}

static void skip_equals_stepping(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed < 1000; seed += 166) {
    uint64_t state = qn_rng_make(seed * UINT64_C(0x123456789b)).state;
    for (uint64_t count = 0; count < 600; count += count < 70 ? 1 : 53) {
      qn_rng rng = {state};
      qn_rng_skip(&rng, count);
      assert_int_equal(rng.state, ref_step(state, count));
    }
  }
  qn_rng far = qn_rng_make(7);
  qn_rng_skip(&far, 3000000);
  assert_int_equal(far.state, ref_step(7, 3000000));
}

/* a^(2^44) = 1 mod 2^46 and a^(2^43) is not: the period is 2^44, for any odd seed. */
static void period(void **unused) {
  (void)unused;
  qn_rng rng = qn_rng_make(12345677);
  qn_rng_skip(&rng, UINT64_C(1) << 43);
  assert_int_not_equal(rng.state, 12345677);
  qn_rng_skip(&rng, UINT64_C(1) << 43);
  assert_int_equal(rng.state, 12345677);
  qn_rng_skip(&rng, (UINT64_C(5) << 44) + 9);
  assert_int_equal(rng.state, ref_step(12345677, 9));
}

/* Parts drawn from split positions are the whole. */
static void splitting(void **unused) {
  (void)unused;
  enum { PARTS = 7, EACH = 1001 };
  qn_rng whole = qn_rng_make(99);
  for (int p = 0; p < PARTS; p++) {
    qn_rng part = qn_rng_make(99);
    qn_rng_skip(&part, (uint64_t)p * EACH);
    for (int i = 0; i < EACH; i++) assert_true(qn_rng_next(&part) == qn_rng_next(&whole));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seed_is_cut_and_made_odd),
      cmocka_unit_test(next_is_the_modular_product),
      cmocka_unit_test(skip_equals_stepping),
      cmocka_unit_test(period),
      cmocka_unit_test(splitting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
