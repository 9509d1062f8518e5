/* Inside the opencl backend: the ICD loader's functions, found at run time, and the objects behind
 * the backend table. */
#ifndef QN_OPENCL_CL_H
#define QN_OPENCL_CL_H

#include "device/backend.h"
#include <pthread.h>
#include <stdatomic.h>

#define CL_TARGET_OPENCL_VERSION 120
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#define QN_CL_SYMBOLS(X)                                                                           \
  X(clGetPlatformIDs)                                                                              \
  X(clGetPlatformInfo)                                                                             \
  X(clGetDeviceIDs)                                                                                \
  X(clGetDeviceInfo)                                                                               \
  X(clCreateContext)                                                                               \
  X(clRetainContext)                                                                               \
  X(clReleaseContext)                                                                              \
  X(clCreateCommandQueue)                                                                          \
  X(clRetainCommandQueue)                                                                          \
  X(clReleaseCommandQueue)                                                                         \
  X(clGetCommandQueueInfo)                                                                         \
  X(clCreateBuffer)                                                                                \
  X(clReleaseMemObject)                                                                            \
  X(clGetMemObjectInfo)                                                                            \
  X(clEnqueueMapBuffer)                                                                            \
  X(clEnqueueUnmapMemObject)                                                                       \
  X(clEnqueueReadBuffer)                                                                           \
  X(clEnqueueWriteBuffer)                                                                          \
  X(clEnqueueCopyBuffer)                                                                           \
  X(clEnqueueReadBufferRect)                                                                       \
  X(clEnqueueWriteBufferRect)                                                                      \
  X(clEnqueueCopyBufferRect)                                                                       \
  X(clEnqueueFillBuffer)                                                                           \
  X(clEnqueueMarkerWithWaitList)                                                                   \
  X(clEnqueueBarrierWithWaitList)                                                                  \
  X(clEnqueueNDRangeKernel)                                                                        \
  X(clFinish)                                                                                      \
  X(clFlush)                                                                                       \
  X(clWaitForEvents)                                                                               \
  X(clGetEventInfo)                                                                                \
  X(clGetEventProfilingInfo)                                                                       \
  X(clReleaseEvent)                                                                                \
  X(clCreateProgramWithSource)                                                                     \
  X(clCreateProgramWithBinary)                                                                     \
  X(clBuildProgram)                                                                                \
  X(clGetProgramBuildInfo)                                                                         \
  X(clGetProgramInfo)                                                                              \
  X(clReleaseProgram)                                                                              \
  X(clCreateKernel)                                                                                \
  X(clReleaseKernel)                                                                               \
  X(clSetKernelArg)                                                                                \
  X(clGetKernelInfo)                                                                               \
  X(clGetKernelArgInfo)                                                                            \
  X(clGetKernelWorkGroupInfo)

typedef struct qn_cl_api {
#define QN_CL_MEMBER(name) __typeof__(&name) name;
  QN_CL_SYMBOLS(QN_CL_MEMBER)
#undef QN_CL_MEMBER
} qn_cl_api;

/* Filled by qn_cl_probe; constant from then on. */
extern qn_cl_api qn_cl;

typedef struct qn_cl_device {
  cl_platform_id platform;
  cl_device_id id;
} qn_cl_device;

/* loader.c: device `index` of all platforms, QN_ENODEVICE when there is none. */
qn_status qn_cl_probe(unsigned *count, char *message, size_t message_size);
qn_status qn_cl_find(unsigned index, qn_cl_device *device);

/* errors.c: the status of a native code (out of memory, lost, else a driver error), with the text
 * of the last error set; QN_OK for CL_SUCCESS. */
qn_status qn_cl_check(cl_int code, const char *native);
const char *qn_cl_error_name(cl_int code);

/* Host memory that stays mapped as long as its buffer lives, so that the driver copies at full
 * speed and the host may reach it at any time. */
typedef struct qn_cl_pinned {
  struct qn_cl_pinned *next;
  cl_mem mem;
  char *host;
  size_t size;
} qn_cl_pinned;

struct qn_bdev {
  qn_cl_device device;
  pthread_mutex_t lock;  /* over what follows */
  cl_context context;    /* NULL until first needed: a wrapped queue may bring its own */
  cl_command_queue maps; /* for mapping pinned memory */
  qn_cl_pinned *pinned;
  int capability; /* of NVIDIA's cards, 90: 9.0; 0 else */
  bool gpu;
  bool exact_divide; /* correctly rounded f32 division and square root on request */
};

struct qn_bstream {
  qn_bdev *dev;
  cl_command_queue queue;
};

struct qn_bevent {
  cl_event event; /* NULL before the first record */
};

struct qn_bkernel {
  qn_bkernel *next;
  qn_bmodule *module;
  cl_kernel kernel;
  pthread_mutex_t lock; /* from the first argument set to the enqueue */
};

struct qn_bmodule {
  qn_bdev *dev;
  cl_program program;
  pthread_mutex_t lock; /* over what follows */
  qn_bkernel *kernels;
  char *log;  /* the compiler's words on the kernels, NULL where it has none */
  bool asked; /* for the log */
};

/* device.c */
qn_status qn_cl_query(unsigned index, qn_device_info *info);
qn_status qn_cl_open(unsigned index, qn_bdev **dev);
void qn_cl_close(qn_bdev *dev);
/* The device's context, made on first use. */
qn_status qn_cl_context(qn_bdev *dev, cl_context *context);
qn_status qn_cl_identity(qn_bdev *dev, char *text, size_t size);

/* memory.c */
qn_status qn_cl_alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem);
void qn_cl_free(qn_bdev *dev, qn_memory kind, qn_mem mem);
void *qn_cl_host(qn_bdev *dev, qn_memory kind, qn_mem mem);
qn_status qn_cl_copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                        const qn_rect *rect);
qn_status qn_cl_copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                         const qn_rect *rect);
qn_status qn_cl_copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                     size_t src_offset, const qn_rect *rect);
qn_status qn_cl_fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes, uint32_t pattern,
                     unsigned width);

/* stream.c */
qn_status qn_cl_stream_new(qn_bdev *dev, void *native, qn_bstream **stream);
void qn_cl_stream_free(qn_bstream *stream);
qn_status qn_cl_sync(qn_bstream *stream);
qn_status qn_cl_event_new(qn_bdev *dev, qn_bevent **event);
void qn_cl_event_free(qn_bevent *event);
qn_status qn_cl_event_record(qn_bevent *event, qn_bstream *stream);
qn_status qn_cl_event_wait(qn_bevent *event, qn_bstream *stream);
qn_status qn_cl_event_sync(qn_bevent *event);
qn_status qn_cl_event_query(qn_bevent *event, bool *done);
qn_status qn_cl_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds);

/* program.c */
char *qn_cl_build_log(qn_bdev *dev, cl_program program); /* of qn_host_strdup, or NULL */
qn_status qn_cl_compile(qn_bdev *dev, const qn_source *source, qn_blob *binary, char **log);
qn_status qn_cl_module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module);
void qn_cl_module_free(qn_bmodule *module);
qn_status qn_cl_kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                           qn_kernel_info *info);
qn_status qn_cl_launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *launch,
                       const qn_arg *args, unsigned count);

#endif
