/* --explain: where the time went, how it was done, how good it is. */
#include "bench/ceiling.h"
#include "cli/format.h"
#include "cli/job.h"
#include "cli/progress.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void cli_take_step(void *user, const qn_trace_step *step) {
  cli_job *job = user;
  cli_steps *s = &job->steps;
  int i = 0;
  while (i < s->count &&
         (strcmp(s->row[i].kind, step->kind) != 0 || strcmp(s->row[i].variant, step->variant) != 0))
    i++;
  if (i == CLI_STEPS_MOST) i--; /* what is beyond the table goes to its last row */
  if (i == s->count) {
    s->count++;
    snprintf(s->row[i].kind, sizeof s->row[i].kind, "%s", step->kind);
    snprintf(s->row[i].variant, sizeof s->row[i].variant, "%s", step->variant);
    snprintf(s->row[i].why, sizeof s->row[i].why, "%s", step->why);
  }
  s->row[i].calls++;
  s->row[i].seconds += step->seconds;
  s->row[i].flops += step->flops;
  s->row[i].bytes += step->bytes;
  s->done += step->flops;
  cli_progress_say(bench_routine_name(job->problem.routine), s->done / bench_flops(&job->problem));
}

/* ---- the table of times ---- */

static double share(double part, double all) {
  return all > 0.0 ? 100.0 * part / all : 0.0;
}

/* A step outside the routine, which counts no operations. */
static void print_plain(const char *what, const char *name, double seconds, double total) {
  char left[64];
  snprintf(left, sizeof left, "%s%s%s", what, *name ? " " : "", name);
  printf("  %-32s %6s %11s %5.1f %%\n", left, "", cli_format_time(seconds).text,
         share(seconds, total));
}

static void print_working(const char *what, int64_t calls, double seconds, double total,
                          double flops, double all_flops) {
  char count[24] = "";
  if (calls > 0) snprintf(count, sizeof count, "%lld", (long long)calls);
  printf("  %-32s %6s %11s %5.1f %%", what, count, cli_format_time(seconds).text,
         share(seconds, total));
  if (flops > 0.0 && seconds > 0.0) {
    const double rate = 1e-9 * flops / seconds;
    printf("  %5.1f %%  %8.*f", share(flops, all_flops), cli_rate_digits(rate), rate);
  }
  printf("\n");
}

