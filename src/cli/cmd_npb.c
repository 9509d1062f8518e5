/* quern npb: the NAS Parallel Benchmarks. */
#include "cli/cli.h"
#include "cli/progress.h"
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

static int open_engine(npb_job *job) {
  const ep_share share = share_of(&job->ranks, job->class->m);
  job->report.workers = job->report.workers_active = on_cpu(job) ? qn_num_threads() : 1;
  if (npb_ranks_mpi) {
    job->report.processes = true;
    job->report.workers = job->report.workers_active = job->ranks.count;
  }
  if (on_cpu(job)) {
    ep_cpu_open(share, qn_num_threads(), &job->engine);
    return CLI_DONE;
  }
  qn_stream *stream = job->session.stream;
  const qn_status status = job->ported ? ep_port_open(&job->port, share.m, stream, &job->engine)
                                       : ep_device_open(share, stream, &job->engine);
  return status ? cli_fail(status, job->session.info.id) : CLI_DONE;
}

static void say(void *user, double fraction) {
  cli_progress_say(user, fraction);
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
    const int threads = qn_num_threads() / r->local_count;
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

/* All that may be refused, before the clock starts. What is wrong with the command line is wrong on
 * every rank: the first one tells. */
static int prepare(npb_job *job) {
  cli_args args = *job->args;
  cli_mute(job->ranks.rank > 0);
  int exit_status = take_class(job);
  if (!exit_status) exit_status = take_variant(job);
  if (!exit_status && job->args->value[OPT_JSON] && !cli_json_available())
    exit_status = cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  spread(job, &args);
  if (!exit_status) exit_status = cli_session_open(&job->session, &args);
  cli_mute(false);
  if (!exit_status) exit_status = cli_session_choose(&job->session, QN_F64);
  if (!exit_status && job->ported && on_cpu(job))
    exit_status = cli_error(CLI_MISUSED, "--variant %s needs a device with a compiler, not the cpu",
                            job->args->value[OPT_VARIANT]);
  if (!exit_status && !wants_all(job)) exit_status = open_engine(job);
  return exit_status;
}

static int run_job(npb_job *job) {
  const int exit_status = prepare(job);
  if (!npb_ranks_all(exit_status == CLI_DONE) || !job->class)
    return exit_status ? exit_status : CLI_FAILED;
  job->report.class = job->class;
  job->device = cli_describe_device(&job->session.info);
  job->report.device = job->device.text;
  if (wants_all(job))
    return npb_run_variants(job->class, &job->port, job->session.stream, job->device.text);
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
