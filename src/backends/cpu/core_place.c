/* Which core a thread runs on: known and changed on Linux alone. */
#define _GNU_SOURCE /* sched_getcpu, sched_setaffinity, gettid */
#include "backends/cpu/core_place.h"

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

int qn_core_here(void) {
  return sched_getcpu();
}

int qn_core_thread(void) {
  return (int)syscall(SYS_gettid);
}

bool qn_core_shun(int thread, int core) {
  cpu_set_t cores;
  if (core < 0 || sched_getaffinity(thread, sizeof cores, &cores) != 0) return false;
  CPU_CLR((size_t)core, &cores);
  return CPU_COUNT(&cores) > 0 && sched_setaffinity(thread, sizeof cores, &cores) == 0;
}

void qn_core_readmit(int core) {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  CPU_SET((size_t)core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

#else

int qn_core_here(void) {
  return -1;
}

int qn_core_thread(void) {
  return 0;
}

bool qn_core_shun(int thread, int core) {
  (void)thread;
  (void)core;
  return false;
}

void qn_core_readmit(int core) {
  (void)core;
}
#endif
