/* quern npb: the NAS Parallel Benchmarks. */
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/values.h"
#include "npb/ep.h"
#include "npb/ranks.h"
#include <string.h>

typedef struct npb_job {
  const cli_args *args;
  npb_ranks ranks;
  cli_session session;
  const ep_class *class;
  ep_engine engine;
  bool open; /* the engine */
  ep_report report;
  cli_device_text device;
} npb_job;

static int take_class(npb_job *job) {
  const char *text = job->args->value[OPT_CLASS];
  if (strcmp(job->args->operand[0], "ep") != 0)
    return cli_error(CLI_MISUSED, "npb has ep, not '%s'", job->args->operand[0]);
  if (!text) return cli_error(CLI_MISUSED, "--class is missing: one of %s", ep_class_letters);
  job->class = text[0] && !text[1] ? ep_find_class(text[0]) : NULL;
  if (job->class) return CLI_DONE;
  return cli_error(CLI_MISUSED, "--class takes one of %s, not '%s'", ep_class_letters, text);
}

static ep_share share_of(const npb_job *job) {
  const npb_ranks *r = &job->ranks;
  const int first = EP_ROWS * r->rank / r->count, end = EP_ROWS * (r->rank + 1) / r->count;
  return (ep_share){job->class->m, first, end - first};
}

static int open_engine(npb_job *job) {
  const bool cpu = strcmp(job->session.info.backend, "cpu") == 0;
  if (!cpu) return cli_error(CLI_MISUSED, "%s: EP runs on the cpu so far", job->session.info.id);
  ep_cpu_open(share_of(job), qn_num_threads(), &job->engine);
  job->report.workers = job->report.workers_active = qn_num_threads();
  job->open = true;
  return CLI_DONE;
}

static void say(void *user, double fraction) {
  cli_progress_say(user, fraction);
}

static cli_json *json_of(const ep_report *r) {
  const ep_check *c = &r->check;
  const struct {
    const char *name;
    ep_answer answer;
  } checks[] = {{"absolute_sums", c->absolute},
                {"pairs", c->pairs},
                {"signed_sums", c->signs},
                {"counts", c->counts}};
  const char class_name[2] = {r->class->name, 0};
  cli_json *root = cli_json_object(), *counts = cli_json_array(), *told = cli_json_object();
  cli_json_text(root, "benchmark", "EP");
  cli_json_text(root, "class", class_name);
  cli_json_text(root, "device", r->device);
  cli_json_text(root, "variant", r->variant);
  cli_json_integer(root, r->processes ? "processes" : "threads", r->workers);
  cli_json_number(root, "seconds", r->seconds);
  cli_json_number(root, "mops", ep_mops(r));
  cli_json_number(root, "sum_x", r->sums.x);
  cli_json_number(root, "sum_y", r->sums.y);
  cli_json_number(root, "sum_abs_x", r->sums.abs_x);
  cli_json_number(root, "sum_abs_y", r->sums.abs_y);
  cli_json_integer(root, "pairs", (int64_t)ep_pairs_taken(&r->sums));
  for (int i = 0; i < EP_BINS; i++) cli_json_push_integer(counts, (int64_t)r->sums.count[i]);
  cli_json_set(root, "counts", counts);
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
    if (checks[i].answer != EP_UNKNOWN)
      cli_json_truth(told, checks[i].name, checks[i].answer == EP_RIGHT);
  cli_json_set(root, "checks", told);
  cli_json_truth(root, "verified", c->passed);
  return root;
}

static int print(const npb_job *job) {
  const ep_report *r = &job->report;
  const bool json = job->args->value[OPT_JSON] != NULL;
  if (job->ranks.rank == 0 && json) {
    cli_json *root = json_of(r);
    cli_json_print(root, stdout);
    cli_json_free(root);
  } else if (job->ranks.rank == 0 && cli_get_verbosity() != CLI_QUIET) {
    ep_print_head(stdout, r);
    ep_print_report(stdout, r, npb_timers_wanted());
  }
  if (r->check.passed) return CLI_DONE;
  return job->ranks.rank ? CLI_FAILED
                         : cli_error(CLI_FAILED, "EP class %c: wrong result", r->class->name);
}

/* All that may be refused, before the clock starts. */
static int prepare(npb_job *job) {
  int exit_status = take_class(job);
  if (!exit_status && job->args->value[OPT_JSON] && !cli_json_available())
    exit_status = cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  if (!exit_status) exit_status = cli_session_open(&job->session, job->args);
  if (!exit_status) exit_status = cli_session_choose(&job->session, QN_F64);
  if (!exit_status) exit_status = open_engine(job);
  return exit_status;
}

static int run_job(npb_job *job) {
  const int exit_status = prepare(job);
  if (!npb_ranks_all(exit_status == CLI_DONE)) return exit_status ? exit_status : CLI_FAILED;
  job->report.class = job->class;
  job->device = cli_describe_device(&job->session.info);
  job->report.device = job->device.text;
  char what[] = "EP class ?";
  what[sizeof what - 2] = job->class->name;
  const npb_progress progress = {say, what};
  cli_progress_begin();
  cli_progress_say(what, 0.0);
  const qn_status status = ep_run(&job->engine, &progress, &job->report);
  cli_progress_end();
  return status ? cli_fail(status, "") : print(job);
}

static int run(const cli_args *args) {
  npb_job job = {.args = args};
  if (!npb_ranks_begin(&job.ranks)) return cli_error(CLI_FAILED, "MPI would not start");
  const int exit_status = run_job(&job);
  if (job.open) job.engine.close(&job.engine);
  cli_session_close(&job.session);
  npb_ranks_end();
  return exit_status;
}

static const cli_option options[] = {OPT_CLASS, OPT_JSON, OPT_DEVICE,  OPT_THREADS, OPT_VERBOSE,
                                     OPT_QUIET, OPT_HELP, OPT_VERSION, OPT_COUNT};

const cli_command cli_npb_command = {
    .name = "npb",
    .summary = "the NAS Parallel Benchmarks, verified",
    .operands = "ep --class S",
    .operand_count = 1,
    .about =
        "  ep  \"embarrassingly parallel\": 2^24 (S), 2^25 (W), 2^28 (A), 2^30 (B), 2^32 (C),\n"
        "      2^36 (D), 2^40 (E) or 2^44 (F) pairs of random numbers made into normal\n"
        "      deviates, summed and counted\n"
        "\n"
        "Prints what NPB's own programs print, and after it the device and each check: the\n"
        "sums and pairs of NPB 3.4.2, the signed sums of the releases before, and all ten\n"
        "counts. Exit status 1 when any of them is wrong. With NPB_TIMER_FLAG=on the parts\n"
        "are timed too.\n",
    .examples = "  quern npb ep --class A\n"
                "  quern npb ep --class C --device cuda:0 --json\n"
                "  make EP CLASS=S && bin/ep.S.x\n",
    .options = options,
    .run = run,
};
