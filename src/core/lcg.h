/* The arithmetic of the random stream: x := a x mod 2^46 (see quern/rng.h).
 *
 * Unsigned 64-bit products keep their low 64 bits, which determine the low 46, so that nothing here
 * needs a wider type: the mask may come as late as one likes. */
#ifndef QN_LCG_H
#define QN_LCG_H

#include <stdint.h>

#define QN_LCG_BITS 46
#define QN_LCG_MASK ((UINT64_C(1) << QN_LCG_BITS) - 1)

/* a^n mod 2^46 by squaring. */
static inline uint64_t qn_lcg_power(uint64_t a, uint64_t n) {
  uint64_t power = 1;
  for (; n; n >>= 1, a *= a)
    if (n & 1) power *= a;
  return power & QN_LCG_MASK;
}

#endif
