/* How a device makes random numbers: the generators that fill.c chooses from. */
#ifndef QN_RNG_FILL_H
#define QN_RNG_FILL_H

#include "device/device.h"

typedef struct qn_rng_generator {
  const char *name;
  bool (*applicable)(const qn_device *device);
  /* Fills a view (f32 or f64, not empty) from `state` on; normals begin at a block. */
  qn_status (*fill)(qn_stream *stream, bool normal, uint64_t state, qn_matrix out);
} qn_rng_generator;

extern const qn_rng_generator qn_rng_by_kernels; /* fill_kernels.c */

#endif
