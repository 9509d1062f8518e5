/* The random stream written for clarity: 128-bit products, one number at a time, libm's log. */
#ifndef TESTS_RNG_REFERENCE_H
#define TESTS_RNG_REFERENCE_H

#include <math.h>
#include <quern/rng.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 ref_wide;

static inline uint64_t ref_multiply(uint64_t a, uint64_t b) {
  return (uint64_t)((ref_wide)a * b % ((uint64_t)1 << 46));
}

/* The state `count` steps after `state`, by stepping. */
static inline uint64_t ref_step(uint64_t state, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) state = ref_multiply(state, QN_RNG_MULTIPLIER);
  return state;
}

static inline double ref_next(uint64_t *state) {
  *state = ref_step(*state, 1);
  return ldexp((double)*state, -46);
}

/* One block of normals from `state`, in long double after the test of acceptance. */
static inline void ref_normal_block(uint64_t state, long double out[QN_RNG_NORMAL_BLOCK]) {
  int count = 0;
  while (count < QN_RNG_NORMAL_BLOCK) {
    volatile double x = 2.0 * ref_next(&state) - 1.0, y = 2.0 * ref_next(&state) - 1.0;
    volatile double xx = x * x, yy = y * y; /* volatile: no fused step */
    volatile double t = xx + yy;
    if (t > 1.0) continue;
    long double scale = sqrtl(-2.0L * logl((long double)t) / (long double)t);
    out[count++] = x * scale;
    out[count++] = y * scale;
  }
}

#endif
