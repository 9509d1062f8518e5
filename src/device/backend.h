/* The backend table: the smallest set of operations the rest of the library needs of a processor.
 *
 * Pools, caches, retries, fault stickiness and algorithms live above the table, once. A backend
 * implements it in one folder under src/backends and includes no other backend. Functions fail with
 * qn_fail(), naming the native call and its code: QN_EDEVMEM for memory (the pool trims and tries
 * again), QN_ELOST when the device is dead, QN_EBACKEND else.
 *
 * Threads: one thread at a time enqueues on a stream, but `sync` and `event_record` on that stream,
 * and everything on a device, may be called by others meanwhile. */
#ifndef QN_BACKEND_H
#define QN_BACKEND_H

#include "core/core.h"
#include <quern/device.h>

enum { QN_BACKEND_ABI = 1, QN_MAX_KERNEL_ARGS = 64 };

typedef struct qn_bdev qn_bdev;       /* an opened device, defined by each backend */
typedef struct qn_bstream qn_bstream; /* a queue */
typedef struct qn_bevent qn_bevent;
typedef struct qn_bmodule qn_bmodule; /* loaded machine code */
typedef struct qn_bkernel qn_bkernel; /* an entry of a module, freed with it */

/* Device memory by the driver's handle: host pointer, CUdeviceptr or cl_mem. Places inside it are
 * handle + offset, so that no backend needs sub-buffers. */
typedef uintptr_t qn_mem;

/* A rectangle of bytes: `height` runs of `width` bytes, `pitch` bytes apart. */
typedef struct qn_rect {
  size_t width, height, src_pitch, dst_pitch;
} qn_rect;

/* Source text, whole: what it includes has been put in its place. */
typedef struct qn_source {
  const char *name; /* for messages */
  const char *text;
  const char *options; /* -D words, space-separated, as every compiler takes them */
} qn_source;

typedef struct qn_blob {
  void *data; /* from qn_host_alloc */
  size_t size;
} qn_blob;

/* One argument of a launch. */
typedef struct qn_arg {
  enum { QN_ARG_VALUE, QN_ARG_MEM, QN_ARG_LOCAL } kind;
  size_t size;       /* VALUE: bytes at `value`; LOCAL: bytes of local memory */
  const void *value; /* VALUE */
  qn_mem mem;        /* MEM */
} qn_arg;

typedef struct qn_launch {
  uint32_t groups[3], group[3]; /* grid in groups, group in items */
  uint32_t cluster[3];          /* CUDA cluster, 0 or 1 for none */
  uint32_t dynamic_local;       /* bytes of dynamic shared memory */
  bool early; /* CUDA, 9.0 and newer: may begin before the launch ahead of it has ended, since the
                 kernel itself waits for that before it touches memory */
} qn_launch;

/* What a kernel declares an argument to be, as far as the backend can tell. */
typedef struct qn_param {
  enum { QN_PARAM_UNKNOWN, QN_PARAM_VALUE, QN_PARAM_MEM, QN_PARAM_LOCAL } kind;
  uint32_t size; /* bytes, 0 = unknown */
} qn_param;

/* Compiler's report on a kernel; a field is 0 where the backend cannot tell. */
typedef struct qn_kernel_info {
  uint32_t registers, local_bytes, spill_bytes, max_group;
  int32_t params; /* how many arguments, -1 where the backend cannot tell */
  qn_param param[QN_MAX_KERNEL_ARGS];
} qn_kernel_info;

typedef struct qn_backend_ops {
  uint32_t abi;
  const char *name;
  bool addresses; /* a qn_mem of the device's memory is an address for kernels, not a handle */

  /* Finds the driver (dlopen). Absent is not an error: *count = 0 and `message` says what is
   * missing and which package brings it. May be called again. */
  qn_status (*probe)(unsigned *count, char *message, size_t message_size);
  qn_status (*query)(unsigned index, qn_device_info *info);

  qn_status (*open)(unsigned index, qn_bdev **dev);
  void (*close)(qn_bdev *dev);

  /* Aligned to 64 bytes at least. At its free no work on the memory is left. */
  qn_status (*alloc)(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem);
  void (*free)(qn_bdev *dev, qn_memory kind, qn_mem mem);
  /* Where the host reaches `mem`, which may be the caller's (kind is then QN_MEMORY_DEVICE); NULL
   * where it cannot. */
  void *(*host)(qn_bdev *dev, qn_memory kind, qn_mem mem);

  qn_status (*stream_new)(qn_bdev *dev, void *native, qn_bstream **stream); /* native may be NULL */
  void (*stream_free)(qn_bstream *stream);
  qn_status (*sync)(qn_bstream *stream);

  /* All ordered on the stream. A rectangle of height 1 is a plain copy. copy_in from memory that is
   * not pinned has read `src` when it returns; copy_out has written `dst` after the next sync. */
  qn_status (*copy_in)(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                       const qn_rect *rect);
  qn_status (*copy_out)(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                        const qn_rect *rect);
  qn_status (*copy)(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                    size_t src_offset, const qn_rect *rect);
  /* `bytes` of a pattern of `width` 1, 2 or 4 bytes. */
  qn_status (*fill)(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes, uint32_t pattern,
                    unsigned width);

  /* An event may be recorded again: waits enqueued before keep to the mark they saw. */
  qn_status (*event_new)(qn_bdev *dev, qn_bevent **event);
  void (*event_free)(qn_bevent *event);
  qn_status (*event_record)(qn_bevent *event, qn_bstream *stream);
  qn_status (*event_wait)(qn_bevent *event, qn_bstream *stream);
  qn_status (*event_sync)(qn_bevent *event);
  /* *done: the mark has passed. Never blocks. */
  qn_status (*event_query)(qn_bevent *event, bool *done);
  qn_status (*event_elapsed)(qn_bevent *start, qn_bevent *stop, double *seconds);

  /* Kernels: NULL in a backend without them. `identity` writes what, beside the source, decides the
   * machine code (arch, compiler, driver), for the cache's key. *log is NULL or from
   * qn_host_strdup. */
  qn_status (*identity)(qn_bdev *dev, char *text, size_t size);
  qn_status (*compile)(qn_bdev *dev, const qn_source *source, qn_blob *binary, char **log);
  qn_status (*module_load)(qn_bdev *dev, const qn_blob *binary, qn_bmodule **module);
  void (*module_free)(qn_bmodule *module);
  qn_status (*kernel_get)(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                          qn_kernel_info *info);
  qn_status (*launch)(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *launch,
                      const qn_arg *args, unsigned count);

  /* Fills in what a kernel's info lacks because it takes another compilation to know. NULL in a
   * backend whose kernel_get tells all there is. */
  qn_status (*resources)(qn_bdev *dev, qn_bkernel *kernel, qn_kernel_info *info);

  /* Items of the kernel, in groups of `group`, that one multiprocessor holds at once, and the most
   * that it holds of any kernel. NULL in a backend whose driver does not tell. */
  qn_status (*residency)(qn_bdev *dev, qn_bkernel *kernel, uint32_t group, uint32_t *items,
                         uint32_t *most);

  /* What one backend alone offers, by name ("cpu_ops", "tensor_map"); NULL for an unknown name.
   * The slot itself may be NULL. */
  const void *(*proc)(qn_bdev *dev, const char *name);

  /* The table of devices that compile for an architecture and compute nothing, and the number among
   * them of `arch` ("sm_90a"), what stands behind the colon of a device's name; NULL where that is
   * no architecture. The slot itself may be NULL. */
  const struct qn_backend_ops *(*on_paper)(const char *arch, unsigned *index);
} qn_backend_ops;

#endif
