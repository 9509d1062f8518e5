/* quern npb ep --variant all: the port, step by step, beside the kernel without arrays. */
#include "cli/npb_variants.h"
#include "cli/npb_json.h"
#include "cli/progress.h"
#include <math.h>
#include <stdio.h>

/* In the order in which one would take the steps; the last is the default. */
static const char *const variants[] = {"port",
                                       "use_sm",
                                       "q_coalesced",
                                       "coalesced",
                                       "coalesced_block",
                                       "coalesced,q_coalesced",
                                       "coalesced_block,q_coalesced",
                                       "use_sm,coalesced",
                                       "use_sm,coalesced_block",
                                       "default"};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bool is_ported(int i) {
  return i < VARIANTS - 1;
}

static ep_port port_of(const npb_variants *job, int i) {
  ep_port port = job->shape;
  ep_port_parse(variants[i], &port);
  return port;
}

/* ---- running ---- */

static void say(void *what, double fraction) {
  cli_progress_say(what, fraction);
}

qn_status npb_run_watched(ep_engine *engine, char *what, ep_report *report) {
  const npb_progress progress = {say, what};
  cli_progress_begin();
  cli_progress_say(what, 0.0);
  const qn_status status = ep_run(engine, &progress, report);
  cli_progress_end();
  return status;
}

/* A table that ends with an error half way down would have taken its time for nothing. */
static int check_all(const npb_variants *job) {
  for (int i = 0; is_ported(i); i++) {
    const ep_port port = port_of(job, i);
    const qn_status status = ep_port_check_on(&port, job->class->m, qn_stream_device(job->stream));
    if (status) return cli_fail(status, variants[i]);
  }
  return CLI_DONE;
}

static qn_status open_variant(const npb_variants *job, int i, ep_engine *engine) {
  const int m = job->class->m;
  if (!is_ported(i)) return ep_device_open((ep_share){m, 0, EP_ROWS}, job->stream, engine);
  const ep_port port = port_of(job, i);
  return ep_port_open(&port, m, job->stream, engine);
}

/* ---- printing ---- */

static void print_head(const npb_variants *job) {
  printf("EP class %c on %s; port: batches of 2^%d pairs, 2^%d passes, blocks of %d\n",
         job->class->name, job->device, job->shape.mk, job->shape.mi, job->shape.block);
  printf("%-28s %10s %9s %11s %8s  %s\n", "variant", "seconds", "Mop/s", "memory GiB", "x port",
         "verified");
}

static void print_row(const char *name, const ep_report *r, uint64_t memory, double gain) {
  printf("%-28s %10.4f %9.0f %11.3f %8.2f  %s\n", name, r->seconds, ep_mops(r),
         ldexp((double)memory, -30), gain, r->check.passed ? "yes" : "NO");
  fflush(stdout);
}

static cli_json *json_row(const ep_report *r, uint64_t memory, double gain) {
  cli_json *row = npb_json(r);
  cli_json_integer(row, "memory_bytes", (int64_t)memory);
  cli_json_number(row, "times_port", gain);
  return row;
}

static void print_json(const npb_variants *job, cli_json *rows) {
  cli_json *root = cli_json_object();
  cli_json_integer(root, "mk", job->shape.mk);
  cli_json_integer(root, "mi", job->shape.mi);
  cli_json_integer(root, "block", job->shape.block);
  cli_json_set(root, "variants", rows);
  cli_json_print(root, stdout);
  cli_json_free(root);
}

/* ---- all of them ---- */

/* *port_seconds: of the first variant. */
static int run_variant(const npb_variants *job, int i, double *port_seconds, cli_json *rows) {
  ep_report report = {.class = job->class, .device = job->device, .workers = 1};
  ep_engine engine;
  char what[64];
  qn_status status = open_variant(job, i, &engine);
  if (status) return cli_fail(status, variants[i]);
  snprintf(what, sizeof what, "%s", variants[i]);
  status = npb_run_watched(&engine, what, &report);
  if (!status) {
    if (i == 0) *port_seconds = report.seconds;
    const double gain = *port_seconds / report.seconds;
    if (job->json)
      cli_json_push(rows, json_row(&report, engine.memory, gain));
    else if (cli_get_verbosity() != CLI_QUIET)
      print_row(variants[i], &report, engine.memory, gain);
  }
  engine.close(&engine);
  if (status) return cli_fail(status, variants[i]);
  return report.check.passed ? CLI_DONE
                             : cli_error(CLI_FAILED, "EP class %c, %s: wrong result",
                                         job->class->name, variants[i]);
}

int npb_run_variants(const npb_variants *job) {
  int exit_status = check_all(job);
  if (exit_status) return exit_status;
  if (!job->json && cli_get_verbosity() != CLI_QUIET) print_head(job);
  cli_json *rows = job->json ? cli_json_array() : NULL;
  double port_seconds = 0.0;
  for (int i = 0; i < VARIANTS; i++) {
    const int status = run_variant(job, i, &port_seconds, rows);
    if (status) exit_status = status;
  }
  if (job->json) print_json(job, rows);
  return exit_status;
}
