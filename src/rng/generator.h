/* How a device makes numbers of the stream. */
#ifndef QN_RNG_GENERATOR_H
#define QN_RNG_GENERATOR_H

#include "device/device.h"

typedef struct qn_generator {
  const char *name;
  /* Numbers (or normals) from `state` on into a view that is not empty. */
  qn_status (*fill)(qn_stream *stream, bool normal, uint64_t state, qn_matrix out);
} qn_generator;

extern const qn_generator qn_generator_kernels; /* by compiled kernels */

#endif
