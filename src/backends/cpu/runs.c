/* Runs of a view over the thread pool: each thread has as many of them, one behind the other. */
#include "backends/cpu/runs.h"
#include "backends/cpu/threads.h"

/* What an element costs, in floating-point operations of equal time: decides how many threads. */
enum { ELEMENT_FLOPS = 4 };

typedef struct runs {
  int64_t rows, cols, down; /* down: runs of a column */
  qn_run_fn *fn;
  const void *job;
} runs;

static void part(void *arg, int thread, int threads) {
  const runs *r = arg;
  const int64_t all = r->down * r->cols;
  for (int64_t at = all * thread / threads; at < all * (thread + 1) / threads; at++) {
    const int64_t i = at % r->down * QN_RUN;
    r->fn(r->job, i, at / r->down, qn_min64(QN_RUN, r->rows - i));
  }
}

void qn_runs_of(qn_cpu_matrix shape, bool whole, qn_run_fn *fn, const void *job) {
  runs r = {.rows = shape.rows, .cols = shape.cols, .fn = fn, .job = job};
  const double elements = (double)r.rows * (double)r.cols;
  if (whole) {
    r.rows *= r.cols;
    r.cols = 1;
  }
  r.down = qn_ceil_div(r.rows, QN_RUN);
  qn_team_run(qn_team_size(ELEMENT_FLOPS * elements), part, &r);
}
