/* EP for any processor: vectors of two, no fused multiply-add. */
#include <stdint.h>

#define EP_ISA   plain
#define EP_WIDTH 2
#define EP_FUSED 0

typedef double ep_vd __attribute__((vector_size(16)));
typedef int64_t ep_vi __attribute__((vector_size(16)));

static inline ep_vd ep_fma(ep_vd a, ep_vd b, ep_vd c) {
  return a * b + c;
}

static inline ep_vd ep_sqrt(ep_vd v) {
  return (ep_vd){__builtin_sqrt(v[0]), __builtin_sqrt(v[1])};
}

static inline ep_vd ep_max(ep_vd a, ep_vd b) {
  return (ep_vd){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
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
  return count - (v >= low);
}

static inline int ep_any(ep_vd v, ep_vd low) {
  return v[0] >= low[0] || v[1] >= low[1];
}

#include "npb/ep_cpu_kernel.h"
