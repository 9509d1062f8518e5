/* The little of NVIDIA's driver interface that the cuda backend calls, declared here so that no
 * CUDA header is needed to build. Names, values and layouts: the CUDA Driver API reference, 13.0.
 */
#ifndef QN_CUDA_DRIVER_H
#define QN_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;

/* CUresult */
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719
};

/* CUdevice_attribute */
enum {
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};
enum { CU_COMPUTEMODE_PROHIBITED = 2 };

/* CUfunction_attribute */
enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
};

enum { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_MEMHOSTALLOC_PORTABLE = 1 };
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_UNIFIED = 4, CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2 };

typedef struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  unsigned srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  unsigned dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

enum {
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6
};
typedef struct CUlaunchAttribute {
  unsigned id, padding;
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
  } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;

/* X(name, arguments): all return CUresult. Those below are in every driver from 11.2 on. */
#define QN_CU_SYMBOLS(X)                                                                           \
  X(cuInit, (unsigned flags))                                                                      \
  X(cuDriverGetVersion, (int *version))                                                            \
  X(cuGetErrorName, (CUresult code, const char **text))                                            \
  X(cuGetErrorString, (CUresult code, const char **text))                                          \
  X(cuDeviceGetCount, (int *count))                                                                \
  X(cuDeviceGet, (CUdevice * device, int ordinal))                                                 \
  X(cuDeviceGetName, (char *name, int length, CUdevice device))                                    \
  X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                        \
  X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                            \
  X(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                              \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                               \
  X(cuCtxPushCurrent_v2, (CUcontext context))                                                      \
  X(cuCtxPopCurrent_v2, (CUcontext * context))                                                     \
  X(cuMemAlloc_v2, (CUdeviceptr * memory, size_t bytes))                                           \
  X(cuMemFree_v2, (CUdeviceptr memory))                                                            \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                 \
  X(cuMemFreeHost, (void *memory))                                                                 \
  X(cuPointerGetAttribute, (void *value, int attribute, CUdeviceptr memory))                       \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream))       \
  X(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t bytes, CUstream stream))             \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))       \
  X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream))                              \
  X(cuMemsetD8Async, (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream))        \
  X(cuMemsetD16Async, (CUdeviceptr dst, unsigned short value, size_t count, CUstream stream))      \
  X(cuMemsetD32Async, (CUdeviceptr dst, unsigned value, size_t count, CUstream stream))            \
  X(cuStreamCreate, (CUstream * stream, unsigned flags))                                           \
  X(cuStreamDestroy_v2, (CUstream stream))                                                         \
  X(cuStreamSynchronize, (CUstream stream))                                                        \
  X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                           \
  X(cuStreamGetCtx, (CUstream stream, CUcontext * context))                                        \
  X(cuEventCreate, (CUevent * event, unsigned flags))                                              \
  X(cuEventDestroy_v2, (CUevent event))                                                            \
  X(cuEventRecord, (CUevent event, CUstream stream))                                               \
  X(cuEventSynchronize, (CUevent event))                                                           \
  X(cuEventQuery, (CUevent event))                                                                 \
  X(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent stop))                        \
  X(cuModuleLoadData, (CUmodule * module, const void *image))                                      \
  X(cuModuleUnload, (CUmodule module))                                                             \
  X(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))               \
  X(cuFuncGetAttribute, (int *value, int attribute, CUfunction function))                          \
  X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))                           \
  X(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,       \
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,        \
                     CUstream stream, void **params, void **extra))

/* Those that are done without, NULL where the driver lacks them; the last three came
 * with 11.8, 12.0 and 12.4. */
#define QN_CU_OPTIONAL(X)                                                                          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                   \
    (int *groups, CUfunction function, int group, size_t shared))                                  \
  X(cuLaunchKernelEx,                                                                              \
    (const CUlaunchConfig *config, CUfunction function, void **params, void **extra))              \
  X(cuTensorMapEncodeTiled,                                                                        \
    (void *map, int type, uint32_t rank, void *address, const uint64_t *sizes,                     \
     const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides,                \
     int interleave, int swizzle, int l2_promotion, int out_of_bounds))                            \
  X(cuFuncGetParamInfo, (CUfunction function, size_t index, size_t * offset, size_t * size))

typedef struct qn_cu_api {
#define QN_CU_MEMBER(name, arguments) CUresult(*name) arguments;
  QN_CU_SYMBOLS(QN_CU_MEMBER) QN_CU_OPTIONAL(QN_CU_MEMBER)
#undef QN_CU_MEMBER
} qn_cu_api;

#endif
