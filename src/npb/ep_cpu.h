/* EP's cpu kernels, one an instruction set. */
#ifndef EP_CPU_H
#define EP_CPU_H

#include "npb/ep.h"

typedef struct ep_cpu_kernel {
  const char *isa;
  /* The pairs that follow `state`, in number a multiple of 512: their sums. */
  void (*chunk)(uint64_t state, uint64_t pairs, ep_sums *sums);
} ep_cpu_kernel;

extern const ep_cpu_kernel ep_cpu_plain, ep_cpu_avx2, ep_cpu_avx512, ep_cpu_neon;

/* By its name, NULL where this machine or build has none of it; NULL asks for the best. */
const ep_cpu_kernel *ep_cpu_find(const char *isa);

#endif
