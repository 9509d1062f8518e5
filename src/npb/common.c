/* Clock, timer flag and random positions of the benchmarks. */
#include "npb/npb.h"
#include <quern/rng.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

double npb_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool npb_timers_wanted(void) {
  static const char *const yes[] = {"", "on", "yes", "true"};
  const char *flag = getenv("NPB_TIMER_FLAG");
  if (!flag) return access("timer.flag", R_OK) == 0;
  if (*flag >= '1' && *flag <= '9') return true;
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
    if (strcasecmp(flag, yes[i]) == 0) return true;
  return false;
}

uint64_t npb_lcg_power(uint64_t n) {
  qn_rng one = {1};
  qn_rng_skip(&one, n);
  return one.state;
}
