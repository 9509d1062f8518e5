/* What every part of the library shares: failing, logging, the environment, host memory. */
#ifndef QN_CORE_H
#define QN_CORE_H

#include <quern/types.h>

#define QN_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Sets the thread's last error to "<function>: <text>" and returns `status`, so that a caller can
 * write: return qn_fail(QN_EINVAL, "qn_trsm", "a is %lld x %lld, not square", ...); */
qn_status qn_fail(qn_status status, const char *function, const char *format, ...) QN_PRINTF(3, 4);
#ifdef __clang_analyzer__ /* it sees one file at a time: what this returns is not QN_OK */
#define qn_fail(status, ...) (qn_fail(status, __VA_ARGS__), (status))
#endif

/* Leaves the enclosing function with the status of a call that failed. */
#define QN_TRY(call)                                                                               \
  do {                                                                                             \
    qn_status qn_try_status = (call);                                                              \
    if (qn_try_status != QN_OK) return qn_try_status;                                              \
  } while (0)

/* Puts a prefix before the thread's last error (a file name, the outer function). */
void qn_error_prefix(const char *format, ...) QN_PRINTF(1, 2);

void qn_log(qn_log_level level, const char *format, ...) QN_PRINTF(2, 3);
bool qn_log_enabled(void);

/* Environment: values are read each time; a malformed one is logged once per call and ignored. */
const char *qn_env_string(const char *name, const char *fallback);
int64_t qn_env_int(const char *name, int64_t fallback, int64_t low, int64_t high);
/* A size such as 4G, 512M, 100000. */
uint64_t qn_env_bytes(const char *name, uint64_t fallback);

/* Host memory, through the process's qn_allocator. NULL when exhausted (the caller fails with
 * QN_ENOMEM). qn_host_free takes the size that was asked for; NULL is allowed. */
enum { QN_HOST_ALIGN = 64 };
void *qn_host_alloc(size_t size);
void *qn_host_zalloc(size_t size);
void qn_host_free(void *pointer, size_t size);
/* Whether the default allocator is in place (memory may then be kept for a later call). */
bool qn_host_alloc_is_default(void);
char *qn_host_strdup(const char *text);
void qn_host_strfree(char *text);

/* Checked arithmetic on sizes: false on overflow. */
static inline bool qn_mul_size(size_t a, size_t b, size_t *out) {
  return !__builtin_mul_overflow(a, b, out);
}
static inline bool qn_add_size(size_t a, size_t b, size_t *out) {
  return !__builtin_add_overflow(a, b, out);
}

static inline int64_t qn_min64(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t qn_max64(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static inline int64_t qn_ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
static inline int64_t qn_round_up(int64_t a, int64_t b) {
  return qn_ceil_div(a, b) * b;
}

static inline bool qn_dtype_is_complex(qn_dtype t) {
  return t == QN_C64 || t == QN_C128;
}
static inline bool qn_dtype_is_half(qn_dtype t) {
  return t == QN_F16 || t == QN_BF16;
}
/* The dtype that arithmetic on t is done in, f32 for the halves. */
static inline qn_dtype qn_dtype_compute(qn_dtype t) {
  return qn_dtype_is_half(t) ? QN_F32 : t;
}

#endif
