/* A closed walk through a working set in random order. */
#include "probe/chain.h"

void probe_chain_make(uint32_t *next, uint32_t count, uint32_t stride, uint32_t *order) {
  const uint32_t places = count / stride;
  uint64_t state = 0x9e3779b97f4a7c15u;
  for (uint32_t i = 0; i < places; i++) order[i] = i;
  for (uint32_t i = places; i-- > 1;) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint32_t other = (uint32_t)((state >> 33) % i), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (uint32_t i = 0; i < places; i++) next[i * stride] = order[i] * stride;
}

uint32_t probe_chain_follow(const uint32_t *next, uint32_t place, uint64_t steps) {
  for (uint64_t s = 0; s < steps; s++) place = next[place];
  return place;
}
