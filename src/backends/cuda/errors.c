/* CUDA's codes and the status each means to the library. */
#include "backends/cuda/cuda.h"

static qn_status status_of(CUresult code) {
  switch (code) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return QN_EDEVMEM;
  case CUDA_ERROR_INVALID_VALUE:
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: /* registers or shared memory: the launch's shape */
    return QN_EINVAL;
  /* What follows kills the context: every later call on it fails too. */
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return QN_ELOST;
  default:
    return QN_EBACKEND;
  }
}

qn_status qn_cu_check(CUresult code, const char *native) {
  if (code == CUDA_SUCCESS) return QN_OK;
  const char *name = NULL, *text = NULL;
  if (qn_cu.cuGetErrorName(code, &name) != CUDA_SUCCESS || !name) name = "unnamed code";
  if (qn_cu.cuGetErrorString(code, &text) != CUDA_SUCCESS || !text) text = "";
  return qn_fail(status_of(code), native, "%s (%d) %s", name, code, text);
}
