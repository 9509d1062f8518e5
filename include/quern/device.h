/* Devices, streams, events and buffers: the same words for every backend.
 *
 * All objects are reference-counted by what hangs on them: a device may be closed while its streams
 * and buffers live, and goes when the last of them goes. Every function is safe to call from many
 * threads; one stream is to be used by one thread at a time. */
#ifndef QUERN_DEVICE_H
#define QUERN_DEVICE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_device qn_device;
typedef struct qn_stream qn_stream;
typedef struct qn_event qn_event;
typedef struct qn_buffer qn_buffer;

/* ---- devices ---- */

typedef enum qn_device_kind { QN_DEVICE_CPU, QN_DEVICE_GPU, QN_DEVICE_OTHER } qn_device_kind;

typedef struct qn_device_info {
  char id[32];      /* the name that opens it: "cpu", "cuda:0", "opencl:1" */
  char backend[16]; /* "cpu", "cuda", "opencl" */
  char name[128];   /* the product's name */
  char arch[32];    /* instruction set or architecture: "avx512", "sm_90a", "OpenCL 3.0" */
  char driver[64];  /* driver or runtime version, "" where there is none */
  qn_device_kind kind;
  unsigned dtypes;        /* bit (1u << dtype) for each dtype that computes here */
  unsigned compute_units; /* cores or multiprocessors */
  unsigned clock_mhz;     /* 0 where unknown */
  uint64_t memory;        /* bytes, in all */
  uint64_t memory_max;    /* bytes, the largest single allocation */
  uint64_t cache;         /* bytes, the last level; 0 where unknown */
  uint64_t local_memory;  /* bytes of shared or local memory a group may have */
} qn_device_info;

/* One row for each backend built in, whether or not it was found. */
typedef struct qn_backend_info {
  char name[16];
  unsigned devices;  /* 0 where nothing was found */
  char message[256]; /* what was found, or what is missing and which package brings it */
} qn_backend_info;

/* Writes at most `capacity` rows; *count is the number there are. */
QN_API qn_status qn_backends(qn_backend_info *rows, unsigned capacity, unsigned *count);
QN_API qn_status qn_devices(qn_device_info *rows, unsigned capacity, unsigned *count);

/* Opens a device by name. "auto" prefers a CUDA card, then an OpenCL GPU, then the cpu, never an
 * OpenCL CPU. "cuda:sm_90a" is a card on paper: it compiles for that architecture, where NVRTC is
 * found, and computes nothing. QN_ENODEVICE when there is none of that name, QN_EINVAL when it is
 * no name. */
QN_API qn_status qn_device_open(const char *name, qn_device **device);
/* As "auto", passing over devices that lack the dtype. */
QN_API qn_status qn_device_open_for(qn_dtype dtype, qn_device **device);
QN_API void qn_device_close(qn_device *device);
QN_API qn_status qn_device_query(qn_device *device, qn_device_info *info);

/* Threads for the cpu device of this process, up to 4096 (it uses 256 at most); 0 = what
 * QUERN_THREADS says, else one a core that the process may run on. */
QN_API qn_status qn_set_num_threads(int threads);
QN_API int qn_num_threads(void);

/* Streams that one routine may use, up to 8; 0 = what QUERN_STREAMS says, else 1. With more, solves
 * and products with a triangle work on that many parts of a wide B side by side, where the device
 * has room beside one. Their bits depend on it. A stream makes its own when a routine first asks.
 */
QN_API qn_status qn_set_num_streams(int streams);
QN_API int qn_num_streams(void);

/* ---- streams: work in order, returning at once (the cpu's work runs inline) ---- */

QN_API qn_status qn_stream_create(qn_device *device, qn_stream **stream);
/* Takes a CUstream or cl_command_queue of the caller, who keeps it alive and owns it.
 * QN_EUNSUPPORTED on the cpu, which has none. Not for capture into a CUDA graph: a launch may rely
 * on what the launch before it on this stream left behind. */
QN_API qn_status qn_stream_wrap(qn_device *device, void *native, qn_stream **stream);
/* Waits for its work, then frees it. NULL is allowed. */
QN_API void qn_stream_free(qn_stream *stream);
/* Waits for all work enqueued. A fault of asynchronous work surfaces here and stays on the
 * stream: every later call on it returns the same status, and qn_last_error() repeats the cause. */
QN_API qn_status qn_stream_sync(qn_stream *stream);
QN_API qn_status qn_stream_set_math(qn_stream *stream, qn_math math);
QN_API qn_math qn_stream_math(const qn_stream *stream);
QN_API qn_device *qn_stream_device(const qn_stream *stream);

