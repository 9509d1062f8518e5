/* A position of the random stream. */
#include "core/lcg.h"
#include <quern/rng.h>

qn_rng qn_rng_make(uint64_t seed) {
  return (qn_rng){(seed | 1) & QN_LCG_MASK};
}

void qn_rng_skip(qn_rng *rng, uint64_t count) {
  rng->state = rng->state * qn_lcg_power(QN_RNG_MULTIPLIER, count) & QN_LCG_MASK;
}

double qn_rng_next(qn_rng *rng) {
  rng->state = rng->state * QN_RNG_MULTIPLIER & QN_LCG_MASK;
  return (double)rng->state * 0x1p-46;
}
