/* The inside of the device layer, for the library's own parts (jit, blas3, rng). */
#ifndef QN_DEVICE_H
#define QN_DEVICE_H

#include "device/backend.h"
#include "device/cpu_ops.h"
#include <quern/matrix.h>
#include <pthread.h>
#include <stdatomic.h>

enum { QN_STREAM_SLOTS = 64, QN_FAULT_TEXT = 256, QN_PREPARED = 64, QN_LANES_MOST = 8 };
enum { QN_CHOICES = 8, QN_CHOICE_KEY = 8 };

typedef struct qn_pool qn_pool;     /* pool.c */
typedef struct qn_letter qn_letter; /* letters.c */

/* What the jit keeps for one device; the device frees it when it goes. */
typedef struct qn_kernel_store {
  void (*free)(struct qn_kernel_store *store, const qn_backend_ops *ops);
} qn_kernel_store;

struct qn_device {
  const qn_backend_ops *ops;
  qn_bdev *handle;
  qn_device_info info;
  unsigned index; /* the backend's number for it */
  /* The arithmetic on host memory. A device that has it works inline: whatever was enqueued is done
   * when the call returns, so that no event and no note of a stream's use is ever needed. */
  const qn_cpu_ops *cpu;
  _Atomic(qn_kernel_store *) kernels, forms; /* the jit's, NULL until the first kernel */
  _Atomic uint64_t prepared[QN_PREPARED];    /* calls whose kernels are ready (blas3/prepare.h) */
  _Atomic int64_t trsm_block, trmm_block;    /* 0 = tuned default */
  _Atomic(const struct qn_gemm_variant *) gemm_variant; /* the only one, or NULL (blas3/target.h) */
  atomic_int references;
  atomic_int status; /* QN_OK, or QN_ELOST once the device is lost */

  pthread_mutex_t lock; /* guards the pool and the lists of streams */
  qn_pool *pool;
  struct qn_stream *streams[QN_STREAM_SLOTS]; /* live streams; those past the 63rd share the last */
  _Atomic uint64_t clock;                     /* counts frees of buffers */
  qn_device *next;                            /* the registry's list */
};

/* A variant of gemm chosen by cost, and all that the choice looked at (blas3/gemm.c). */
typedef struct qn_gemm_chosen {
  uint64_t key[QN_CHOICE_KEY];
  const struct qn_gemm_variant *variant; /* NULL: none yet */
  const char *why;
} qn_gemm_chosen;

/* Two pieces of memory for a routine whose launches leave one of them as the next wants it
 * (blas3/potrf_walk.c). */
typedef struct qn_twin {
  qn_buffer *buffer; /* NULL: none yet */
  size_t half;       /* bytes of each */
  size_t stale;      /* bytes that the last launch has used, of the half that is not next */
  bool second;       /* which is next */
} qn_twin;

struct qn_stream {
  qn_device *device;
  qn_bstream *handle;
  qn_math math;
  qn_status sticky; /* the first fault of asynchronous work, and what was said of it */
  char fault[QN_FAULT_TEXT];
  qn_trace_fn trace;
  void *trace_user;
  struct qn_rehearsal *rehearsal; /* NULL: launches are made, not noted (blas3/prepare.h) */
  qn_gemm_chosen chosen[QN_CHOICES];
  qn_letter *letters, *last_letter; /* in the order of their posting */
  qn_twin twin;

  unsigned slot;           /* its bit in qn_buffer.used */
  qn_bevent *mark;         /* for waits on this stream by others; NULL until the first */
  _Atomic uint64_t synced; /* the device's clock at the start of the last successful sync */
  qn_stream *lanes[QN_LANES_MOST - 1]; /* made when first needed (lanes.c) */
  qn_stream *next;                     /* the slot's list */
};

struct qn_event {
  qn_device *device;
  qn_bevent *handle;
  atomic_bool recorded;
};

/* A buffer is also the pool's record of its block: freed, it waits in a list for its next life. */
struct qn_buffer {
  qn_device *device;
  qn_mem mem;
  size_t size;
  void *host; /* where the host reaches it, or NULL */
  qn_memory kind;
  bool wrapped;    /* the caller's memory, never pooled */
  size_t capacity; /* bytes of the block */
  unsigned list;   /* the pool's list where it waits between lives */
  /* Streams by slot, bit for bit; pool.c tells the rules. */
  _Atomic uint64_t used;    /* that have used it in this life */
  _Atomic uint64_t pending; /* that may still be at work on it from a former life */
  uint64_t freed;           /* the device's clock when the former life ended */
  qn_buffer *next;          /* the next in that list */
};

/* ---- devices (registry.c) ---- */

/* The backends built in, in the order "auto" prefers them (backend_list.c). */
extern const qn_backend_ops *const qn_backend_list[];
extern const unsigned qn_backend_count;
/* The decorator that makes calls of another backend fail. Its device number `index` stands for
 * device `index % QN_FAULTS_STRIDE` of qn_backend_list[index / QN_FAULTS_STRIDE]. */
extern const qn_backend_ops qn_faults_backend;
enum { QN_FAULTS_STRIDE = 256 };

