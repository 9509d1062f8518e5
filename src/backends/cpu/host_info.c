/* What the operating system tells about the processor: /proc and /sys on Linux, sysctl on macOS. */
#include "backends/cpu/host_info.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void machine_name(char *text, size_t size) {
  struct utsname system;
  snprintf(text, size, "%s", uname(&system) == 0 ? system.machine : "cpu");
}

#ifdef __APPLE__
#include <sys/sysctl.h>

static uint64_t sysctl_number(const char *name) {
  uint64_t value = 0;
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

void qn_host_cpu_name(char *text, size_t size) {
  if (sysctlbyname("machdep.cpu.brand_string", text, &size, NULL, 0) != 0) machine_name(text, size);
}

unsigned qn_host_clock_mhz(void) {
  return (unsigned)(sysctl_number("hw.cpufrequency_max") / 1000000);
}

uint64_t qn_host_memory(void) {
  return sysctl_number("hw.memsize");
}

uint64_t qn_host_last_cache(void) {
  uint64_t third = sysctl_number("hw.l3cachesize");
  return third ? third : sysctl_number("hw.l2cachesize");
}

#else
enum { LINE_BYTES = 1024 };

/* The value of the first "key : value" line of /proc/cpuinfo; false when it has none. */
static bool cpuinfo_value(const char *key, char *value, size_t size) {
  FILE *file = fopen("/proc/cpuinfo", "re");
  if (!file) return false;
  char line[LINE_BYTES];
  bool found = false;
  while (!found && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
    char *text = colon + 1 + strspn(colon + 1, " \t");
    text[strcspn(text, "\n")] = '\0';
    snprintf(value, size, "%s", text);
    found = *text != '\0';
  }
  fclose(file);
  return found;
}

/* A number such as "32768K" or "3500000" from a file of /sys; 0 when it cannot be read. */
static uint64_t sys_number(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  char line[LINE_BYTES] = "";
  char *end = line;
  uint64_t value = fgets(line, sizeof line, file) ? strtoull(line, &end, 10) : 0;
  fclose(file);
  if (*end == 'K') value <<= 10;
  if (*end == 'M') value <<= 20;
  return value;
}

void qn_host_cpu_name(char *text, size_t size) {
  if (!cpuinfo_value("model name", text, size) && !cpuinfo_value("Hardware", text, size))
    machine_name(text, size);
}

unsigned qn_host_clock_mhz(void) {
  uint64_t khz = sys_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (khz) return (unsigned)(khz / 1000);
  char text[64];
  return cpuinfo_value("cpu MHz", text, sizeof text) ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/* A container has less than the machine; "max" reads as 0. */
uint64_t qn_host_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
  uint64_t limit = sys_number("/sys/fs/cgroup/memory.max");
  if (!limit) limit = sys_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
  return limit && limit < bytes ? limit : bytes;
}

/* Levels are numbered upwards: the last index that exists is the last level. */
uint64_t qn_host_last_cache(void) {
  uint64_t last = 0;
  for (int index = 0;; index++) {
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    uint64_t bytes = sys_number(path);
    if (!bytes) return last;
    last = bytes;
  }
}
#endif
