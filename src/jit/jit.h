/* Kernels compiled at run time, once: a cache in memory for each device and one on disk for all.
 *
 *   source id ("portable/gemm.cl") + options ("-DQN_T=2 -DTRANSA=0")  ->  module  ->  entry
 *
 * Two threads that ask for one module compile it once; the second waits for that module alone.
 * What is returned lives as long as the device. */
#ifndef QN_JIT_H
#define QN_JIT_H

#include "device/device.h"
#include "jit/source.h"

typedef struct qn_jit_entry {
  qn_bkernel *handle;
  qn_kernel_info info;
} qn_jit_entry;

typedef struct qn_jit_request {
  const char *source;                /* an embedded file's name; with `text`, a name for messages */
  const char *text;                  /* NULL, or the source itself */
  const char *options;               /* -D words; NULL = none */
  const char *entry;                 /* the kernel's name in it */
  const qn_replacement *replacement; /* NULL = none */
} qn_jit_request;

/* What a call cost: modules that were compiled, loaded from disk, and the wall time of it all. */
typedef struct qn_jit_cost {
  unsigned compiled, loaded;
  double seconds;
} qn_jit_cost;

/* One kernel of the library. Errors: QN_EUNSUPPORTED on a device without kernels, QN_ECOMPILE with
 * the build log, QN_EINVAL for an unknown source or entry. */
qn_status qn_jit_kernel(qn_device *device, const char *source, const char *entry,
                        const char *options, const qn_jit_entry **kernel);

/* All that a routine needs; modules that are cold are compiled side by side. cost may be NULL. */
qn_status qn_jit_kernels(qn_device *device, const qn_jit_request *requests, unsigned count,
                         const qn_jit_entry **kernels, qn_jit_cost *cost);

/* Enqueues a launch; arguments and shape are the caller's responsibility. Buffers among them have
 * been readied with qn_buffer_use. */
qn_status qn_jit_launch(qn_stream *stream, const qn_jit_entry *kernel, const qn_launch *launch,
                        const qn_arg *args, unsigned count);

#endif
