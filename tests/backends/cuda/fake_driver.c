/* A libcuda that needs no card. Kernels take (pointer, value, value): the launch records their
 * first bytes. */
#include "backends/cuda/driver.h"
#include "fake.h"
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static fake_cuda fake = {.version = 13000, .cards = 1, .capability = 90};

EXPORT fake_cuda *fake_cuda_state(void);
fake_cuda *fake_cuda_state(void) {
  return &fake;
}

static CUresult record(const char *name) {
  size_t length = strlen(name);
  if (fake.used + length + 2 < sizeof fake.log) {
    memcpy(fake.log + fake.used, name, length);
    fake.used += length;
    fake.log[fake.used++] = ' ';
    fake.log[fake.used] = '\0';
  }
  return fake.fail && strcmp(fake.fail, name) == 0 ? fake.code : CUDA_SUCCESS;
}

/* Declares and begins a function: it is recorded, and may be the one that fails. */
#define FAKE(name, arguments)                                                                      \
  EXPORT CUresult name arguments;                                                                  \
  CUresult name arguments {                                                                        \
    CUresult code = record(#name);                                                                 \
    if (code != CUDA_SUCCESS) return code;
#define END                                                                                        \
  return CUDA_SUCCESS;                                                                             \
  }

FAKE(cuInit, (unsigned flags))
(void)flags;
if (fake.cards == 0) return CUDA_ERROR_NO_DEVICE;
END FAKE(cuDriverGetVersion, (int *version)) *version = fake.version;
END FAKE(cuDeviceGetCount, (int *count)) *count = fake.cards;
END FAKE(cuDeviceGet, (CUdevice * device, int ordinal)) *device = ordinal;
END FAKE(cuDeviceGetName, (char *name, int length, CUdevice device))(void) device;
strncpy(name, "Fake Card", (size_t)length);
END FAKE(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))(void) device;
*bytes = (size_t)1 << 34;
END FAKE(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))(void) device;
fake.contexts_retained++;
*context = (CUcontext)&fake;
END FAKE(cuDevicePrimaryCtxRelease_v2, (CUdevice device))(void) device;
fake.contexts_retained--;
END FAKE(cuCtxPushCurrent_v2, (CUcontext context))(void) context;
fake.contexts_pushed++;
END FAKE(cuCtxPopCurrent_v2, (CUcontext * context)) *context = (CUcontext)&fake;
fake.contexts_pushed--;
END

    EXPORT CUresult
    cuGetErrorName(CUresult code, const char **text);
CUresult cuGetErrorName(CUresult code, const char **text) {
  *text = code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGetErrorString(CUresult code, const char **text);
CUresult cuGetErrorString(CUresult code, const char **text) {
  (void)code;
  *text = "as told";
  return CUDA_SUCCESS;
}

FAKE(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))
(void)device;
switch (attribute) {
case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
  *value = fake.capability / 10;
  break;
case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
  *value = fake.capability % 10;
  break;
case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
  *value = 4096;
  break;
case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
  *value = fake.reads_pageable;
  break;
case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
  *value = 0;
  break;
default:
  *value = 1000 + attribute;
}
END

/* ---- memory: the host's ---- */

FAKE(cuMemAlloc_v2,
     (CUdeviceptr * memory, size_t bytes)) *memory = (CUdeviceptr)(uintptr_t)malloc(bytes);
fake.blocks++;
END FAKE(cuMemFree_v2, (CUdeviceptr memory)) free((void *)(uintptr_t)memory);
fake.blocks--;
END FAKE(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))(void) flags;
*memory = malloc(bytes);
fake.blocks++;
END FAKE(cuMemFreeHost, (void *memory)) free(memory);
fake.blocks--;
END FAKE(cuPointerGetAttribute, (void *value, int attribute, CUdeviceptr memory))(void) value,
    (void)attribute, (void)memory;
return CUDA_ERROR_INVALID_VALUE; /* ordinary memory, all of it */
END FAKE(cuMemcpyHtoDAsync_v2,
         (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream))(void) stream;
memcpy((void *)(uintptr_t)dst, src, bytes);
END FAKE(cuMemcpyDtoHAsync_v2,
         (void *dst, CUdeviceptr src, size_t bytes, CUstream stream))(void) stream;
memcpy(dst, (void *)(uintptr_t)src, bytes);
END FAKE(cuMemcpyDtoDAsync_v2,
         (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))(void) stream;
memcpy((void *)(uintptr_t)dst, (void *)(uintptr_t)src, bytes);
END FAKE(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream stream))(void) stream;
const char *src = c->srcMemoryType == CU_MEMORYTYPE_HOST ? (const char *)c->srcHost
                                                         : (const char *)(uintptr_t)c->srcDevice;
char *dst =
    c->dstMemoryType == CU_MEMORYTYPE_HOST ? (char *)c->dstHost : (char *)(uintptr_t)c->dstDevice;
for (size_t row = 0; row < c->Height; row++)
  memcpy(dst + row * c->dstPitch, src + row * c->srcPitch, c->WidthInBytes);
