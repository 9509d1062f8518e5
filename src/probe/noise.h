/* Random data as a function of its place: what a buffer must hold can be told without keeping it.
 */
#ifndef PROBE_NOISE_H
#define PROBE_NOISE_H

#include "probe/work.h"

/* In (-1, 1); kernels/sweep.cl computes the same. */
static inline float probe_noise(uint32_t place, uint32_t seed) {
  uint32_t h = (place + seed * 0x9e3779b9u) * 2654435761u;
  h = (h ^ (h >> 15)) * 2246822519u;
  h = (h ^ (h >> 13)) * 3266489917u;
  h ^= h >> 16;
  return ((float)(h >> 9) + 0.5f) * (1.0f / 4194304.0f) - 1.0f;
}

/* `count` of them, written by the device itself. */
qn_buffer *probe_noise_buffer(probe *p, uint32_t count, uint32_t seed);

#endif
