/* Numbers that every dtype holds exactly, f16 and TF32 too, and the bits of their f16. */
#ifndef PROBE_HALVES_H
#define PROBE_HALVES_H

#include "probe/noise.h"
#include <math.h>

/* Noise in multiples of 1/128. */
static inline double probe_coarse(uint32_t place, uint32_t seed) {
  return (double)floorf(128.0f * probe_noise(place, seed)) / 128.0;
}

/* Of a multiple of 1/128 in [-1, 1], which has at most 8 significant bits. */
static inline uint16_t probe_half_bits(double value) {
  int exponent;
  const double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1) */
  if (value == 0.0) return 0;
  const unsigned mantissa = (unsigned)(fraction * 2048.0) & 1023u;
  return (uint16_t)((value < 0.0 ? 0x8000u : 0u) | (unsigned)(exponent - 1 + 15) << 10 | mantissa);
}

#endif
