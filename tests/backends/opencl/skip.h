/* For the tests that compute by OpenCL. */
#ifndef OPENCL_SKIP_H
#define OPENCL_SKIP_H

#include "device/backend.h"
#include <stdio.h>
#include <stdlib.h>

/* Ends a test where OpenCL has no device. */
static inline void skip_unless_device(const qn_backend_ops *ops) {
  unsigned count;
  char message[256];
  ops->probe(&count, message, sizeof message);
  if (count > 0) return;
  printf("skipped: %s\n", message);
  exit(77);
}

#endif
