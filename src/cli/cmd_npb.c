/* quern npb: the NAS Parallel Benchmarks. */
#include "cli/cli.h"
#include "cli/session.h"
#include "cli/values.h"
#include "cli/npb_json.h"
#include "cli/npb_variants.h"
#include "npb/ep.h"
#include "npb/ep_port.h"
#include "npb/ranks.h"
#include <stdlib.h>
#include <string.h>

typedef struct npb_job {
  const cli_args *args;
  npb_ranks ranks;
  cli_session session;
  const ep_class *class;
  bool ported; /* a variant of the port, not the default */
  ep_port port;
  ep_engine engine;
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

static int take_number(const npb_job *job, cli_option option, int low, int high, int *number) {
  int64_t value = *number;
  const int exit_status = cli_get_integer(job->args, option, low, high, &value);
  *number = (int)value;
  return exit_status;
}

static bool wants_all(const npb_job *job) {
  const char *variant = job->args->value[OPT_VARIANT];
  return variant && strcmp(variant, "all") == 0;
}

static int take_variant(npb_job *job) {
  const char *variant = job->args->value[OPT_VARIANT];
  job->port = (ep_port){.mk = EP_PORT_MK, .block = EP_PORT_BLOCK};
  job->ported = variant && strcmp(variant, "default") != 0;
  int exit_status = take_number(job, OPT_MK, 0, 30, &job->port.mk);
  if (!exit_status) exit_status = take_number(job, OPT_MI, 0, 30, &job->port.mi);
  if (!exit_status) exit_status = take_number(job, OPT_BLOCK, 1, 1024, &job->port.block);
  if (exit_status) return exit_status;
  const bool shaped =
      job->args->value[OPT_MK] || job->args->value[OPT_MI] || job->args->value[OPT_BLOCK];
  if (!job->ported && shaped)
    return cli_error(CLI_MISUSED, "--mk, --mi and --block shape the port: name a --variant of it");
  if (job->ported && job->ranks.count > 1)
    return cli_error(CLI_MISUSED, "--variant %s runs in one process", variant);
  if (!job->ported || wants_all(job) || ep_port_parse(variant, &job->port)) return CLI_DONE;
  return cli_error(
      CLI_MISUSED,
      "--variant takes default, port, all, or of use_sm, coalesced or coalesced_block, "
      "q_coalesced, with commas between; not '%s'",
      variant);
}

/* Ranks share the rows evenly, in their order. */
static ep_share share_of(const npb_ranks *r, int m) {
  const int first = EP_ROWS * r->rank / r->count, end = EP_ROWS * (r->rank + 1) / r->count;
  return (ep_share){m, first, end - first};
}

static bool on_cpu(const npb_job *job) {
  return strcmp(job->session.info.backend, "cpu") == 0;
}

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static int open_engine(npb_job *job) {
  const ep_share share = share_of(&job->ranks, job->class->m);
  ep_report *report = &job->report;
  report->workers = report->workers_active = 1;
  if (on_cpu(job)) {
    ep_cpu_open(share, qn_num_threads(), &job->engine);
    report->workers = job->engine.state.threads;
    report->workers_active = qn_num_threads();
  }
  if (npb_ranks_mpi) {
    report->processes = true;
    report->workers = job->ranks.count;
    report->workers_active = smaller(job->ranks.count, EP_ROWS);
  }
  if (on_cpu(job)) return CLI_DONE;
  qn_stream *stream = job->session.stream;
  const qn_status status = job->ported ? ep_port_open(&job->port, share.m, stream, &job->engine)
                                       : ep_device_open(share, stream, &job->engine);
  return status ? cli_fail(status, job->session.info.id) : CLI_DONE;
}

static int print(const npb_job *job) {
  const ep_report *r = &job->report;
  const bool json = job->args->value[OPT_JSON] != NULL;
  if (job->ranks.rank == 0 && json) {
    cli_json *root = npb_json(r);
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

/* Ranks of one machine take its cards in turn, or share its cores. */
static void spread(npb_job *job, cli_args *args) {
  enum { DEVICES_MOST = 64 };
  const npb_ranks *r = &job->ranks;
  const char *name = args->value[OPT_DEVICE];
  if (r->count == 1) return;
  if (!args->value[OPT_THREADS] && !getenv("QUERN_THREADS")) {
    const int threads = (int)(qn_num_threads() * r->share + 1e-3); /* a third of 3 is 1 */
    qn_set_num_threads(threads > 1 ? threads : 1);
  }
  if (name && strcmp(name, "auto") != 0) return;
  static qn_device_info rows[DEVICES_MOST];
  unsigned found = 0, cards = 0;
  if (qn_devices(rows, DEVICES_MOST, &found)) return;
  for (unsigned i = 0; i < found && i < DEVICES_MOST; i++) {
    const bool card = rows[i].kind == QN_DEVICE_GPU && rows[i].dtypes & 1u << QN_F64;
    /* a card may be there twice, by CUDA and by OpenCL: those of the first backend count */
    if (card && (cards == 0 || strcmp(rows[i].backend, rows[0].backend) == 0))
      rows[cards++] = rows[i];
  }
  if (cards > 0) args->value[OPT_DEVICE] = rows[(unsigned)r->local_rank % cards].id;
}

/* All that may be refused, before the clock starts. */
static int prepare(npb_job *job) {
  cli_args args = *job->args;
  int exit_status = take_class(job);
  if (!exit_status) exit_status = take_variant(job);
  if (!exit_status && args.value[OPT_JSON] && !cli_json_available())
    exit_status = cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  if (exit_status) return exit_status;
  spread(job, &args);
  exit_status = cli_session_open(&job->session, &args);
  if (!exit_status) exit_status = cli_session_choose(&job->session, QN_F64);
  if (!exit_status && job->ported && on_cpu(job))
    exit_status = cli_error(CLI_MISUSED, "--variant %s needs a device with a compiler, not the cpu",
                            args.value[OPT_VARIANT]);
  if (!exit_status && !wants_all(job)) exit_status = open_engine(job);
  return exit_status;
}

static int run_all(const npb_job *job) {
  const npb_variants variants = {.class = job->class,
                                 .shape = job->port,
                                 .stream = job->session.stream,
                                 .device = job->device.text,
                                 .json = job->args->value[OPT_JSON] != NULL};
  return npb_run_variants(&variants);
}

static int run_job(npb_job *job) {
  const int exit_status = prepare(job);
  if (!npb_ranks_all(exit_status == CLI_DONE) || !job->class) return exit_status;
  job->report.class = job->class;
  job->device = cli_describe_device(&job->session.info);
  job->report.device = job->device.text;
  if (wants_all(job)) return run_all(job);
  char what[] = "EP class ?";
  what[sizeof what - 2] = job->class->name;
  const qn_status status = npb_run_watched(&job->engine, what, &job->report);
  if (job->report.failed_elsewhere) return CLI_FAILED;
  return status ? cli_fail(status, "") : print(job);
}

/* Of many ranks that fail the first tells why, and all exit as the worst. */
static int agree(const npb_ranks *ranks, int exit_status) {
  char before[32] = "";
  if (ranks->rank > 0) snprintf(before, sizeof before, "rank %d: ", ranks->rank);
  cli_release(npb_ranks_first(cli_holds()) ? before : NULL);
  return (int)npb_ranks_max(exit_status);
}

static int run(const cli_args *args) {
  npb_job job = {.args = args};
  if (!npb_ranks_begin(&job.ranks)) return cli_error(CLI_FAILED, "MPI would not start");
  if (job.ranks.rank > 0) cli_set_verbosity(CLI_QUIET);
  cli_hold();
  const int exit_status = agree(&job.ranks, run_job(&job));
  if (job.engine.close) job.engine.close(&job.engine);
  cli_session_close(&job.session);
  npb_ranks_end();
  return exit_status;
}

static const cli_option options[] = {OPT_CLASS, OPT_VARIANT, OPT_MK,      OPT_MI,      OPT_BLOCK,
                                     OPT_JSON,  OPT_DEVICE,  OPT_THREADS, OPT_VERBOSE, OPT_QUIET,
                                     OPT_HELP,  OPT_VERSION, OPT_COUNT};

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
        "counts. Exit status 1 when any of them is wrong. With NPB_TIMER_FLAG=on, or a\n"
        "file timer.flag here, the parts are timed too.\n",
    .examples = "  quern npb ep --class A\n"
                "  quern npb ep --class C --device cuda:0 --json\n"
                "  quern npb ep --class A --device cuda:0 --variant coalesced,use_sm --mi 3\n"
                "  make EP CLASS=S && bin/ep.S.x\n",
    .options = options,
    .run = run,
};
