/* What EP prints: NPB's head, results and block to the letter, then the lines that are ours. */
#include "npb/ep.h"
#include <math.h>

double ep_mops(const ep_report *r) {
  return r->seconds > 0.0 ? ldexp(1e-6, r->class->m + 1) / r->seconds : 0.0;
}

void ep_print_head(FILE *file, const ep_report *r) {
  fprintf(file, "\n\n NAS Parallel Benchmarks (NPB3.4-%s) - EP Benchmark\n\n",
          r->processes ? "MPI" : "OMP");
  fprintf(file, " Number of random numbers generated: %15.0f\n", ldexp(1.0, r->class->m + 1));
  if (r->processes) {
    fprintf(file, " Total number of processes:            %13d\n", r->workers);
  } else {
    fprintf(file, " Number of available threads:          %13d\n", r->workers_active);
  }
  fprintf(file, "\n");
}

static void print_results(FILE *file, const ep_report *r) {
  const ep_sums *s = &r->sums;
  fprintf(file, "EP Benchmark Results:\n\n");
  fprintf(file, "CPU Time =%10.3f\n", r->seconds);
  fprintf(file, "N = 2^%5d\n", r->class->m);
  fprintf(file, "No. Gaussian Pairs =%15.0f\n", (double)ep_pairs_taken(s));
  fprintf(file, "Sums = %25.15E %25.15E\n", s->abs_x, s->abs_y);
  fprintf(file, "Counts:\n");
  for (int i = 0; i < EP_BINS; i++) fprintf(file, "%3d%15.0f\n", i, (double)s->count[i]);
}

static const char *word(ep_answer answer) {
  static const char *const words[] = {
      [EP_WRONG] = "WRONG", [EP_RIGHT] = "right", [EP_UNKNOWN] = "no reference"};
  return words[answer];
}

static void print_ours(FILE *file, const ep_report *r) {
  const ep_check *c = &r->check;
  fprintf(file, " Device          = %s\n", r->device);
  fprintf(file, " Variant         = %s\n", r->variant);
  fprintf(file, " Signed sums     = %25.15E %25.15E\n", r->sums.x, r->sums.y);
  fprintf(file, " Checks          = absolute sums %s, pairs %s, signed sums %s, counts %s\n",
          word(c->absolute), word(c->pairs), word(c->signs), word(c->counts));
}

/* Numbers and deviates are made in one loop, so that NPB's two lines for them are one here. */
static void print_timers(FILE *file, const ep_report *r) {
  const double whole = r->seconds > 0.0 ? 100.0 / r->seconds : 0.0;
  fprintf(file, "\nTotal time:     %9.3f (%6.2f)\n", r->seconds, 100.0);
  fprintf(file, "Gaussian pairs: %9.3f (%6.2f)\n", r->compute_seconds, r->compute_seconds * whole);
  fprintf(file, "Copy and sums:  %9.3f (%6.2f)\n", r->end_seconds, r->end_seconds * whole);
}

void ep_print_report(FILE *file, const ep_report *r, bool timers) {
  char size[32];
  snprintf(size, sizeof size, "          %15.0f", ldexp(1.0, r->class->m + 1));
  const npb_block block = {
      .benchmark = "EP",
      .class_name = r->class->name,
      .size = size,
      .seconds = r->seconds,
      .total = r->workers,
      .active = r->workers_active,
      .processes = r->processes,
      .mops = ep_mops(r),
      .operation = "Random numbers generated",
      .verdict = r->check.passed ? NPB_SUCCESSFUL : NPB_UNSUCCESSFUL,
  };
  print_results(file, r);
  npb_print_block(file, &block);
  print_ours(file, r);
  if (timers) print_timers(file, r);
}
