/* EP for any processor: vectors of two, no fused multiply-add. */
#include "npb/ep_cpu_two.h"

#define EP_ISA   plain
#define EP_FUSED 0

static inline ep_vd ep_fma(ep_vd a, ep_vd b, ep_vd c) {
  return a * b + c;
}

static inline ep_vd ep_sqrt(ep_vd v) {
  return (ep_vd){__builtin_sqrt(v[0]), __builtin_sqrt(v[1])};
}

static inline ep_vd ep_max(ep_vd a, ep_vd b) {
  return (ep_vd){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}

static inline int ep_any(ep_vd v, ep_vd low) {
  return v[0] >= low[0] || v[1] >= low[1];
}

#include "npb/ep_cpu_kernel.h"
