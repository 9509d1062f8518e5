/* What a device's name of its architecture says. */
#ifndef QN_BLAS3_DEVICE_ARCH_H
#define QN_BLAS3_DEVICE_ARCH_H

#include "device/device.h"
#include <stdlib.h>
#include <string.h>

/* 90 of "sm_90a"; 0 where the device is not NVIDIA's. */
static inline int qn_sm_of(const qn_device *device) {
  return strncmp(device->info.arch, "sm_", 3) == 0 ? atoi(device->info.arch + 3) : 0;
}

#endif
