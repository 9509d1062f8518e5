/* The clock of the benches. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

/* Seconds of a monotonic clock. */
double bench_now(void);

/* Waits until the threads of this process sleep, at most `limit` seconds.
 *
 * The worker threads of a BLAS go on spinning for some time after a call. Timed right after it,
 * another library would share its cores with them; so the two sides of a pair are kept apart. */
void bench_settle(double limit);

#endif
