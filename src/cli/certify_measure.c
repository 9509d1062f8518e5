/* The measurements of a certificate. */
#include "bench/cell.h"
#include "bench/timing.h"
#include "cli/certify.h"
#include "cli/progress.h"
#include "npb/ep.h"
#include "probe/probe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const qn_dtype dtypes[] = {QN_F32, QN_F64};
enum { DTYPES = 2, ACCURACY_ORDER = 512 };

static bool on_cpu(const cli_session *session) {
  return strcmp(session->info.backend, "cpu") == 0;
}

/* ---- ceilings and the ladder: the probe's ---- */

static void add_ceilings(certify_report *r, const probe_ceilings *c) {
  certify_add(r, "ceilings", "memory", c->memory, "GB/s");
  if (c->local > 0.0) certify_add(r, "ceilings", "local memory", c->local, "GB/s");
  for (int a = 0; a < PROBE_ARITHMETICS; a++)
    if (c->compute[a] > 0.0)
      certify_add(r, "ceilings", probe_arithmetic_name((probe_arithmetic)a), c->compute[a],
                  "GFLOP/s");
}

static int take_probe(cli_session *session, const certify_settings *s, certify_report *r) {
  probe *p = NULL;
  const probe_settings settings = {.order = s->order, .seconds = s->seconds};
  probe_result *ladder = calloc(1, sizeof *ladder);
  if (!ladder) return cli_error(CLI_FAILED, "out of memory");
  cli_progress_say("ceilings", 0.0);
  qn_status status = probe_open(session->stream, &settings, &p);
  if (!status) status = probe_measure_ceilings(p);
  if (!status) add_ceilings(r, probe_get_ceilings(p));
  cli_progress_say("products, step by step", 0.2);
  if (!status) status = probe_run(p, probe_find_row("matmul"), ladder);
  for (unsigned i = 0; i < ladder->count && !status; i++) {
    const probe_figure *f = &ladder->figure[i];
    certify_add(r, "gemm", f->variant, probe_value(f), "GFLOP/s")->wrong = f->wrong;
  }
  probe_close(p);
  free(ladder);
  return status ? cli_fail(status, "certify") : CLI_DONE;
}

/* ---- EP, verified by its published sums ---- */

static qn_status run_ep(cli_session *session, const ep_class *class, ep_sums *total,
                        double *seconds) {
  const ep_share share = {class->m, 0, EP_ROWS};
  const npb_progress quiet = {0};
  ep_engine engine;
  ep_sums rows[EP_ROWS];
  double end = 0.0;
  qn_status status = QN_OK;
  if (on_cpu(session)) {
    ep_cpu_open(share, qn_num_threads(), &engine);
  } else {
    status = ep_device_open(share, session->stream, &engine);
  }
  if (status) return status;
  const double start = bench_now();
  status = engine.run(&engine, &quiet, rows, &end);
  *seconds = bench_now() - start;
  engine.close(&engine);
  *total = (ep_sums){0};
  for (int i = 0; i < EP_ROWS && !status; i++) ep_add(total, &rows[i]);
  return status;
}

static int take_ep(cli_session *session, certify_report *r) {
  const ep_class *class = ep_find_class('A');
  ep_sums total;
  double seconds = 0.0;
  if (!(session->info.dtypes & 1u << QN_F64)) return CLI_DONE;
  cli_progress_say("EP class A", 0.3);
  const qn_status status = run_ep(session, class, &total, &seconds);
  if (status) return cli_fail(status, "certify: EP");
  const double pairs = (double)(UINT64_C(1) << class->m);
  certify_add(r, "ep", "class A", 1e-6 * pairs / seconds, "Mop/s")->wrong =
      !ep_verify(class, &total).passed;
  return CLI_DONE;
}

/* ---- the routines ---- */

static int measure(cli_session *session, bench_cell *cell) {
  const qn_status status = bench_measure(session->stream, NULL, cell);
  if (status == QN_ENOMEM) return cli_error(CLI_FAILED, "certify: out of host memory");
  return status ? cli_fail(status, bench_routine_name(cell->problem.routine)) : CLI_DONE;
}

static int take_rate(cli_session *session, certify_report *r, bench_routine routine, qn_dtype dtype,
                     int64_t order, int64_t nrhs) {
  bench_cell cell = {.problem = bench_problem_make(routine, dtype), .threads = qn_num_threads()};
  char name[48];
  cell.problem.m = cell.problem.k = order;
  cell.problem.n = nrhs;
  const int exit_status = measure(session, &cell);
  if (exit_status) return exit_status;
  /* what says enough in a chart's label */
  const int end = snprintf(name, sizeof name, "%s %s %lld", bench_routine_name(routine),
                           qn_dtype_name(dtype), (long long)order);
  if (routine != BENCH_GEMM)
    snprintf(name + end, sizeof name - (size_t)end, " x %lld", (long long)nrhs);
  certify_add(r, routine == BENCH_GEMM ? "gemm" : "trsm", name,
              1e-9 * bench_flops(&cell.problem) / cell.ours.seconds.median, "GFLOP/s")
      ->wrong = cell.ours.wrong;
  return CLI_DONE;
}

static int take_accuracy(cli_session *session, certify_report *r, bench_routine routine,
                         qn_dtype dtype, int64_t order) {
  bench_cell cell = {.problem = bench_problem_make(routine, dtype), .threads = qn_num_threads()};
  char name[48];
  cell.problem.m = cell.problem.n = cell.problem.k =
      order < ACCURACY_ORDER ? order : ACCURACY_ORDER;
  const int exit_status = measure(session, &cell);
  if (exit_status) return exit_status;
  snprintf(name, sizeof name, "%s %s", bench_routine_name(routine), qn_dtype_name(dtype));
  certify_line *line = certify_add(r, "accuracy", name, cell.ours.residual.error, "u");
  line->limit = cell.ours.residual.limit;
  line->wrong = cell.ours.wrong;
  return CLI_DONE;
}

static int take_routines(cli_session *session, const certify_settings *s, certify_report *r) {
  const int64_t usual = session->info.kind == QN_DEVICE_GPU ? 4096 : 1024;
  const int64_t order = s->order ? s->order : usual;
  int exit_status = CLI_DONE;
  for (int t = 0; t < DTYPES; t++) {
    if (!(session->info.dtypes & 1u << dtypes[t])) continue;
    cli_progress_say("gemm and trsm", 0.4 + 0.3 * t);
    if (!exit_status) exit_status = take_rate(session, r, BENCH_GEMM, dtypes[t], order, order);
    if (!exit_status) exit_status = take_rate(session, r, BENCH_TRSM, dtypes[t], order, order);
    if (!exit_status) exit_status = take_rate(session, r, BENCH_TRSM, dtypes[t], order, 64);
    for (int routine = 0; routine < BENCH_ROUTINE_COUNT && !exit_status; routine++)
      exit_status = take_accuracy(session, r, (bench_routine)routine, dtypes[t], order);
  }
  return exit_status;
}

int certify_measure(cli_session *session, const certify_settings *settings, certify_report *r) {
  r->device = session->info;
  r->threads = on_cpu(session) ? qn_num_threads() : 0;
  cli_progress_begin();
  int exit_status = take_probe(session, settings, r);
  if (!exit_status) exit_status = take_ep(session, r);
  if (!exit_status) exit_status = take_routines(session, settings, r);
  cli_progress_end();
  return exit_status;
}