/* The words for what a trace calls by one. */
static const char *kind_text(const char *kind) {
  static const char *const words[][2] = {
      {"gemm", "products"},     {"base", "base blocks"},  {"pack", "packing"},
      {"copy", "copies"},       {"alloc", "allocations"}, {"compile", "compilation"},
      {"other", "other steps"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(kind, words[i][0]) == 0) return words[i][1];
  return kind;
}

static void print_steps(const cli_job *job, double total, double flops) {
  double inside = 0.0;
  for (int i = 0; i < job->steps.count; i++) {
    const cli_step *step = &job->steps.row[i];
    char what[64];
    snprintf(what, sizeof what, "  %s%s%s", kind_text(step->kind), *step->variant ? ", " : "",
             step->variant);
    print_working(what, step->calls, step->seconds, total, step->flops, flops);
    inside += step->seconds;
  }
  if (job->steps.count > 0)
    print_working("  between the steps", 0, fmax(job->compute_seconds - inside, 0.0), total, 0.0,
                  flops);
}

static void print_times(const cli_job *job) {
  const double flops = bench_flops(&job->problem);
  const cli_operand *operands[] = {&job->a, &job->b, &job->c};
  double total =
      job->place_seconds + job->compute_seconds + job->fetch_seconds + job->write_seconds;
  for (int i = 0; i < 3; i++) total += operands[i]->read_seconds;
  for (int i = 0; i < CLI_EXTRAS; i++) total += job->extra[i].read_seconds;
  printf("where the time went              calls        time   share    flops   GFLOP/s\n");
  for (int i = 0; i < 3; i++)
    if (operands[i]->path) print_plain("read", operands[i]->path, operands[i]->read_seconds, total);
  for (int i = 0; i < CLI_EXTRAS; i++)
    if (job->extra[i].path)
      print_plain("read", job->extra[i].path, job->extra[i].read_seconds, total);
  print_plain("place on", job->session.info.id, job->place_seconds, total);
  print_working(bench_routine_name(job->problem.routine), 1, job->compute_seconds, total, flops,
                flops);
  print_steps(job, total, flops);
  print_plain("fetch from", job->session.info.id, job->fetch_seconds, total);
  print_plain("write", job->output, job->write_seconds, total);
  print_plain("in all", "", total, total);
}

/* ---- how and how well ---- */

static void print_choices(const cli_job *job) {
  bool any = false;
  for (int i = 0; i < job->steps.count; i++) {
    const cli_step *step = &job->steps.row[i];
    if (!*step->why) continue;
    printf("%s  %s: %s, %s\n", any ? "" : "\nwhat was chosen\n", kind_text(step->kind),
           step->variant, step->why);
    any = true;
  }
}

static void print_rate(const cli_job *job) {
  bench_ceiling ceiling;
  const qn_dtype dtype = job->problem.dtype;
  const double rate = 1e-9 * bench_flops(&job->problem) / job->compute_seconds;
  printf("  rate             %.3g GFLOP/s", rate);
  if (bench_measure_ceiling(job->session.stream, dtype, &ceiling) == QN_OK)
    printf(", %.0f %% of %.3g, which a square %s gemm of order %lld reaches here now",
           share(rate, ceiling.gflops), ceiling.gflops, qn_dtype_name(dtype),
           (long long)ceiling.order);
  printf("\n");
}

static void print_memory(const cli_job *job) {
  qn_pool_stats pool;
  if (qn_pool_query(job->session.device, &pool) != QN_OK) return;
  printf("  workspace        ");
  if (pool.requests == 0) {
    printf("none\n");
    return;
  }
  const double kib = (double)pool.peak / 1024.0;
  printf("%.1f %s at most, %llu allocation%s, %llu of the system\n",
         kib < 1024.0 ? kib : kib / 1024.0, kib < 1024.0 ? "KiB" : "MiB",
         (unsigned long long)pool.requests, pool.requests == 1 ? "" : "s",
         (unsigned long long)pool.driver_calls);
}

/* Whether the result stands up to its bound; says so. */
static int print_residual(const cli_job *job) {
  if (job->epilogue) {
    printf("  backward error   not judged: the result went through --epilogue\n");
    return CLI_DONE;
  }
  const bench_matrix a = cli_host_matrix(&job->a.file), b = cli_host_matrix(&job->b.file),
                     c = cli_host_matrix(&job->c.file);
  bench_residual r;
  if (!bench_residual_of(&r, &job->before, &job->problem, &a, &b, &c))
    return cli_error(CLI_FAILED, "out of memory for the backward error");
  const bool by_rows = job->problem.side == QN_RIGHT;
  if (!r.finite) {
    printf("  backward error   not judged: the result holds Inf or NaN\n");
    return CLI_DONE;
  }
  printf("  backward error   %.3g u, limit %.3g u", r.error, r.limit);
  if (r.elementwise_limit > 0.0)
    printf("; elementwise %.3g u, limit %.3g u", r.elementwise, r.elementwise_limit);
  printf("\n                   in %lld %s of %lld, against long double; u = %.3g\n",
         (long long)r.sampled, by_rows ? "rows" : "columns", (long long)(by_rows ? c.rows : c.cols),
         bench_unit_roundoff(job->problem.dtype));
  if (bench_residual_ok(&r)) return CLI_DONE;
  fflush(stdout);
  return cli_error(CLI_FAILED, "%s: the backward error is beyond its limit: the result is wrong",
                   job->output);
}

int cli_explain(cli_job *job) {
  const bench_problem *p = &job->problem;
  const qn_file_matrix *c = &job->c.file;
  printf("%s: %s", job->output, bench_routine_name(p->routine));
  if (p->routine == BENCH_GEMM) {
    printf(" m=%lld n=%lld k=%lld", (long long)p->m, (long long)p->n, (long long)p->k);
  } else {
    printf(" of order %lld, result %lld x %lld", (long long)bench_order(p), (long long)c->rows,
           (long long)c->cols);
  }
  printf(" %s on %s\n\n", qn_dtype_name(p->dtype), cli_describe_device(&job->session.info).text);
  print_times(job);
  print_choices(job);
  printf("\nhow good it is\n");
  print_memory(job);
  print_rate(job);
  return print_residual(job);
}
