/* The clock of the benches, and the wait for threads to fall asleep. */
#include "bench/timing.h"
#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

void bench_settle(double limit) {
  const double nap = 0.5e-3;
  const double start = bench_now();
  do {
    const double wall = bench_now(), busy = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const struct timespec pause = {0, (long)(nap * 1e9)};
    nanosleep(&pause, NULL);
    const double spent = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - busy;
    /* A thread that spins through the nap spends nearly all of it; waking up spends a few us. */
    if (spent < 0.25 * (bench_now() - wall)) return;
  } while (bench_now() - start < limit);
}
