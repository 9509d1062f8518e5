/* The current context of the calling thread, borrowed for one call. */
#include "backends/cuda/cuda.h"

qn_status qn_cu_enter(const qn_bdev *dev) {
  return qn_cu_check(qn_cu.cuCtxPushCurrent_v2(dev->context), "cuCtxPushCurrent");
}

qn_status qn_cu_leave(qn_status status) {
  CUcontext popped;
  CUresult code = qn_cu.cuCtxPopCurrent_v2(&popped);
  return status ? status : qn_cu_check(code, "cuCtxPopCurrent");
}
