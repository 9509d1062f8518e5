/* Bandwidth by working set on the processor: all threads, each in a part of its own. */
#include "probe/cpu_loops.h"
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/team.h"
#include <math.h>
#include <string.h>

enum { WRITTEN = 0x5a, PART_MULTIPLE = 512, THREADS_MOST = 256 };
static const double run_bytes = 16e6; /* each thread's, so that one run takes a millisecond */

enum sweep { SWEEP_COPY, SWEEP_READ, SWEEP_WRITE, SWEEPS };

typedef struct sweep_job {
  enum sweep which;
  const probe_cpu_loops *loops;
  char *x, *y;
  size_t part; /* bytes of each array that a thread goes through */
  int threads, passes;
  uint64_t sum[THREADS_MOST];
} sweep_job;

static void sweep(void *user, int thread) {
  sweep_job *j = user;
  char *x = j->x + (size_t)thread * j->part, *y = j->y + (size_t)thread * j->part;
  uint64_t sum = 0;
  for (int pass = 0; pass < j->passes; pass++) {
    switch (j->which) {
    case SWEEP_COPY:
      memcpy(y, x, j->part);
      break;
    case SWEEP_READ:
      sum += j->loops->read(x, j->part);
      break;
    case SWEEP_WRITE:
      memset(y, WRITTEN, j->part);
      break;
    default:
      break;
    }
    /* the array may be looked at by others: no pass can be left out */
    __asm__ volatile("" : : "r"(x), "r"(y) : "memory");
  }
  j->sum[thread] = sum;
}

static double run_sweep(void *user) {
  sweep_job *j = user;
  return probe_team(j->threads, sweep, j);
}

static void check(probe_figure *f, const sweep_job *j) {
  const size_t all = j->part * (size_t)j->threads;
  if (j->which == SWEEP_COPY) probe_check(f, memcmp(j->x, j->y, all) == 0);
  for (size_t i = 0; i < all && j->which == SWEEP_WRITE; i++) probe_check(f, j->y[i] == WRITTEN);
  for (int t = 0; t < j->threads && j->which == SWEEP_READ; t++) {
    uint64_t sum = 0, word;
    for (size_t at = 0; at < j->part; at += sizeof word) {
      memcpy(&word, j->x + (size_t)t * j->part + at, sizeof word);
      sum += word;
    }
    probe_check(f, j->sum[t] == sum * (uint64_t)j->passes);
  }
}

static void one_sweep(probe *p, sweep_job *j, size_t bytes) {
  static const char *const names[] = {"copy", "read", "write"};
  const double sides = j->which == SWEEP_COPY ? 2.0 : 1.0;
  const size_t part = (size_t)((double)bytes / sides / j->threads);
  j->part = part / PART_MULTIPLE * PART_MULTIPLE;
  if (j->part == 0) j->part = PART_MULTIPLE;
  j->passes = (int)ceil(run_bytes / (double)j->part);
  probe_figure *f = probe_add(p, names[j->which], (double)bytes, PROBE_GBS, "%s %s",
                              names[j->which], probe_size_text((double)bytes).text);
  if (!f) return;
  f->bytes = sides * (double)j->part * j->threads * j->passes;
  probe_time_clocked(p, f, run_sweep, j);
  check(f, j);
}

static void sweep_sizes(probe *p, size_t from, unsigned sweeps) {
  const size_t most = (size_t)p->settings.bytes, slack = (size_t)PART_MULTIPLE * THREADS_MOST;
  const int threads = qn_num_threads();
  sweep_job j = {.loops = probe_cpu_loops_get(),
                 .x = (char *)probe_random(p, (uint32_t)((most + slack) / sizeof(float)), 1),
                 .y = probe_host(p, most + slack),
                 .threads = threads < THREADS_MOST ? threads : THREADS_MOST};
  if (p->status) return;
  memset(j.y, 0, most + slack);
  for (unsigned which = 0; which < sweeps; which++) {
    j.which = (enum sweep)which;
    for (size_t bytes = from; bytes <= most; bytes *= 2) one_sweep(p, &j, bytes);
  }
}

void probe_memory_cpu(probe *p) {
  sweep_sizes(p, (size_t)p->settings.bytes, SWEEP_WRITE);
}

void probe_bandwidth_cpu(probe *p) {
  sweep_sizes(p, probe_smallest_set(p, SWEEPS), SWEEPS);
  probe_bandwidth_lesson(p);
}