END FAKE(cuMemsetD8Async,
         (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream))(void) stream;
memset((void *)(uintptr_t)dst, value, count);
END FAKE(cuMemsetD16Async,
         (CUdeviceptr dst, unsigned short value, size_t count, CUstream stream))(void) stream;
for (size_t i = 0; i < count; i++) ((unsigned short *)(uintptr_t)dst)[i] = value;
END FAKE(cuMemsetD32Async,
         (CUdeviceptr dst, unsigned value, size_t count, CUstream stream))(void) stream;
for (size_t i = 0; i < count; i++) ((unsigned *)(uintptr_t)dst)[i] = value;
END

    /* ---- streams and events ---- */

    FAKE(cuStreamCreate, (CUstream * stream, unsigned flags))(void) flags;
*stream = malloc(8);
fake.streams++;
END FAKE(cuStreamDestroy_v2, (CUstream stream)) free(stream);
fake.streams--;
END FAKE(cuStreamSynchronize, (CUstream stream))(void) stream;
END FAKE(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))(void) stream,
    (void)event, (void)flags;
END FAKE(cuStreamGetCtx, (CUstream stream, CUcontext *context))(void) stream;
*context = fake.primary ? fake.primary : (void *)&fake;
END FAKE(cuEventCreate, (CUevent * event, unsigned flags))(void) flags;
*event = malloc(8);
fake.events++;
END FAKE(cuEventDestroy_v2, (CUevent event)) free(event);
fake.events--;
END FAKE(cuEventRecord, (CUevent event, CUstream stream))(void) event, (void)stream;
END FAKE(cuEventSynchronize, (CUevent event))(void) event;
END FAKE(cuEventQuery, (CUevent event))(void) event;
END FAKE(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent stop))(void) start,
    (void)stop;
*milliseconds = 2.5f;
END

/* ---- code: a module is its image ---- */

FAKE(cuModuleLoadData, (CUmodule * module, const void *image)) *module = (CUmodule)strdup(image);
fake.modules++;
END FAKE(cuModuleUnload, (CUmodule module)) free(module);
fake.modules--;
END FAKE(cuModuleGetFunction, (CUfunction * function, CUmodule module,
                               const char *name)) *function = (CUfunction)strstr((char *)module,
                                                                                 name);
if (!*function) return CUDA_ERROR_NOT_FOUND;
END FAKE(cuFuncGetAttribute, (int *value, int attribute, CUfunction function))(void) function;
*value = 100 + attribute;
END FAKE(cuFuncSetAttribute, (CUfunction function, int attribute, int value))(void) function;
if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) fake.max_dynamic = value;
if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) fake.wide_cluster = value;
END FAKE(cuFuncGetParamInfo,
         (CUfunction function, size_t index, size_t *offset, size_t *size))(void) function;
if (index > 2) return CUDA_ERROR_INVALID_VALUE;
*offset = 8 * index;
*size = index == 1 ? 4 : 8;
END

    static void
    keep(void **params) {
  for (int i = 0; i < 3; i++) memcpy(fake.params[i], params[i], i == 1 ? 4 : 8);
}

FAKE(cuLaunchKernel,
     (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
      unsigned bz, unsigned shared, CUstream stream, void **params, void **extra))
(void)function, (void)stream, (void)extra;
memcpy(fake.grid, (unsigned[]){gx, gy, gz}, sizeof fake.grid);
memcpy(fake.block, (unsigned[]){bx, by, bz}, sizeof fake.block);
fake.shared = shared;
fake.extended = fake.early = 0;
keep(params);
END FAKE(cuLaunchKernelEx, (const CUlaunchConfig *c, CUfunction function, void **params,
                            void **extra))(void) function,
    (void)extra;
memcpy(fake.grid, (unsigned[]){c->gridDimX, c->gridDimY, c->gridDimZ}, sizeof fake.grid);
memcpy(fake.block, (unsigned[]){c->blockDimX, c->blockDimY, c->blockDimZ}, sizeof fake.block);
fake.shared = c->sharedMemBytes;
fake.extended = 1;
fake.early = 0;
for (unsigned i = 0; i < c->numAttrs; i++)
  if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
    fake.early = c->attrs[i].value.programmaticStreamSerializationAllowed;
if (c->numAttrs == 1 && c->attrs->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
  memcpy(fake.cluster, &c->attrs->value.clusterDim, sizeof fake.cluster);
keep(params);
END FAKE(cuTensorMapEncodeTiled,
         (void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,
          const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
          int swizzle, int promotion, int fill))(void) interleave,
    (void)promotion, (void)fill;
if (fake.contexts_pushed == 0) return CUDA_ERROR_INVALID_CONTEXT;
uint64_t *words = map;
words[0] = (uint64_t)type, words[1] = rank, words[2] = (uint64_t)(uintptr_t)address;
words[3] = sizes[1], words[4] = strides[0], words[5] = box[1], words[6] = steps[1];
words[7] = (uint64_t)swizzle;
END
