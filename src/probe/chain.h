/* A closed walk through a working set in random order. */
#ifndef PROBE_CHAIN_H
#define PROBE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

/* next[i] is the place after place i; only every `stride`th place is visited, each once a round.
 * `order` is scratch for count / stride places. Sattolo's shuffle: one cycle, whatever the seed. */
void probe_chain_make(uint32_t *next, uint32_t count, uint32_t stride, uint32_t *order);

/* The place after so many steps from `place`. */
uint32_t probe_chain_follow(const uint32_t *next, uint32_t place, uint64_t steps);

#endif
