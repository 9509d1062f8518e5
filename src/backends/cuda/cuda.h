/* Inside the cuda backend: the objects behind the backend table. */
#ifndef QN_CUDA_CUDA_H
#define QN_CUDA_CUDA_H

#include "backends/cuda/driver.h"
#include "device/backend.h"
#include "device/tensor_map.h"
#include <pthread.h>
#include <stdatomic.h>

/* Filled by qn_cu_probe; constant from then on. */
extern qn_cu_api qn_cu;

struct qn_bdev {
  qn_tensor_map_ops tensor_maps; /* first: the device is found from its table */
  CUdevice device;
  CUcontext context; /* the primary one, shared with whatever else uses CUDA in the process */
  int capability;    /* 90 for 9.0 */
  size_t max_pitch;
  bool reads_pageable; /* the card reaches ordinary host memory, so a copy may read it late */
};

struct qn_bstream {
  qn_bdev *dev;
  CUstream stream;
  bool owned;
  /* The last thing put on a stream of our own is a kernel: only then may the next one begin early,
   * since its wait inside is for kernels, not for copies. Nobody knows what else is on a wrapped
   * stream. */
  atomic_bool ends_in_kernel;
};

struct qn_bevent {
  qn_bdev *dev;
  CUevent event;
};

struct qn_bkernel {
  qn_bkernel *next;
  CUfunction function;
  atomic_uint dynamic_local; /* what the function has been allowed */
  atomic_bool wide_cluster;
};

struct qn_bmodule {
  qn_bdev *dev;
  CUmodule module;
  pthread_mutex_t lock;
  qn_bkernel *kernels;
};

/* errors.c: the status of a native code, with the text of the last error set. */
qn_status qn_cu_check(CUresult code, const char *native);

/* context.c: makes the device's context the thread's, and takes it away again (returning `status`),
 * so that the caller's own context is where it was. */
qn_status qn_cu_enter(const qn_bdev *dev);
qn_status qn_cu_leave(qn_status status);

/* loader.c */
qn_status qn_cu_probe(unsigned *count, char *message, size_t message_size);
/* The driver's CUDA version, 13000 for 13.0; 0 before a successful probe. */
int qn_cu_driver_version(void);

/* device.c */
qn_status qn_cu_query(unsigned index, qn_device_info *info);
qn_status qn_cu_open(unsigned index, qn_bdev **dev);
void qn_cu_close(qn_bdev *dev);

/* memory.c */
qn_status qn_cu_alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem);
void qn_cu_free(qn_bdev *dev, qn_memory kind, qn_mem mem);
void *qn_cu_host(qn_bdev *dev, qn_memory kind, qn_mem mem);
qn_status qn_cu_copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                        const qn_rect *rect);
qn_status qn_cu_copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                         const qn_rect *rect);
qn_status qn_cu_copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                     size_t src_offset, const qn_rect *rect);
qn_status qn_cu_fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes, uint32_t pattern,
                     unsigned width);

/* stream.c */
qn_status qn_cu_stream_new(qn_bdev *dev, void *native, qn_bstream **stream);
void qn_cu_stream_free(qn_bstream *stream);
qn_status qn_cu_sync(qn_bstream *stream);
qn_status qn_cu_event_new(qn_bdev *dev, qn_bevent **event);
void qn_cu_event_free(qn_bevent *event);
qn_status qn_cu_event_record(qn_bevent *event, qn_bstream *stream);
qn_status qn_cu_event_wait(qn_bevent *event, qn_bstream *stream);
qn_status qn_cu_event_sync(qn_bevent *event);
qn_status qn_cu_event_query(qn_bevent *event, bool *done);
qn_status qn_cu_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds);

/* module.c */
qn_status qn_cu_identity(qn_bdev *dev, char *text, size_t size);
qn_status qn_cu_compile(qn_bdev *dev, const qn_source *source, qn_blob *binary, char **log);
qn_status qn_cu_module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module);
void qn_cu_module_free(qn_bmodule *module);
qn_status qn_cu_kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                           qn_kernel_info *info);
const void *qn_cu_proc(qn_bdev *dev, const char *name);
qn_status qn_cu_residency(qn_bdev *dev, qn_bkernel *kernel, uint32_t group, uint32_t *items,
                          uint32_t *most);

/* launch.c */
qn_status qn_cu_launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *launch,
                       const qn_arg *args, unsigned count);

/* paper.c */
const qn_backend_ops *qn_cu_on_paper(const char *arch, unsigned *index);

/* tensor_map.c: NULL where the card or the driver has no copy engine's descriptors. */
const qn_tensor_map_ops *qn_cu_tensor_maps(const qn_bdev *dev);
qn_status qn_cu_tensor_map(const qn_tensor_map_ops *self, const qn_tensor_spec *spec,
                           qn_tensor_map *map);

#endif
