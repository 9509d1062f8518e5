/* CUDA cards: what they are, and their primary context. */
#include "backends/cuda/cuda.h"
#include <stdio.h>
#include <string.h>

static int attribute(CUdevice device, int which) {
  int value = 0;
  if (qn_cu.cuDeviceGetAttribute(&value, which, device) != CUDA_SUCCESS) return 0;
  return value;
}

static int capability_of(CUdevice device) {
  return attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
         attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

static qn_status find(unsigned index, CUdevice *device) {
  unsigned count;
  char message[256];
  qn_cu_probe(&count, message, sizeof message);
  if (index >= count) return qn_fail(QN_ENODEVICE, "cuda", "no card %u: %s", index, message);
  return qn_cu_check(qn_cu.cuDeviceGet(device, (int)index), "cuDeviceGet");
}

qn_status qn_cu_query(unsigned index, qn_device_info *info) {
  CUdevice device;
  qn_status status = find(index, &device);
  if (status) return status;
  memset(info, 0, sizeof *info);
  size_t memory = 0;
  status = qn_cu_check(qn_cu.cuDeviceGetName(info->name, sizeof info->name - 1, device),
                       "cuDeviceGetName");
  if (!status) status = qn_cu_check(qn_cu.cuDeviceTotalMem_v2(&memory, device), "cuDeviceTotalMem");
  if (status) return status;
  int capability = capability_of(device), version = qn_cu_driver_version();
  snprintf(info->id, sizeof info->id, "cuda:%u", index);
  snprintf(info->backend, sizeof info->backend, "cuda");
  snprintf(info->arch, sizeof info->arch, "sm_%d%s", capability, capability == 90 ? "a" : "");
  snprintf(info->driver, sizeof info->driver, "CUDA %d.%d", version / 1000, version % 1000 / 10);
  info->kind = QN_DEVICE_GPU;
  info->dtypes = (1u << QN_DTYPE_COUNT) - 1;
  info->compute_units = (unsigned)attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info->clock_mhz = (unsigned)attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
  info->memory = info->memory_max = memory;
  info->cache = (uint64_t)attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  info->local_memory =
      (uint64_t)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return QN_OK;
}

qn_status qn_cu_open(unsigned index, qn_bdev **dev) {
  CUdevice device;
  qn_status status = find(index, &device);
  if (status) return status;
  if (attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED)
    return qn_fail(QN_ENODEVICE, "cuda", "card %u is in the compute mode 'prohibited'", index);
  qn_bdev *d = qn_host_zalloc(sizeof *d);
  if (!d) return qn_fail(QN_ENOMEM, "cuda", "no host memory for a device");
  d->tensor_maps.encode = qn_cu_tensor_map;
  d->device = device;
  d->capability = capability_of(device);
  d->max_pitch = (size_t)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  d->reads_pageable = attribute(device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0;
  status =
      qn_cu_check(qn_cu.cuDevicePrimaryCtxRetain(&d->context, device), "cuDevicePrimaryCtxRetain");
  if (status) {
    qn_host_free(d, sizeof *d);
    return status;
  }
  *dev = d;
  return QN_OK;
}

void qn_cu_close(qn_bdev *dev) {
  if (!dev) return;
  qn_cu.cuDevicePrimaryCtxRelease_v2(dev->device);
  qn_host_free(dev, sizeof *dev);
}
