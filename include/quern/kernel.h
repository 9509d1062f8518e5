/* Kernels of your own: source text, compiled for the device once, launched with checked arguments.
 *
 * The text is OpenCL C 1.2. It also runs on CUDA devices, where the library gives its words their
 * meaning, as long as it keeps to these rules:
 *   - the qualifiers have their underscores: __kernel, __global, __local, __constant;
 *   - local memory is a variable in the kernel, not an argument; a function that gets a pointer to
 *     it writes QN_LOCAL_PTR for the qualifier;
 *   - vectors are built with QN_F32X2(x, y) and the like and have no operators of their own.
 * The words of src/kernels/portable/prelude.cl are there too, on every device.
 *
 * Compiled code is kept on disk ($QUERN_CACHE_DIR, $XDG_CACHE_HOME/quern or ~/.cache/quern) and
 * used again by the next process; QUERN_CACHE_LIMIT caps it (256M; 0 keeps nothing). */
#ifndef QUERN_KERNEL_H
#define QUERN_KERNEL_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_kernel qn_kernel;

/* Compiles `source` for the device, or takes it from a cache, and finds the kernel `name` in it.
 * options: words such as "-DTILE=16", or NULL.
 * Memory : the text is copied; the code belongs to the device and is shared by equal kernels.
 * Errors : QN_ECOMPILE (the build log is in qn_last_error), QN_EINVAL (no kernel of that name),
 *          QN_EUNSUPPORTED (a device without a compiler: the cpu). */
QN_API qn_status qn_kernel_create(qn_device *device, const char *name, const char *source,
                                  const char *options, qn_kernel **kernel);
/* May be called while launches are in flight. NULL is allowed. */
QN_API void qn_kernel_free(qn_kernel *kernel);

/* The compiler's report; a field is 0 where the driver does not tell. */
typedef struct qn_kernel_report {
  unsigned registers;   /* an item */
  unsigned local_bytes; /* of local memory, a group */
  unsigned spill_bytes; /* of registers that went to memory, an item */
  unsigned max_group;   /* items a group may have */
  int arguments;        /* how many it takes; -1 where the driver does not tell */
} qn_kernel_report;

/* On NVIDIA's OpenCL the first query of a module compiles it once more. */
QN_API qn_status qn_kernel_query(const qn_kernel *kernel, qn_kernel_report *report);

/* Of the items that a multiprocessor can hold, the share that it holds of this kernel in groups of
 * `group`: 1 where neither registers nor local memory keep any away; 0 where the driver does not
 * tell. */
QN_API qn_status qn_kernel_occupancy(const qn_kernel *kernel, uint32_t group, double *share);

/* Forms of compiled code of NVIDIA's cards. */
typedef enum qn_code {
  QN_CODE_PTX,  /* text for the driver */
  QN_CODE_CUBIN /* machine code, an ELF file */
} qn_code;

/* One compiled module. */
typedef struct qn_code_module {
  const char *source;  /* the kernel's file, "cuda/gemm_mma_naive.cu" */
  const char *options; /* what it was compiled with */
  const char *entry;   /* the kernel's name in it */
  const void *code;    /* PTX without a NUL at its end, or a cubin */
  size_t size;         /* bytes */
  double seconds;      /* that the compiler took */
} qn_code_module;

/* Sees one; what it points to goes when it returns. */
typedef void (*qn_code_fn)(void *user, const qn_code_module *module);

/* ---- arguments ---- */

typedef enum qn_kernel_arg_kind {
  QN_KERNEL_BUFFER,
  QN_KERNEL_I32,
  QN_KERNEL_I64,
  QN_KERNEL_F32,
  QN_KERNEL_F64,
  QN_KERNEL_BYTES, /* any other type by value */
  QN_KERNEL_LOCAL  /* local memory as an argument: OpenCL devices only */
} qn_kernel_arg_kind;

