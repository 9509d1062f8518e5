/* quern bench: how fast a routine is, beside the BLAS of this machine. */
#include "cli/bench_grid.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "plot/chart.h"
#include <string.h>

typedef struct bench_job {
  bench_grid grid;
  cli_session session;
  bench_peer *peer;
  bench_previous previous; /* in its place */
  cli_text_file json, csv;
  bool table; /* whether the table goes to standard output */
} bench_job;

static bool is_file(const char *against) {
  const size_t length = strlen(against), suffix = strlen(".json");
  return length > suffix && strcmp(against + length - suffix, ".json") == 0;
}

/* Finds the peer that --against asks for. A machine without one is no failure. */
static int find_peer(bench_job *job, const char *against) {
  char message[512];
  if (!against) return CLI_DONE;
  if (is_file(against)) {
    job->grid.peer = job->previous.text;
    return cli_previous_open(&job->previous, against, job->session.info.name);
  }
  job->peer = bench_peer_open(against, job->session.device, message, sizeof message);
  if (job->peer) {
    job->grid.peer = bench_peer_text(job->peer);
  } else {
    cli_note("%s; timing ours alone", message);
  }
  return CLI_DONE;
}

/* A peer on the device has a stream of its own: ours works on it too. */
static int share_stream(bench_job *job) {
  void *native = job->peer ? bench_peer_stream(job->peer) : NULL;
  if (!native) return CLI_DONE;
  qn_stream_free(job->session.stream);
  job->session.stream = NULL;
  const qn_status status = qn_stream_wrap(job->session.device, native, &job->session.stream);
  return status ? cli_fail(status, "--against") : CLI_DONE;
}

static bool same(const char *a, const char *b) {
  return a && b && strcmp(a, b) == 0;
}

static int open_files(bench_job *job, const cli_args *args) {
  const char *json = args->value[OPT_JSON_FILE], *csv = args->value[OPT_CSV_FILE];
  int exit_status = CLI_DONE;
  if (json && !cli_json_available()) return cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  const char *plot = args->value[OPT_PLOT];
  if (same(json, "-") && same(csv, "-"))
    return cli_error(CLI_MISUSED, "--json - and --csv - would mix on standard output; name a file");
  if (same(json, csv) || same(json, plot) || same(csv, plot))
    return cli_error(CLI_MISUSED, "%s is named twice: each would write over the other's figures",
                     same(csv, plot) ? csv : json);
  if (json) exit_status = cli_text_begin(&job->json, json);
  if (!exit_status && csv) exit_status = cli_text_begin(&job->csv, csv);
  const bool taken = same(json, "-") || same(csv, "-");
  job->table = !taken && cli_get_verbosity() != CLI_QUIET;
  return exit_status;
}

static void set_threads(bench_job *job, const bench_cell *cell) {
  qn_set_num_threads(cell->threads);
  if (job->peer && !bench_peer_set_threads(job->peer, cell->threads))
    cli_note("the peer has no call that sets its threads: it keeps its own number");
}

static int measure(bench_job *job, bench_cell *cell) {
  const int exit_status = cli_set_variant(&job->grid, job->session.device, cell);
  if (exit_status) return exit_status;
  const qn_status status = bench_measure(job->session.stream, job->peer, cell);
  if (status == QN_OK) return CLI_DONE;
  if (status == QN_EUNSUPPORTED && cell->variant) {
    cell->refused = cli_variant_needs(&job->grid, cell->variant);
    return CLI_DONE;
  }
  char context[96];
  snprintf(context, sizeof context, "%s %s %s", bench_routine_name(cell->problem.routine),
           qn_dtype_name(cell->problem.dtype), cli_shape(&cell->problem).text);
  if (status == QN_ENOMEM) return cli_error(CLI_FAILED, "%s: out of host memory", context);
  return cli_fail(status, context);
}

static int measure_all(bench_job *job) {
  bench_grid *grid = &job->grid;
  bool wrong = false;
  for (size_t i = 0; i < grid->count; i++) {
    bench_cell *cell = &grid->cell[i];
    if (i == 0 || cell->threads != grid->cell[i - 1].threads) set_threads(job, cell);
    cli_progress_begin();
    cli_progress_say(cli_shape(&cell->problem).text, (double)i / (double)grid->count);
    const int exit_status = measure(job, cell);
    cli_progress_end();
    if (exit_status) return exit_status;
    grid->done++;
    if (job->previous.root) cli_previous_compare(&job->previous, cell);
    wrong |= cell->ours.wrong || cell->peer.wrong;
    if (job->table && i == 0) cli_print_grid_head(grid); /* not above an error */
    if (job->table) cli_print_cell(grid, cell);
  }
  if (job->table) cli_print_grid_foot(grid);
  return wrong ? cli_error(CLI_FAILED, "a timed result was wrong") : CLI_DONE;
}

/* The regression mode: the worst cell must not lie under the limit. */
static int judge(const bench_grid *grid, double fail_under) {
  const bench_cell *worst = NULL;
  for (size_t i = 0; i < grid->done && fail_under > 0.0; i++) {
    const bench_cell *cell = &grid->cell[i];
    if (cell->compared && (!worst || cell->ratio.median < worst->ratio.median)) worst = cell;
  }
  if (fail_under <= 0.0 || (worst && worst->ratio.median >= fail_under)) return CLI_DONE;
  if (!worst) return cli_error(CLI_FAILED, "--fail-under: no cell was compared");
  return cli_error(CLI_FAILED, "%s %s %s: ratio %.3f is under %g",
                   bench_routine_name(worst->problem.routine), qn_dtype_name(worst->problem.dtype),
                   cli_shape(&worst->problem).text, worst->ratio.median, fail_under);
}

