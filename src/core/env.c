/* Environment variables, read where they are used. */
#include "core.h"
#include <errno.h>
#include <stdlib.h>

const char *qn_env_string(const char *name, const char *fallback) {
  const char *text = getenv(name);
  return text && *text ? text : fallback;
}

int64_t qn_env_int(const char *name, int64_t fallback, int64_t low, int64_t high) {
  const char *text = qn_env_string(name, NULL);
  if (!text) return fallback;
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno == 0 && *end == '\0' && value >= low && value <= high) return value;
  qn_log(QN_LOG_WARNING, "%s=%s ignored: not a whole number from %lld to %lld", name, text,
         (long long)low, (long long)high);
  return fallback;
}

uint64_t qn_env_bytes(const char *name, uint64_t fallback) {
  const char *text = qn_env_string(name, NULL);
  if (!text) return fallback;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  unsigned shift = 0;
  switch (*end) {
  case 'k':
  case 'K':
    shift = 10;
    break;
  case 'm':
  case 'M':
    shift = 20;
    break;
  case 'g':
  case 'G':
    shift = 30;
    break;
  case 't':
  case 'T':
    shift = 40;
    break;
  }
  if (shift) end++;
  if (errno == 0 && end != text && *text != '-' && *end == '\0' && value <= UINT64_MAX >> shift)
    return (uint64_t)value << shift;
  qn_log(QN_LOG_WARNING, "%s=%s ignored: not a size such as 512M or 4G", name, text);
  return fallback;
}