typedef struct qn_kernel_arg {
  qn_kernel_arg_kind kind;
  size_t size; /* BYTES, LOCAL */
  union {
    qn_buffer *buffer;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    const void *bytes; /* read before the launch returns */
  } as;
} qn_kernel_arg;

static inline qn_kernel_arg qn_arg_buffer(qn_buffer *buffer) {
  qn_kernel_arg arg = {QN_KERNEL_BUFFER, 0, {buffer}};
  return arg;
}
static inline qn_kernel_arg qn_arg_i32(int32_t value) {
  qn_kernel_arg arg = {QN_KERNEL_I32, 0, {NULL}};
  arg.as.i32 = value;
  return arg;
}
static inline qn_kernel_arg qn_arg_i64(int64_t value) {
  qn_kernel_arg arg = {QN_KERNEL_I64, 0, {NULL}};
  arg.as.i64 = value;
  return arg;
}
static inline qn_kernel_arg qn_arg_f32(float value) {
  qn_kernel_arg arg = {QN_KERNEL_F32, 0, {NULL}};
  arg.as.f32 = value;
  return arg;
}
static inline qn_kernel_arg qn_arg_f64(double value) {
  qn_kernel_arg arg = {QN_KERNEL_F64, 0, {NULL}};
  arg.as.f64 = value;
  return arg;
}
static inline qn_kernel_arg qn_arg_bytes(const void *value, size_t size) {
  qn_kernel_arg arg = {QN_KERNEL_BYTES, size, {NULL}};
  arg.as.bytes = value;
  return arg;
}
static inline qn_kernel_arg qn_arg_local(size_t bytes) {
  qn_kernel_arg arg = {QN_KERNEL_LOCAL, bytes, {NULL}};
  return arg;
}

/* ---- launching ---- */

/* The shape of a launch: groups of items. A kernel runs for whole groups, so it compares its
 * global id with the size it is given. */
typedef struct qn_grid {
  uint32_t groups[3]; /* along y and z at most 65535 on CUDA */
  uint32_t group[3];
} qn_grid;

/* As many groups of `group` items as cover `items`. */
static inline qn_grid qn_grid_1d(uint64_t items, uint32_t group) {
  qn_grid grid = {{(uint32_t)((items + group - 1) / group), 1, 1}, {group, 1, 1}};
  return grid;
}
static inline qn_grid qn_grid_2d(uint64_t items_x, uint64_t items_y, uint32_t group_x,
                                 uint32_t group_y) {
  qn_grid grid = {{(uint32_t)((items_x + group_x - 1) / group_x),
                   (uint32_t)((items_y + group_y - 1) / group_y), 1},
                  {group_x, group_y, 1}};
  return grid;
}

/* Enqueues one launch; a grid without items returns at once.
 * Async  : ordered on `stream`; returns before completion.
 * Errors : QN_EINVAL, naming the argument by its number from 0: a count, kind or size that the
 *          kernel does not declare (as far as the driver tells), a buffer of another device, a
 *          group larger than the kernel allows. After an error nothing was enqueued. */
QN_API qn_status qn_kernel_launch(qn_stream *stream, qn_kernel *kernel, qn_grid grid,
                                  const qn_kernel_arg *args, unsigned count);

/* ---- the cache on disk ---- */

/* One compiled module on disk. */
typedef struct qn_cache_row {
  char key[33];   /* hexadecimal */
  char what[256]; /* source, options and what it was compiled for */
  uint64_t bytes;
  int64_t used; /* last use, seconds since 1970 */
} qn_cache_row;

/* The folder. QN_EUNSUPPORTED when the library was built without xxhash; so are the next two. */
QN_API qn_status qn_cache_path(char *path, size_t size);
/* Writes at most `capacity` rows, longest unused first; *count is the number there are. */
QN_API qn_status qn_cache_list(qn_cache_row *rows, unsigned capacity, unsigned *count);
/* Removes all of it; *removed (may be NULL) counts. */
QN_API qn_status qn_cache_clear(unsigned *removed);

#ifdef __cplusplus
}
#endif
#endif
