/* quern probe: what this machine gives, effect by effect. */
#include "cli/output.h"
#include "cli/probe_report.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/values.h"
#include "plot/chart.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 64 };

typedef struct probe_job {
  cli_session session;
  probe_settings settings;
  const probe_row *row[ROWS_MOST];
  unsigned rows;
  cli_text_file json;
  probe *probe;
  probe_report report;
  bool table;
} probe_job;

/* ---- what is asked for ---- */

static int unknown_row(const char *name) {
  const char *names[ROWS_MOST];
  unsigned count = 0;
  for (const probe_row *row = probe_rows; row->name; row++) names[count++] = row->name;
  const char *nearest = cli_nearest(name, names, count);
  if (nearest)
    return cli_error(CLI_MISUSED, "probe: unknown row '%s'; did you mean %s?", name, nearest);
  return cli_error(CLI_MISUSED, "probe: unknown row '%s'; see quern probe --list", name);
}

static int take_rows(probe_job *job, const cli_args *args) {
  for (unsigned i = 0; i < args->word_count; i++) {
    const probe_row *row = probe_find_row(args->words[i]);
    if (!row) return unknown_row(args->words[i]);
    if (job->rows == ROWS_MOST) return cli_error(CLI_MISUSED, "probe: too many rows");
    job->row[job->rows++] = row;
  }
  if (job->rows) return CLI_DONE;
  for (const probe_row *row = probe_rows; row->name; row++) job->row[job->rows++] = row;
  return CLI_DONE;
}

/* Whether there will be something to draw, as far as the rows tell. */
static int check_plot(const probe_job *job, const char *path) {
  bool curves = false;
  for (unsigned i = 0; i < job->rows; i++) curves |= job->row[i]->x != NULL;
  if (!path || curves) return cli_check_plot(path);
  return cli_error(CLI_MISUSED, "--plot: none of these rows has a curve to draw");
}

static int take_settings(probe_settings *s, const cli_args *args) {
  int exit_status = cli_get_integer(args, OPT_ELEMENTS, 64, (int64_t)1 << 26, &s->elements);
  if (!exit_status) exit_status = cli_get_integer(args, OPT_ORDER, 16, 8192, &s->order);
  if (!exit_status) exit_status = cli_get_integer(args, OPT_GROUP, 32, 1024, &s->block);
  if (!exit_status)
    exit_status = cli_get_bytes(args, OPT_BYTES, 1 << 16, (int64_t)1 << 33, &s->bytes);
  if (!exit_status) exit_status = cli_get_positive(args, OPT_SECONDS, 10.0, &s->seconds);
  return exit_status;
}

static int open_files(probe_job *job, const cli_args *args) {
  const char *json = args->value[OPT_JSON_FILE];
  if (json && !cli_json_available()) return cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  const int exit_status = json ? cli_text_begin(&job->json, json) : CLI_DONE;
  job->table = !(json && strcmp(json, "-") == 0) && cli_get_verbosity() != CLI_QUIET;
  return exit_status;
}

/* ---- the run ---- */

static int fail(qn_status status, const char *what) {
  if (status == QN_ENOMEM) return cli_error(CLI_FAILED, "probe %s: out of host memory", what);
  return cli_fail(status, what);
}

static qn_status run_row(probe_job *job, const probe_row *row) {
  probe_report *r = &job->report;
  cli_progress_begin();
  cli_progress_say(row->name, (double)r->done / (double)r->count);
  const qn_status status = probe_run(job->probe, row, &r->result[r->done]);
  cli_progress_end();
  if (status) return status;
  if (job->table) probe_print_result(&r->result[r->done]);
  r->done++;
  return QN_OK;
}

static int measure(probe_job *job) {
  probe_report *r = &job->report;
  if (job->table) probe_print_head(r);
  cli_progress_begin();
  cli_progress_say("ceilings", 0.0);
  qn_status status = probe_open(job->session.stream, &job->settings, &job->probe);
  if (!status) status = probe_measure_ceilings(job->probe);
  cli_progress_end();
  if (status) return fail(status, "ceilings");
  r->ceilings = *probe_get_ceilings(job->probe);
  if (job->table) probe_print_ceilings(r);
  for (unsigned i = 0; i < job->rows; i++) {
    status = run_row(job, job->row[i]);
    if (status) return fail(status, job->row[i]->name);
  }
  if (!probe_any_wrong(r)) return CLI_DONE;
  return cli_error(CLI_FAILED, "a timed result was wrong");
}

static int run_job(probe_job *job, const cli_args *args) {
  int exit_status = take_rows(job, args);
  if (!exit_status) exit_status = take_settings(&job->settings, args);
  if (!exit_status) exit_status = cli_session_open(&job->session, args);
  if (!exit_status) exit_status = cli_session_choose(&job->session, QN_F32);
  if (!exit_status) exit_status = check_plot(job, args->value[OPT_PLOT]);
  if (!exit_status) exit_status = open_files(job, args);
  if (exit_status) return exit_status;
  probe_report *r = &job->report;
  r->device = job->session.info;
  r->threads = strcmp(r->device.backend, "cpu") == 0 ? qn_num_threads() : 0;
  r->count = job->rows;
  r->result = calloc(job->rows, sizeof *r->result);
  if (!r->result) return cli_error(CLI_FAILED, "out of memory");
  exit_status = measure(job);
  if (job->json.stream) {
    cli_json *root = probe_report_json(r);
    cli_json_print(root, job->json.stream);
    cli_json_free(root);
  }
  char error[QN_CHART_ERROR];
  const char *plot = args->value[OPT_PLOT];
  if (plot && r->done == r->count && !probe_draw(r, plot, error))
    return cli_error(CLI_FAILED, "%s", error);
  return exit_status;
}

static int run(const cli_args *args) {
  probe_job job = {0};
  if (args->value[OPT_LIST]) {
    const int exit_status = take_rows(&job, args);
    for (unsigned i = 0; i < job.rows && !exit_status; i++) probe_print_row(job.row[i]);
    return exit_status;
  }
  int exit_status = run_job(&job, args);
  const int json_status =
      cli_text_end(&job.json, job.report.count > 0 && job.report.done == job.report.count);
  if (!exit_status) exit_status = json_status;
  probe_close(job.probe);
  cli_session_close(&job.session);
  free(job.report.result);
  return exit_status;
}

static const cli_option options[] = {OPT_LIST,   OPT_ELEMENTS, OPT_ORDER,     OPT_GROUP,
                                     OPT_BYTES,  OPT_SECONDS,  OPT_JSON_FILE, OPT_PLOT,
                                     OPT_DEVICE, OPT_THREADS,  OPT_VERBOSE,   OPT_QUIET,
                                     OPT_HELP,   OPT_VERSION,  OPT_COUNT};

const cli_command cli_probe_command = {
    .name = "probe",
    .summary = "measure what a machine gives, and see why a kernel is slow",
    .operands = "[ROW...]",
    .any_operands = true,
    .about =
        "Each row is an experiment: what it shows, the kernels and their times, what the compiler\n"
        "made of them, their share of the device's measured ceilings, and the limit they run\n"
        "against. All rows, unless some are named. Every timed result is checked; a wrong one is\n"
        "marked ! and the exit status is 1. ~ marks a figure whose quartiles lie more than 10 % "
        "of\n"
        "it apart. What a device cannot do is left out, with the reason.\n",
    .examples = "  quern probe --list\n"
                "  quern probe bandwidth latency\n"
                "  quern probe --device cuda:0 --json probe.json\n"
                "  quern probe stride --device opencl:0 --elements 1048576\n",
    .options = options,
    .run = run,
};
