/* What quern trmm and quern trsm share. */
#include "cli/cmd_triangular.h"
#include "cli/progress.h"
#include "cli/values.h"

const cli_option cli_triangular_options[] = {
    OPT_OUTPUT,  OPT_SIDE,    OPT_UPLO,    OPT_TRANS, OPT_DIAG, OPT_ALPHA,   OPT_DEVICE, OPT_DTYPE,
    OPT_THREADS, OPT_EXPLAIN, OPT_VERBOSE, OPT_QUIET, OPT_HELP, OPT_VERSION, OPT_COUNT};

static int take_options(cli_job *job) {
  const cli_args *args = job->args;
  bench_problem *p = &job->problem;
  int side = p->side, uplo = p->uplo, trans = p->transa, diag = p->diag;
  int exit_status = cli_get_letter(args, OPT_SIDE, "LR", &side);
  if (!exit_status) exit_status = cli_get_letter(args, OPT_UPLO, "LU", &uplo);
  if (!exit_status) exit_status = cli_get_letter(args, OPT_TRANS, "NTC", &trans);
  if (!exit_status) exit_status = cli_get_letter(args, OPT_DIAG, "NU", &diag);
  if (!exit_status) exit_status = cli_get_scalar(args, OPT_ALPHA, &p->alpha);
  p->side = (qn_side)side;
  p->uplo = (qn_uplo)uplo;
  p->transa = (qn_trans)trans;
  p->diag = (qn_diag)diag;
  return exit_status;
}

static int check_shape(cli_job *job) {
  bench_problem *p = &job->problem;
  const qn_file_matrix *a = &job->a.file, *b = &job->c.file;
  const int exit_status = cli_job_square(&job->a);
  if (exit_status) return exit_status;
  p->m = b->rows;
  p->n = b->cols;
  if (bench_order(p) == a->rows) return CLI_DONE;
  return cli_error(
      CLI_MISUSED, "%s is %lld x %lld; with %s %lld x %lld and --side %c it needs %lld %s",
      job->c.path, (long long)b->rows, (long long)b->cols, job->a.path, (long long)a->rows,
      (long long)a->cols, p->side, (long long)a->rows, p->side == QN_LEFT ? "rows" : "columns");
}

static int run_job(cli_job *job, void (*look)(const cli_job *)) {
  const cli_args *args = job->args;
  int exit_status = take_options(job);
  if (!exit_status) exit_status = cli_job_read(job, &job->a, args->operand[0]);
  if (!exit_status) exit_status = cli_job_read(job, &job->c, args->operand[1]);
  if (!exit_status) exit_status = cli_job_agree(job, &job->a, &job->c);
  if (!exit_status) exit_status = check_shape(job);
  if (exit_status) return exit_status;
  if (look) look(job);
  return cli_job_run(job);
}

int cli_run_triangular(const cli_args *args, bench_routine routine, void (*look)(const cli_job *)) {
  cli_job job;
  cli_progress_begin();
  int exit_status = cli_job_begin(&job, args, routine);
  if (!exit_status) exit_status = run_job(&job, look);
  return cli_job_end(&job, exit_status);
}
