/* quern roofline: what the routines reach, beside what the machine could give. */
#include "cli/bench_grid.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/roofline.h"
#include "cli/values.h"
#include "plot/chart.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MOST = 16 };

typedef struct roof_job {
  cli_session session;
  int64_t size[SIZES_MOST];
  unsigned sizes, dtypes; /* a bit a dtype */
  cli_text_file json;
  const char *plot;
  probe_settings settings;
  bool table;
  roof *roof;
} roof_job;

/* ---- what is asked for ---- */

static bool add_size(void *user, const char *word) {
  roof_job *job = user;
  return job->sizes < SIZES_MOST && cli_read_integer(word, 1, 1 << 16, &job->size[job->sizes++]);
}

static bool add_dtype(void *user, const char *word) {
  roof_job *job = user;
  qn_dtype dtype;
  if (qn_dtype_parse(word, &dtype)) return false;
  job->dtypes |= 1u << dtype;
  return true;
}

static void set_defaults(roof_job *job) {
  const int64_t most = job->session.info.kind == QN_DEVICE_GPU ? 8192 : 2048;
  if (!job->sizes)
    for (int64_t n = 256; n <= most; n *= 2) job->size[job->sizes++] = n;
  if (!job->dtypes) job->dtypes = 1u << QN_F32 | 1u << QN_F64;
  job->dtypes &= job->session.info.dtypes;
}

/* ---- the run ---- */

static int take_ceilings(roof_job *job) {
  probe *p = NULL;
  probe_result *curve = calloc(1, sizeof *curve);
  if (!curve) return cli_error(CLI_FAILED, "out of memory");
  cli_progress_say("ceilings", 0.0);
  qn_status status = probe_open(job->session.stream, &job->settings, &p);
  if (!status) status = probe_measure_ceilings(p);
  if (!status) status = probe_run(p, probe_find_row("bandwidth"), curve);
  if (!status) job->roof->ceilings = *probe_get_ceilings(p);
  for (unsigned i = 0; i < curve->count && job->roof->curve_count < ROOF_CURVE_MOST; i++) {
    const probe_figure *f = &curve->figure[i];
    if (strcmp(f->series, "write") != 0)
      job->roof->curve[job->roof->curve_count++] = (roof_bandwidth){f->x, probe_best(f)};
  }
  probe_close(p);
  free(curve);
  return status ? cli_fail(status, "roofline") : CLI_DONE;
}

static bool computes(bench_routine routine, qn_dtype dtype) {
  return routine != BENCH_POTRF || (dtype != QN_F16 && dtype != QN_BF16);
}

static int take_point(roof_job *job, bench_routine routine, qn_dtype dtype, int64_t n) {
  roof *r = job->roof;
  bench_cell cell = {.problem = bench_problem_make(routine, dtype), .threads = qn_num_threads()};
  cell.problem.m = cell.problem.n = cell.problem.k = n;
  const qn_status status = bench_measure(job->session.stream, NULL, &cell);
  if (status == QN_ENOMEM) return cli_error(CLI_FAILED, "roofline: out of host memory");
  if (status) return cli_fail(status, bench_routine_name(routine));
  roof_point *p = &r->point[r->count++];
  *p = (roof_point){.routine = routine,
                    .dtype = dtype,
                    .n = n,
                    .bytes = bench_bytes(&cell.problem),
                    .flops = bench_flops(&cell.problem),
                    .seconds = cell.ours.seconds.median,
                    .spread = bench_spread(&cell.ours.seconds),
                    .wrong = cell.ours.wrong};
  roof_judge(r, p);
  return CLI_DONE;
}

static void print_point(const roof_point *p) {
  printf("%-5s %-6s %6lld  %9.4g %10s%c %10s  %5.1f %%%s\n", qn_dtype_name(p->dtype),
         bench_routine_name(p->routine), (long long)p->n, roof_intensity(p),
         cli_format_figure(roof_rate(p)).text,
         p->wrong                         ? '!'
         : p->spread > BENCH_SPREAD_LIMIT ? '~'
                                          : ' ',
         cli_format_figure(p->ceiling).text, 100.0 * roof_rate(p) / p->ceiling,
         p->above ? "  above its ceiling" : "");
  fflush(stdout);
}

