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

/* 90 of "sm_90a"; 0 where the device is not NVIDIA's or is not reached through CUDA. */
static inline int qn_cuda_sm(const qn_device *device) {
  return strcmp(device->info.backend, "cuda") == 0 ? qn_sm_of(device) : 0;
}

/* What a device lacks for a kernel, in words; NULL: nothing. */
static inline const char *qn_lacks_cuda_80(const qn_device *device) {
  return qn_cuda_sm(device) >= 80 ? NULL : "CUDA on sm_80 or newer";
}
static inline const char *qn_lacks_cuda_90(const qn_device *device) {
  return qn_cuda_sm(device) == 90 ? NULL : "CUDA on sm_90";
}
static inline const char *qn_lacks_sm_80(const qn_device *device) {
  return qn_sm_of(device) >= 80 ? NULL : "a card of NVIDIA's, sm_80 or newer";
}

#endif
