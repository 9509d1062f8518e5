/* EP for 64-bit Arm. */
#include <arm_neon.h>
#include <stdint.h>

#define EP_ISA   neon
#define EP_WIDTH 2
#define EP_FUSED 1

typedef double ep_vd __attribute__((vector_size(16)));
typedef int64_t ep_vi __attribute__((vector_size(16)));

static inline ep_vd ep_fma(ep_vd a, ep_vd b, ep_vd c) {
  return (ep_vd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

static inline ep_vd ep_sqrt(ep_vd v) {
  return (ep_vd)vsqrtq_f64((float64x2_t)v);
}

static inline ep_vd ep_max(ep_vd a, ep_vd b) {
  return (ep_vd)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
}

static inline int ep_store_taken(double *px, double *py, ep_vd x, ep_vd y, ep_vd t) {
  const int first = t[0] <= 1.0, second = t[1] <= 1.0;
  px[0] = x[0];
  py[0] = y[0];
  px[first] = x[1]; /* over the first, where that was not taken */
  py[first] = y[1];
  return first + second;
}

static inline ep_vi ep_count(ep_vi count, ep_vd v, ep_vd low) {
  return count - (ep_vi)(v >= low);
}

static inline int ep_any(ep_vd v, ep_vd low) {
  const uint64x2_t above = vcgeq_f64((float64x2_t)v, (float64x2_t)low);
  return vmaxvq_u32(vreinterpretq_u32_u64(above)) != 0;
}

#include "npb/ep_cpu_kernel.h"