static int take_points(roof_job *job) {
  roof *r = job->roof;
  for (int dtype = 0; dtype < QN_DTYPE_COUNT; dtype++) {
    for (int routine = 0; routine < BENCH_ROUTINE_COUNT; routine++) {
      for (unsigned s = 0; s < job->sizes; s++) {
        if (!(job->dtypes & 1u << dtype) || r->count == ROOF_POINTS_MOST ||
            !computes((bench_routine)routine, (qn_dtype)dtype))
          continue;
        cli_progress_begin();
        cli_progress_say(bench_routine_name((bench_routine)routine), -1.0);
        const int exit_status =
            take_point(job, (bench_routine)routine, (qn_dtype)dtype, job->size[s]);
        cli_progress_end();
        if (exit_status) return exit_status;
        if (job->table) print_point(&r->point[r->count - 1]);
      }
    }
  }
  return CLI_DONE;
}

static void print_head(const roof *r) {
  printf("%s\nceilings: memory %s GB/s, caches %s GB/s", r->device,
         cli_format_figure(r->ceilings.memory).text, cli_format_figure(roof_cache(r)).text);
  for (int a = 0; a < PROBE_ARITHMETICS; a++)
    if (r->ceilings.compute[a] > 0.0)
      printf(", %s %s GFLOP/s", probe_arithmetic_name((probe_arithmetic)a),
             cli_format_figure(r->ceilings.compute[a]).text);
  printf("\n\n%-5s %-6s %6s  %9s %11s %10s  %7s\n", "dtype", "", "n", "flop/byte", "GFLOP/s",
         "ceiling", "share");
}

/* A wrong result, or one that no ceiling allows: the ceiling or the clock is wrong then. */
static int verdict(const roof *r) {
  for (size_t i = 0; i < r->count; i++) {
    const roof_point *p = &r->point[i];
    if (!p->wrong && !p->above) continue;
    return cli_error(CLI_FAILED, "roofline: %s %s %lld %s", bench_routine_name(p->routine),
                     qn_dtype_name(p->dtype), (long long)p->n,
                     p->wrong ? "gave a wrong result"
                              : "lies above its ceiling: measure again on an idle machine");
  }
  return CLI_DONE;
}

static int draw(const roof *r, const roof *other, const char *path) {
  char error[QN_CHART_ERROR];
  if (!path || roof_draw(r, other, path, error)) return CLI_DONE;
  return cli_error(CLI_FAILED, "%s", error);
}

static int measure(roof_job *job, const cli_args *args) {
  int exit_status =
      cli_get_list(args, OPT_SIZES, "up to 16 orders, 1 to 65536, such as 256,512", add_size, job);
  if (!exit_status)
    exit_status = cli_get_list(args, OPT_DTYPES, "f16 bf16 f32 f64 c64 c128", add_dtype, job);
  if (!exit_status) exit_status = cli_get_positive(args, OPT_SECONDS, 10.0, &job->settings.seconds);
  if (!exit_status) exit_status = cli_session_open(&job->session, args);
  if (!exit_status) exit_status = cli_session_choose(&job->session, QN_F32);
  const char *json = args->value[OPT_JSON_FILE];
  if (!exit_status && json && !cli_json_available())
    exit_status = cli_error(CLI_MISUSED, "--json: %s", cli_json_missing);
  if (!exit_status && json) exit_status = cli_text_begin(&job->json, json);
  if (exit_status) return exit_status;
  job->table = !(json && strcmp(json, "-") == 0) && cli_get_verbosity() != CLI_QUIET;
  set_defaults(job);
  roof *r = job->roof;
  const qn_device_info *info = &job->session.info;
  const bool cpu = strcmp(info->backend, "cpu") == 0;
  snprintf(r->device, sizeof r->device, "%s: %s (%s)", info->id, info->name, info->arch);
  snprintf(r->driver, sizeof r->driver, "%s", info->driver);
  r->clock_mhz = info->clock_mhz;
  r->threads = cpu ? qn_num_threads() : 0;
  exit_status = take_ceilings(job);
  if (!exit_status && job->table) print_head(r);
  if (!exit_status) exit_status = take_points(job);
  if (exit_status) return exit_status;
  if (job->json.stream) {
    cli_json *root = roof_to_json(r);
    cli_json_print(root, job->json.stream);
    cli_json_free(root);
  }
  exit_status = draw(r, NULL, job->plot);
  return exit_status ? exit_status : verdict(r);
}

/* ---- two files over one another ---- */