static int draw(const bench_grid *grid, const char *path) {
  char error[QN_CHART_ERROR];
  if (!path || grid->done < grid->count || cli_draw_grid(grid, path, error)) return CLI_DONE;
  return cli_error(CLI_FAILED, "%s", error);
}

static int check_options(const cli_args *args, double *fail_under) {
  const char *against = args->value[OPT_AGAINST];
  if (against && !is_file(against) && !bench_peer_known(against))
    return cli_error(CLI_MISUSED,
                     "--against takes " BENCH_PEER_NAMES ", or an earlier .json file, not '%s'",
                     against);
  if (args->value[OPT_FAIL_UNDER] && !against)
    return cli_error(CLI_MISUSED, "--fail-under needs --against, something to compare with");
  const int exit_status = cli_get_positive(args, OPT_FAIL_UNDER, 10.0, fail_under);
  return exit_status ? exit_status : cli_check_plot(args->value[OPT_PLOT]);
}

static int run_job(bench_job *job, const cli_args *args) {
  const char *against = args->value[OPT_AGAINST];
  double fail_under = 0.0;
  int exit_status = check_options(args, &fail_under);
  if (!exit_status) exit_status = cli_grid_make(&job->grid, args);
  if (!exit_status) exit_status = cli_session_open(&job->session, args);
  if (!exit_status)
    exit_status = cli_session_choose(&job->session, job->grid.cell[0].problem.dtype);
  if (!exit_status) exit_status = cli_grid_variants(&job->grid, job->session.device, args);
  job->grid.device = job->session.info;
  if (!exit_status && args->value[OPT_DUMP])
    return cli_grid_dump(&job->grid, job->session.device, args);
  const char *trouble = args->value[OPT_PLOT] ? cli_grid_undrawable(&job->grid) : NULL;
  if (!exit_status && trouble) exit_status = cli_error(CLI_MISUSED, "--plot: %s", trouble);
  if (!exit_status) exit_status = find_peer(job, against);
  if (!exit_status) exit_status = share_stream(job);
  if (!exit_status) exit_status = open_files(job, args);
  if (exit_status) return exit_status;
  exit_status = measure_all(job);
  if (job->json.stream) cli_write_grid_json(&job->grid, job->json.stream);
  if (job->csv.stream) cli_write_grid_csv(&job->grid, job->csv.stream);
  if (!exit_status) exit_status = draw(&job->grid, args->value[OPT_PLOT]);
  return exit_status ? exit_status : judge(&job->grid, fail_under);
}

static int run(const cli_args *args) {
  bench_job job = {0};
  int exit_status = run_job(&job, args);
  const bool whole = job.grid.count > 0 && job.grid.done == job.grid.count;
  const int json_status = cli_text_end(&job.json, whole),
            csv_status = cli_text_end(&job.csv, whole);
  if (!exit_status) exit_status = json_status ? json_status : csv_status;
  cli_session_close(&job.session);
  bench_peer_close(job.peer);
  cli_previous_close(&job.previous);
  cli_grid_free(&job.grid);
  return exit_status;
}

static const cli_option options[] = {
    OPT_SIZES,     OPT_DTYPES,    OPT_THREAD_LIST, OPT_NRHS,    OPT_SIDES,      OPT_UPLOS,
    OPT_TRANSES,   OPT_DIAG,      OPT_TRANSA,      OPT_TRANSB,  OPT_VARIANTS,   OPT_AGAINST,
    OPT_DUMP,      OPT_DUMP_FILE, OPT_LEAST,       OPT_SUSTAIN, OPT_FAIL_UNDER, OPT_PLOT,
    OPT_JSON_FILE, OPT_CSV_FILE,  OPT_DEVICE,      OPT_VERBOSE, OPT_QUIET,      OPT_HELP,
    OPT_VERSION,   OPT_COUNT};

const cli_command cli_bench_command = {
    .name = "bench",
    .summary = "time a routine, beside the BLAS of this machine or card",
    .operands = "gemm|trmm|trsm|potrf",
    .operand_count = 1,
    .about =
        "Times are medians of at least 5 samples and 0.3 s; with a peer the two are timed in "
        "turn,\n"
        "and the ratio is that of each pair. Every timed result is checked; a wrong one is marked\n"
        "and the exit status is 1. The machine should have nothing else to do.\n",
    .examples = "  quern bench gemm\n"
                "  quern bench trsm --against cblas --threads 1,2 --side L,R\n"
                "  quern bench gemm --against cublas --device cuda:0 --dtype f32,f64,c64,c128\n"
                "  quern bench trsm --against cublas --device cuda:0 --sizes 256,1024 --nrhs "
                "1,64,n --side L,R --uplo L,U --trans N,T --seconds 0.01\n"
                "  quern bench gemm --dtype bf16 --variant all --sizes 4096 --device cuda:0\n"
                "  quern bench gemm --dtype bf16 --variant mma_tiled --sizes 4096 --dump ptx "
                "--device cuda:sm_80\n"
                "  quern bench gemm --sizes 512,4096x4096x64 --dtype f32 --json gemm.json\n"
                "  quern bench gemm --against gemm.json --fail-under 0.95\n"
                "  QUERN_PEER_CBLAS=/opt/blas.so quern bench potrf --against cblas\n",
    .options = options,
    .run = run,
};
