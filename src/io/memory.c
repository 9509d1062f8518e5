/* The memory that is left to this process, from the system, its control group and its limits. */
#include "io/memory.h"
#include "core/core.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number after `key` in a file of "key: number kB" lines, in bytes. */
static bool kilobytes_of(const char *path, const char *key, uint64_t *bytes) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  char line[256];
  bool found = false;
  size_t length = strlen(key);
  while (!found && fgets(line, sizeof line, file)) {
    if (strncmp(line, key, length) != 0) continue;
    uint64_t kilobytes;
    if (sscanf(line + length, ": %" SCNu64, &kilobytes) == 1) {
      *bytes = kilobytes * 1024;
      found = true;
    }
  }
  fclose(file);
  return found;
}

/* The one number a control file holds; false for "max" or no file. */
static bool number_in(const char *path, uint64_t *number) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  bool found = fscanf(file, "%" SCNu64, number) == 1;
  fclose(file);
  return found;
}

static uint64_t left_of(uint64_t limit, uint64_t used) {
  return limit > used ? limit - used : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t system_memory(void) {
  uint64_t available, swap;
  if (kilobytes_of("/proc/meminfo", "MemAvailable", &available)) {
    if (!kilobytes_of("/proc/meminfo", "SwapFree", &swap)) swap = 0;
    return available + swap;
  }
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
}

/* The limits of a container, as they are mounted there. The group's use counts cached files, which
 * would be given up, so the limit is taken against this process's own pages alone. */
static uint64_t group_memory(uint64_t resident) {
  static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                       "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    uint64_t limit;
    if (number_in(limits[i], &limit)) return left_of(limit, resident);
  }
  return UINT64_MAX;
}

static uint64_t limit_memory(int resource, uint64_t used) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return left_of((uint64_t)limit.rlim_cur, used);
}

uint64_t qn_io_memory_available(void) {
  uint64_t resident = 0, mapped = 0, data = 0;
  kilobytes_of("/proc/self/status", "VmRSS", &resident);
  kilobytes_of("/proc/self/status", "VmSize", &mapped);
  kilobytes_of("/proc/self/status", "VmData", &data);
  uint64_t least = smaller(system_memory(), group_memory(resident));
  least = smaller(least, limit_memory(RLIMIT_AS, mapped));
  return smaller(least, limit_memory(RLIMIT_DATA, data));
}

qn_io_size_text qn_io_size(uint64_t bytes) {
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  qn_io_size_text size;
  if (bytes < 1000) {
    snprintf(size.text, sizeof size.text, "%u bytes", (unsigned)bytes);
    return size;
  }
  double scaled = (double)bytes / 1000;
  size_t unit = 0;
  while (scaled >= 999.95 && unit + 1 < sizeof units / sizeof *units) {
    scaled /= 1000;
    unit++;
  }
  snprintf(size.text, sizeof size.text, "%.1f %s", scaled, units[unit]);
  return size;
}