static const roof_point *find_same(const roof *r, const roof_point *point) {
  for (size_t i = 0; i < r->count; i++) {
    const roof_point *p = &r->point[i];
    if (p->routine == point->routine && p->dtype == point->dtype && p->n == point->n) return p;
  }
  return NULL;
}

static int load(const char *path, roof *r) {
  char error[256];
  if (roof_load(path, r, error, sizeof error)) return CLI_DONE;
  return cli_error(CLI_MISUSED, "%s: %s", path, error);
}

static int compare(roof_job *job, const cli_args *args) {
  if (args->word_count != 2)
    return cli_error(CLI_MISUSED, "roofline --compare takes two JSON files");
  roof *a = job->roof, *b = calloc(1, sizeof *b);
  if (!b) return cli_error(CLI_FAILED, "out of memory");
  int exit_status = load(args->words[0], a);
  if (!exit_status) exit_status = load(args->words[1], b);
  if (!exit_status && cli_get_verbosity() != CLI_QUIET) {
    printf("A  %s\nB  %s\n\n%-5s %-6s %6s  %10s %10s  %6s\n", a->device, b->device, "dtype", "",
           "n", "A GFLOP/s", "B GFLOP/s", "B / A");
    for (size_t i = 0; i < a->count; i++) {
      const roof_point *p = &a->point[i], *q = find_same(b, p);
      if (q)
        printf("%-5s %-6s %6lld  %10s %10s  %6.3f\n", qn_dtype_name(p->dtype),
               bench_routine_name(p->routine), (long long)p->n,
               cli_format_figure(roof_rate(p)).text, cli_format_figure(roof_rate(q)).text,
               roof_rate(q) / roof_rate(p));
    }
  }
  if (!exit_status) exit_status = draw(a, b, job->plot);
  free(b);
  return exit_status;
}

/* ---- one file, drawn again ---- */

static int redraw(roof_job *job, const cli_args *args) {
  roof *r = job->roof;
  if (args->word_count != 1 || !job->plot)
    return cli_error(CLI_MISUSED, "roofline takes no '%s' without --compare%s",
                     args->words[args->word_count - 1], job->plot ? "" : " or --plot");
  const int exit_status = load(args->words[0], r);
  if (exit_status) return exit_status;
  if (cli_get_verbosity() != CLI_QUIET) {
    print_head(r);
    for (size_t i = 0; i < r->count; i++) print_point(&r->point[i]);
  }
  return draw(r, NULL, job->plot);
}

static int run(const cli_args *args) {
  roof_job job = {.plot = args->value[OPT_PLOT]};
  int exit_status = cli_check_plot(job.plot);
  if (exit_status) return exit_status;
  job.roof = calloc(1, sizeof *job.roof);
  if (!job.roof) return cli_error(CLI_FAILED, "out of memory");
  if (args->value[OPT_COMPARE]) {
    exit_status = compare(&job, args);
  } else if (args->word_count > 0) {
    exit_status = redraw(&job, args);
  } else {
    exit_status = measure(&job, args);
  }
  const int json_status = cli_text_end(&job.json, job.roof->count > 0);
  if (!exit_status) exit_status = json_status;
  cli_session_close(&job.session);
  free(job.roof);
  return exit_status;
}

static const cli_option options[] = {
    OPT_SIZES,   OPT_DTYPES,  OPT_COMPARE, OPT_SECONDS, OPT_JSON_FILE, OPT_PLOT, OPT_DEVICE,
    OPT_THREADS, OPT_VERBOSE, OPT_QUIET,   OPT_HELP,    OPT_VERSION,   OPT_COUNT};

const cli_command cli_roofline_command = {
    .name = "roofline",
    .summary = "measure a machine's ceilings and what every routine reaches of them",
    .operands = "[A.json B.json]",
    .any_operands = true,
    .about =
        "Ceilings are measured, not looked up: bandwidth by working set, arithmetic by chains of\n"
        "multiply-adds, with tensor cores where they are. Operations and bytes of the routines "
        "are\n"
        "counted. A point above its ceiling is an error: exit status 1.\n",
    .examples =
        "  quern roofline --plot roofline.svg\n"
        "  quern roofline --device cuda:0 --sizes 256,1024,4096 --dtype f64 --json h200.json\n"
        "  quern roofline h200.json --plot h200.svg\n"
        "  quern roofline --compare before.json after.json --plot both.png\n",
    .options = options,
    .run = run,
};