/* One step of a routine, as a trace sees it. */
typedef struct qn_trace_step {
  const char *kind;    /* "gemm" "base" "pack" "copy" "alloc" "compile" "other" */
  const char *variant; /* which implementation ran, "cpu_packed" */
  const char *why;     /* why it was chosen, "" where there was no choice */
  int64_t m, n, k;     /* shape, 0 where it has none */
  double seconds, flops, bytes;
} qn_trace_step;

typedef void (*qn_trace_fn)(void *user, const qn_trace_step *step);

/* Calls `fn` after each step of the routines that follow on this stream, from the thread that calls
 * them; NULL ends it. While a trace is set the stream waits for each step in order to time it. */
QN_API qn_status qn_stream_set_trace(qn_stream *stream, qn_trace_fn fn, void *user);

/* ---- events: one that was never recorded holds nobody up ---- */

QN_API qn_status qn_event_create(qn_device *device, qn_event **event);
QN_API void qn_event_free(qn_event *event);
/* Marks this point of the stream's work. */
QN_API qn_status qn_event_record(qn_event *event, qn_stream *stream);
/* Later work of `stream` waits for the mark (the host does not). */
QN_API qn_status qn_event_wait(qn_event *event, qn_stream *stream);
QN_API qn_status qn_event_sync(qn_event *event);
/* Seconds between two marks of one device; waits for both. QN_EINVAL when one was never recorded.
 */
QN_API qn_status qn_event_elapsed(qn_event *start, qn_event *stop, double *seconds);

/* ---- buffers ---- */

typedef enum qn_memory {
  QN_MEMORY_DEVICE, /* the device's own */
  QN_MEMORY_PINNED  /* host memory that the device copies at full speed */
} qn_memory;

/* Takes `bytes` (0 is allowed) from the device's pool; the contents are undefined.
 * Memory : stays in the pool after qn_buffer_free until trimmed (QUERN_POOL_LIMIT caps it).
 * Errors : QN_EDEVMEM when neither pool nor driver has room, even after trimming. */
QN_API qn_status qn_buffer_alloc(qn_device *device, qn_memory kind, size_t bytes,
                                 qn_buffer **buffer);
/* Views memory of the caller, who owns it and keeps it alive: host memory on the cpu device, a
 * CUdeviceptr, a cl_mem. It begins at a multiple of the size of the elements that matrices of it
 * have (of their parts, where they are complex and the device is the cpu). */
QN_API qn_status qn_buffer_wrap(qn_device *device, void *native, size_t bytes, qn_buffer **buffer);
/* Takes effect after all work already enqueued on the buffer. NULL is allowed. */
QN_API void qn_buffer_free(qn_buffer *buffer);
QN_API size_t qn_buffer_size(const qn_buffer *buffer);
QN_API qn_device *qn_buffer_device(const qn_buffer *buffer);
/* Where the host can read and write it: cpu and pinned buffers; NULL for others. Both wait for work
 * that a former owner of the memory left behind; for work of your own, sync first. */
QN_API void *qn_buffer_host(const qn_buffer *buffer);
/* The driver's handle: host pointer, CUdeviceptr, cl_mem. */
QN_API void *qn_buffer_native(const qn_buffer *buffer);

/* Copies, ordered on the stream; offsets and sizes in bytes. Host memory that is not pinned may be
 * reused when the call returns (`in`), or after the next sync (`out`). Source and destination must
 * not overlap. */
QN_API qn_status qn_copy_in(qn_stream *stream, qn_buffer *dst, size_t dst_offset, const void *src,
                            size_t bytes);
QN_API qn_status qn_copy_out(qn_stream *stream, void *dst, const qn_buffer *src, size_t src_offset,
                             size_t bytes);
QN_API qn_status qn_copy(qn_stream *stream, qn_buffer *dst, size_t dst_offset, const qn_buffer *src,
                         size_t src_offset, size_t bytes);
/* Repeats the low `width` (1, 2, 4) bytes of `pattern`; offset and bytes are multiples of width. */
QN_API qn_status qn_fill(qn_stream *stream, qn_buffer *dst, size_t offset, size_t bytes,
                         uint32_t pattern, unsigned width);

/* ---- the pool ---- */

typedef struct qn_pool_stats {
  uint64_t in_use, held; /* bytes of blocks in buffers, and of those plus the cached ones */
  uint64_t peak;         /* the most that was in use at once */
  uint64_t limit;        /* 0 = none */
  uint64_t requests, driver_calls; /* allocations asked for, and those that reached the driver */
} qn_pool_stats;

QN_API qn_status qn_pool_query(qn_device *device, qn_pool_stats *stats);
/* Gives back to the driver what is not in use. */
QN_API qn_status qn_pool_trim(qn_device *device);
/* Caps `held`; 0 lifts the cap. */
QN_API qn_status qn_pool_set_limit(qn_device *device, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
