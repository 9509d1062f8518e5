/* quern potrf: the Cholesky factor. */
#include "cli/job.h"
#include "cli/progress.h"
#include "cli/values.h"

static int check_dtype(const cli_operand *operand) {
  const qn_dtype dtype = operand->file.dtype;
  if (dtype != QN_F16 && dtype != QN_BF16) return CLI_DONE;
  return cli_error(CLI_MISUSED, "%s is %s; potrf needs f32 f64 c64 or c128: --dtype f32 converts",
                   operand->path, qn_dtype_name(dtype));
}

static int run_job(cli_job *job) {
  int uplo = job->problem.uplo;
  int exit_status = cli_get_letter(job->args, OPT_UPLO, "LU", &uplo);
  job->problem.uplo = (qn_uplo)uplo;
  if (!exit_status) exit_status = cli_job_read(job, &job->c, job->args->operand[0]);
  if (!exit_status) exit_status = check_dtype(&job->c);
  if (!exit_status) exit_status = cli_job_square(&job->c);
  if (!exit_status) exit_status = cli_job_agree(job, &job->c, &job->c);
  if (exit_status) return exit_status;
  job->problem.m = job->problem.n = job->c.file.rows;
  return cli_job_run(job);
}

static int run(const cli_args *args) {
  cli_job job;
  cli_progress_begin();
  int exit_status = cli_job_begin(&job, args, BENCH_POTRF);
  if (!exit_status) exit_status = run_job(&job);
  return cli_job_end(&job, exit_status);
}

static const cli_option options[] = {OPT_OUTPUT,  OPT_UPLO,    OPT_DEVICE,  OPT_DTYPE,
                                     OPT_THREADS, OPT_EXPLAIN, OPT_VERBOSE, OPT_QUIET,
                                     OPT_HELP,    OPT_VERSION, OPT_COUNT};

const cli_command cli_potrf_command = {
    .name = "potrf",
    .summary = "factor a positive definite matrix: A = L L^H or U^H U",
    .operands = "A -o L",
    .operand_count = 1,
    .about =
        "  A  a symmetric or Hermitian positive definite matrix in a file (.npy or .mtx); of it\n"
        "     only the triangle that --uplo names counts\n"
        "  L  where the factor is written; its other triangle is zero\n"
        "\n"
        "Where A is not positive definite, the order of the first leading minor that is not is\n"
        "named, the exit status is 1 and nothing is written.\n",
    .examples = "  quern potrf A.npy -o L.npy            A = L L'\n"
                "  quern potrf A.mtx --uplo U -o U.npy   A = U' U\n"
                "  quern potrf A.npy -o L.npy && quern trsm L.npy B.npy -o Y.npy &&\n"
                "    quern trsm L.npy Y.npy --trans C -o X.npy    solve A X = B\n",
    .options = options,
    .run = run,
};
