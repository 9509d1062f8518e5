/* The inside of the device layer, for the library's own parts (jit, blas3, rng). */
#ifndef QN_DEVICE_H
#define QN_DEVICE_H

#include "device/backend.h"
#include "device/cpu_ops.h"
#include <quern/matrix.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct qn_pool qn_pool; /* pool.c */

struct qn_device {
  const qn_backend_ops *ops;
  qn_bdev *handle;
  qn_device_info info;
  qn_pool *pool;
  const qn_cpu_ops *cpu;   /* NULL unless the backend offers them */
  _Atomic(void *) kernels; /* the jit's per-device cache, NULL until the first kernel */
  _Atomic int64_t trsm_block, trmm_block; /* 0 = tuned default */
  atomic_int references;
  atomic_int status; /* QN_OK, or QN_ELOST once the device is lost */
};

struct qn_stream {
  qn_device *device;
  qn_bstream *handle;
  qn_math math;
  qn_status sticky; /* the first fault of asynchronous work */
  bool wrapped;
  qn_trace_fn trace;
  void *trace_user;
};

struct qn_buffer {
  qn_device *device;
  qn_mem mem;
  size_t size;
  qn_memory kind;
  bool wrapped;
  void *host;       /* where the host reaches it, or NULL */
  void *pool_block; /* the pool's record, NULL for wrapped memory */
};

/* Begins a call on a stream: the sticky status, or QN_ELOST with the error text set. */
qn_status qn_stream_check(qn_stream *stream, const char *function);
/* Looks at what the backend answered: QN_ELOST marks the device, other faults stay on the stream.
 */
qn_status qn_stream_result(qn_stream *stream, qn_status status);

/* Workspace of one routine: taken from the pool for `stream`; qn_scratch_free gives it back in
 * stream order, so that a later call on the same stream may have it without waiting. */
qn_status qn_scratch_alloc(qn_stream *stream, size_t bytes, qn_buffer **buffer);
void qn_scratch_free(qn_stream *stream, qn_buffer *buffer);

/* The host's view of a matrix on a device with cpu_ops. */
static inline qn_cpu_matrix qn_cpu_view(qn_matrix m) {
  char *base = (char *)m.buffer->host + (size_t)m.offset * qn_dtype_size(m.dtype);
  return (qn_cpu_matrix){base, m.rows, m.cols, m.ld};
}

/* Checks a view for a call on `stream`: device, dtype known, sizes not negative, ld, bounds (with
 * no overflow). The error names `function` and `argument`. */
qn_status qn_matrix_check(const qn_stream *stream, qn_matrix m, const char *function,
                          const char *argument);

/* The backends built in, in the order "auto" prefers them; `registry.c` has the list. */
extern const qn_backend_ops *const qn_backend_list[];
extern const unsigned qn_backend_count;

#endif
