/* What the cpu kernels with vectors of two share. */
#ifndef EP_CPU_TWO_H
#define EP_CPU_TWO_H

#include <stdint.h>

#define EP_WIDTH 2

typedef double ep_vd __attribute__((vector_size(16)));
typedef int64_t ep_vi __attribute__((vector_size(16)));

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

#endif