/* Opens device `index` of a backend, or adds a reference to the object that is already open. */
qn_status qn_device_acquire(const qn_backend_ops *ops, unsigned index, qn_device **device);
void qn_device_retain(qn_device *device);
void qn_device_release(qn_device *device);
/* Looks at what the backend answered outside any stream: QN_ELOST marks the device. */
qn_status qn_device_result(qn_device *device, qn_status status);
/* QN_ELOST, with the error text set, when the device is lost. */
qn_status qn_device_check(const qn_device *device, const char *function);

/* Logical processors that this process may run on (parallel_setting.c). */
int qn_cores(void);

/* ---- streams ---- */

/* Begins a call on a stream: QN_EINVAL for NULL, the sticky status, or QN_ELOST, with the error
 * text set. */
qn_status qn_stream_check(const qn_stream *stream, const char *function);
/* Looks at what the backend answered: QN_ELOST marks the device, QN_EBACKEND stays on the stream;
 * what concerns one call alone (memory, an unsupported dtype) passes through. */
qn_status qn_stream_result(qn_stream *stream, qn_status status);

/* Brackets one step of a routine. Begin returns the time when the stream is traced (it waits for
 * what came before), else 0; end waits for the step, fills in the seconds and tells the trace. */
double qn_trace_begin(qn_stream *stream);
qn_status qn_trace_end(qn_stream *stream, double begun, qn_trace_step step);

/* ---- lanes: streams beside a stream, for parts of a routine that need not wait for one another
 *
 *   stream  --[ before ]--(fork)--[ part 0 ]--(join)--[ after ]
 *   lane 1                   \\---[ part 1 ]---/
 *   lane 2                    \\--[ part 2 ]--/
 *
 * Lane 0 is the stream itself. */

/* How many parts a routine may take on this stream: 1 where work runs inline or is traced. */
int qn_lanes(const qn_stream *stream);
/* Lanes 0 .. count-1 begin after what the stream has been given. Nothing is enqueued on failure. */
qn_status qn_lanes_fork(qn_stream *stream, int count);
qn_stream *qn_lane(qn_stream *stream, int lane);
/* The stream goes on when the lanes are done; to be called after a fork whatever the parts said. */
qn_status qn_lanes_join(qn_stream *stream, int count);
/* Later work of `waiter` waits for all that `stream` has been given so far (pool.c). Under the
 * device's lock. */
qn_status qn_stream_wait_for(qn_stream *stream, qn_stream *waiter);

/* ---- buffers and views ---- */

/* The slow half of qn_buffer_use. */
qn_status qn_buffer_join(qn_buffer *buffer, qn_stream *stream);
/* The host waits for what may still be at work on the block from a former life. */
void qn_buffer_settle(qn_buffer *buffer);

/* To be called before work on the buffer is enqueued: notes that the stream uses it, and orders the
 * stream after whatever may still be at work on the block from a former life. */
static inline qn_status qn_buffer_use(qn_buffer *buffer, qn_stream *stream) {
  if (stream->device->cpu || buffer->wrapped) return QN_OK;
  uint64_t used = atomic_load_explicit(&buffer->used, memory_order_relaxed);
  if (used >> stream->slot & 1 && stream->slot != QN_STREAM_SLOTS - 1) return QN_OK;
  return qn_buffer_join(buffer, stream);
}

/* Workspace of one routine: taken from the pool for `stream`; qn_scratch_free gives it back in
 * stream order, so that a later call on the same stream may have it without waiting. */
qn_status qn_scratch_alloc(qn_stream *stream, size_t bytes, qn_buffer **buffer);
void qn_scratch_free(qn_stream *stream, qn_buffer *buffer);

/* The first bytes of a buffer to `to`, which is written by the next sync of the stream or by its
 * end: qn_copy_out, but the host goes on at once whatever memory `to` is. For results of a few
 * bytes. */
qn_status qn_post(qn_stream *stream, void *to, const qn_buffer *src, size_t bytes);
/* The same without a copy: a pinned buffer, which the stream keeps, for a kernel that writes it.
 * NULL where there is none. */
qn_buffer *qn_post_place(qn_stream *stream, void *to, size_t bytes);
/* Before anything else writes these bytes: what was posted to them is not delivered any more. */
void qn_recall(qn_stream *stream, const void *to, size_t bytes);
/* To be called when the stream has been waited for: hands out what was posted, or throws it away.
 */
void qn_deliver(qn_stream *stream, bool arrived);

/* The host's view of a matrix on a device with cpu_ops. */
static inline qn_cpu_matrix qn_cpu_view(qn_matrix m) {
  char *base = (char *)m.buffer->host + (size_t)m.offset * qn_dtype_size(m.dtype);
  return (qn_cpu_matrix){base, m.rows, m.cols, m.ld};
}

/* Checks a view for a call on `stream`: device, dtype known, sizes not negative, ld, bounds (with
 * no overflow); and, as qn_buffer_use, readies its buffer for the stream. The error names
 * `function` and `argument`. */
qn_status qn_matrix_check(qn_stream *stream, qn_matrix m, const char *function,
                          const char *argument);

/* ---- the pool (pool.c) ---- */

qn_status qn_pool_new(qn_device *device);
/* `stream` (or NULL) is where the block will be used first. */
qn_status qn_pool_take(qn_device *device, qn_memory kind, size_t bytes, const qn_stream *stream,
                       qn_buffer **buffer);
void qn_pool_give(qn_buffer *buffer);
void qn_pool_delete(qn_device *device);

#endif
