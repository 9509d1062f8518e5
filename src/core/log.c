/* The log callback: set once, called from any thread. */
#include "core.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic(qn_log_fn) log_fn;
static void *_Atomic log_user;

void qn_set_log(qn_log_fn fn, void *user) {
  atomic_store(&log_fn, NULL);
  atomic_store(&log_user, user);
  atomic_store(&log_fn, fn);
}

bool qn_log_enabled(void) {
  return atomic_load_explicit(&log_fn, memory_order_relaxed) != NULL;
}

void qn_log(qn_log_level level, const char *format, ...) {
  qn_log_fn fn = atomic_load(&log_fn);
  if (!fn) return;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fn(atomic_load(&log_user), level, text);
}
