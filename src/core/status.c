/* Codes and the thread's last error. */
#include "core.h"
#include <quern/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = 4096 };

static _Thread_local char last_error[ERROR_BYTES];

const char *qn_status_string(qn_status status) {
  switch (status) {
  case QN_OK:
    return "success";
  case QN_EINVAL:
    return "invalid argument";
  case QN_EUNSUPPORTED:
    return "not supported by this device";
  case QN_EFORMAT:
    return "malformed input";
  case QN_EIO:
    return "input or output failed";
  case QN_ENOMEM:
    return "out of host memory";
  case QN_EDEVMEM:
    return "out of device memory";
  case QN_ENODEVICE:
    return "no such device";
  case QN_EBACKEND:
    return "driver call failed";
  case QN_ELOST:
    return "device lost";
  case QN_ECOMPILE:
    return "kernel compilation failed";
  }
  return "unknown status";
}

const char *qn_last_error(void) {
  return last_error;
}

const char *qn_version_string(void) {
  return QN_VERSION_STRING;
}

/* The brackets keep it from being taken for the analyser's macro. */
qn_status(qn_fail)(qn_status status, const char *function, const char *format, ...) {
  int used = snprintf(last_error, sizeof last_error, "%s: ", function);
  if (used < 0 || used >= ERROR_BYTES) return status;
  va_list args;
  va_start(args, format);
  vsnprintf(last_error + used, sizeof last_error - (size_t)used, format, args);
  va_end(args);
  qn_log(QN_LOG_ERROR, "%s", last_error);
  return status;
}

void qn_error_prefix(const char *format, ...) {
  char tail[ERROR_BYTES];
  memcpy(tail, last_error, sizeof tail);
  va_list args;
  va_start(args, format);
  int used = vsnprintf(last_error, sizeof last_error, format, args);
  va_end(args);
  if (used < 0 || used >= ERROR_BYTES) return;
  snprintf(last_error + used, sizeof last_error - (size_t)used, "%.*s",
           (int)(sizeof last_error - (size_t)used - 1), tail);
}
