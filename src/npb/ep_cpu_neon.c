/* EP for 64-bit Arm. */
#include "npb/ep_cpu_two.h"
#include <arm_neon.h>

#define EP_ISA   neon
#define EP_FUSED 1

static inline ep_vd ep_fma(ep_vd a, ep_vd b, ep_vd c) {
  return (ep_vd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

static inline ep_vd ep_sqrt(ep_vd v) {
  return (ep_vd)vsqrtq_f64((float64x2_t)v);
}

static inline ep_vd ep_max(ep_vd a, ep_vd b) {
  return (ep_vd)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
}

static inline int ep_any(ep_vd v, ep_vd low) {
  const uint64x2_t above = vcgeq_f64((float64x2_t)v, (float64x2_t)low);
  return vmaxvq_u32(vreinterpretq_u32_u64(above)) != 0;
}

#include "npb/ep_cpu_kernel.h"
