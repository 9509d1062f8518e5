/* EP's cpu kernel on vectors of any width, lane by lane: how the widths of other instruction sets
 * add up, on a machine that lacks them. Included with EP_ISA and EP_WIDTH defined. */
#include <stdint.h>

#define EP_FUSED 1

typedef double ep_vd __attribute__((vector_size(8 * EP_WIDTH)));
typedef int64_t ep_vi __attribute__((vector_size(8 * EP_WIDTH)));

static inline ep_vd ep_fma(ep_vd a, ep_vd b, ep_vd c) {
  ep_vd sum = {0};
  for (int i = 0; i < EP_WIDTH; i++) sum[i] = __builtin_fma(a[i], b[i], c[i]);
  return sum;
}

static inline ep_vd ep_sqrt(ep_vd v) {
  ep_vd root = {0};
  for (int i = 0; i < EP_WIDTH; i++) root[i] = __builtin_sqrt(v[i]);
  return root;
}

static inline ep_vd ep_max(ep_vd a, ep_vd b) {
  ep_vd most = {0};
  for (int i = 0; i < EP_WIDTH; i++) most[i] = a[i] > b[i] ? a[i] : b[i];
  return most;
}

static inline int ep_store_taken(double *px, double *py, ep_vd x, ep_vd y, ep_vd t) {
  int count = 0;
  for (int i = 0; i < EP_WIDTH; i++) {
    px[count] = x[i];
    py[count] = y[i];
    count += t[i] <= 1.0;
  }
  return count;
}

static inline ep_vi ep_count(ep_vi count, ep_vd v, ep_vd low) {
  return count - (ep_vi)(v >= low);
}

static inline int ep_any(ep_vd v, ep_vd low) {
  int any = 0;
  for (int i = 0; i < EP_WIDTH; i++) any |= v[i] >= low[i];
  return any;
}

#include "npb/ep_cpu_kernel.h"
