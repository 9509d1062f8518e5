/* The process's thread pool: one team at a time.
 *
 * Fork-safe (a child starts its own threads anew), started lazily, never stopped: its threads sleep
 * between jobs. When the pool is busy with another caller's job, the caller runs its own alone, so
 * a job must give the same bits for any number of threads: split outputs, never sums. */
#ifndef QN_CPU_THREADS_H
#define QN_CPU_THREADS_H

enum { QN_MAX_THREADS = 256 };

/* One thread's part of a job: `thread` is 0..threads-1, 0 being the caller. */
typedef void qn_team_fn(void *arg, int thread, int threads);

/* Runs fn on up to `wanted` threads, the caller among them, and returns when all are done. With
 * wanted <= 1, or when the pool is busy or has no thread to give, it is fn(arg, 0, 1). */
void qn_team_run(int wanted, qn_team_fn *fn, void *arg);

/* Waits until all `threads` of the running job have come here. A no-op for a team of one. */
void qn_team_barrier(int threads);

/* How many threads are worth having for `flops` of arithmetic: 1 for small work, else up to
 * qn_num_threads(). */
int qn_team_size(double flops);

#endif
