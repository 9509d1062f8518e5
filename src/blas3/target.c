/* Which target serves a device. */
#include "blas3/target.h"

const qn_target *qn_target_of(const qn_device *device) {
  if (device->cpu) return &qn_target_cpu;
  return device->ops->launch ? &qn_target_kernels : NULL;
}
