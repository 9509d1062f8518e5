/* Which target serves a device. */
#include "blas3/target.h"

const qn_target *qn_target_of(const qn_device *device) {
  return device->cpu ? &qn_target_cpu : NULL;
}
