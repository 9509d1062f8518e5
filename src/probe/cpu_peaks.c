/* The processor's peaks: all threads at chains of fused multiply-adds in registers. */
#include "probe/cpu_loops.h"
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/team.h"
#include <math.h>

enum { ROUNDS = 1 << 14, ROOM = 256, THREADS_MOST = 256 };
static const double factor = 0.9990234375, term = 0.000244140625;

/* Each thread has its own numbers, apart from the others'. */
typedef struct peak_job {
  const probe_cpu_loops *loops;
  bool wide;
  int threads;
  float f32[THREADS_MOST][ROOM];
  double f64[THREADS_MOST][ROOM];
} peak_job;

static void compute(void *user, int thread) {
  peak_job *j = user;
  if (j->wide) {
    j->loops->fma_f64(j->f64[thread], factor, term, ROUNDS);
  } else {
    j->loops->fma_f32(j->f32[thread], (float)factor, (float)term, ROUNDS);
  }
}

static double run_once(void *user) {
  peak_job *j = user;
  for (int t = 0; t < j->threads; t++) {
    for (int i = 0; i < ROOM; i++) {
      j->f32[t][i] = probe_noise((uint32_t)i, (uint32_t)t);
      j->f64[t][i] = j->f32[t][i];
    }
  }
  return probe_team(j->threads, compute, j);
}

/* After so many links a chain has come to its limit. */
static void check(probe_figure *f, const peak_job *j, int numbers) {
  const double limit = term / (1.0 - factor);
  for (int t = 0; t < j->threads; t++) {
    for (int i = 0; i < numbers; i++) {
      const double value = j->wide ? j->f64[t][i] : j->f32[t][i];
      probe_check(f, fabs(value - limit) < 1e-3);
    }
  }
}

void probe_peak_cpu(probe *p) {
  peak_job *j = probe_host(p, sizeof *j);
  if (!j) return;
  const int threads = qn_num_threads();
  j->loops = probe_cpu_loops_get();
  j->threads = threads < THREADS_MOST ? threads : THREADS_MOST;
  for (int wide = 0; wide < 2; wide++) {
    const int numbers = wide ? j->loops->chains_f64 : j->loops->chains_f32;
    probe_figure *f = probe_add(p, "fma", NAN, PROBE_GFLOPS, "%s multiply-adds, %s",
                                wide ? "f64" : "f32", j->loops->isa);
    if (!f) return;
    j->wide = wide;
    f->arithmetic = wide ? PROBE_F64 : PROBE_F32;
    f->flops = 2.0 * PROBE_FMA_LINKS * ROUNDS * (double)numbers * j->threads;
    probe_time_clocked(p, f, run_once, j);
    check(f, j, numbers);
  }
}
