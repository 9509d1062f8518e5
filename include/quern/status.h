/* Status codes, the text of the last error, the log callback and the host allocator.
 *
 * The library never prints, exits or aborts. Every function that can fail returns a qn_status;
 * qn_last_error() then says in one line which function, which argument and which value it was,
 * and what the driver or system answered. */
#ifndef QUERN_STATUS_H
#define QUERN_STATUS_H

#include <stddef.h>

#define QN_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is success; failures are negative, grouped by who can mend them. */
typedef enum qn_status {
  QN_OK = 0,
  /* the caller */
  QN_EINVAL = -1,       /* an argument is wrong; qn_last_error() names it */
  QN_EUNSUPPORTED = -2, /* right in itself, but this device or build cannot do it */
  QN_EFORMAT = -3,      /* a file or text is malformed */
  QN_EIO = -4,          /* a file cannot be read or written */
  /* the machine */
  QN_ENOMEM = -16,    /* host memory is exhausted */
  QN_EDEVMEM = -17,   /* device memory, or the pool's limit, is exhausted */
  QN_ENODEVICE = -18, /* no such device, or no driver for it */
  QN_EBACKEND = -19,  /* a driver call failed */
  QN_ELOST = -20,     /* the device is lost: its context died, all its streams fail from now on */
  QN_ECOMPILE = -21   /* a kernel failed to compile; the build log is in qn_last_error() */
} qn_status;

/* A short constant text for a code, never NULL. */
QN_API const char *qn_status_string(qn_status status);

/* One line on the calling thread's most recent failure, "" if there was none; after QN_ECOMPILE the
 * build log follows with more. The text belongs to the thread and stays until its next failure; a
 * success leaves it as it is. */
QN_API const char *qn_last_error(void);

typedef enum qn_log_level { QN_LOG_ERROR, QN_LOG_WARNING, QN_LOG_INFO, QN_LOG_DEBUG } qn_log_level;

/* Receives messages (without a newline) from any thread that is inside the library. It must not
 * call the library, which may hold locks. */
typedef void (*qn_log_fn)(void *user, qn_log_level level, const char *message);

/* Sets the process-wide log callback; NULL (the default) drops all messages. Not to be called
 * while other threads are inside the library. */
QN_API void qn_set_log(qn_log_fn fn, void *user);

/* Where the library's host memory comes from. `alloc` returns memory aligned to at least
 * `alignment` (a power of two) or NULL; `free` gets what `alloc` returned and the same size. */
typedef struct qn_allocator {
  void *(*alloc)(void *user, size_t size, size_t alignment);
  void (*free)(void *user, void *pointer, size_t size);
  void *user;
} qn_allocator;

/* Replaces the allocator of the process; NULL restores the default (aligned_alloc). To be called
 * before the first other call, or while the library holds no object. The default keeps freed
 * workspaces of a thread for its next call; a replacement sees every request. */
QN_API void qn_set_allocator(const qn_allocator *allocator);

/* "1.2.3" of the library that runs (quern.h has the version compiled against). */
QN_API const char *qn_version_string(void);

#ifdef __cplusplus
}
#endif
#endif
