/* quern gemm: C = alpha op(A) op(B) + beta C0, or an expression of it. */
#include "cli/epilogue.h"
#include "cli/progress.h"
#include "cli/values.h"
#include <stdlib.h>

static int take_options(cli_job *job) {
  const cli_args *args = job->args;
  bench_problem *p = &job->problem;
  int transa = p->transa, transb = p->transb;
  int exit_status = cli_get_letter(args, OPT_TRANSA, "NTC", &transa);
  if (!exit_status) exit_status = cli_get_letter(args, OPT_TRANSB, "NTC", &transb);
  if (!exit_status) exit_status = cli_get_scalar(args, OPT_ALPHA, &p->alpha);
  if (args->value[OPT_C]) p->beta = qn_real(1.0);
  if (!exit_status) exit_status = cli_get_scalar(args, OPT_BETA, &p->beta);
  if (!exit_status && args->value[OPT_BETA] && !args->value[OPT_C])
    return cli_error(CLI_MISUSED, "gemm: --beta needs --c FILE, the matrix that it multiplies");
  p->transa = (qn_trans)transa;
  p->transb = (qn_trans)transb;
  return exit_status ? exit_status : cli_epilogue_take(job);
}

/* "A.npy is 3 x 4 (transposed 4 x 3)": how the shape of an operand enters the product. */
static void set_shape(cli_job *job) {
  bench_problem *p = &job->problem;
  const qn_file_matrix *a = &job->a.file, *b = &job->b.file;
  p->m = p->transa == QN_NOTRANS ? a->rows : a->cols;
  p->k = p->transa == QN_NOTRANS ? a->cols : a->rows;
  p->n = p->transb == QN_NOTRANS ? b->cols : b->rows;
}

static int check_shape(cli_job *job) {
  const bench_problem *p = &job->problem;
  const qn_file_matrix *a = &job->a.file, *b = &job->b.file, *c = &job->c.file;
  const int64_t inner = p->transb == QN_NOTRANS ? b->rows : b->cols;
  if (inner != p->k)
    return cli_error(
        CLI_MISUSED,
        "%s is %lld x %lld and %s is %lld x %lld: op(A) has %lld columns and op(B) %lld "
        "rows; they must be equal",
        job->a.path, (long long)a->rows, (long long)a->cols, job->b.path, (long long)b->rows,
        (long long)b->cols, (long long)p->k, (long long)inner);
  if (job->c.path && (c->rows != p->m || c->cols != p->n))
    return cli_error(CLI_MISUSED, "%s is %lld x %lld; the product is %lld x %lld", job->c.path,
                     (long long)c->rows, (long long)c->cols, (long long)p->m, (long long)p->n);
  return cli_epilogue_check_shapes(job);
}

/* A C of its own, whose contents do not matter: beta is 0. */
static int make_c(cli_job *job) {
  const bench_problem *p = &job->problem;
  qn_file_matrix *c = &job->c.file;
  *c = (qn_file_matrix){.dtype = p->dtype, .rows = p->m, .cols = p->n, .ld = p->m > 0 ? p->m : 1};
  size_t bytes;
  const bool fits = !__builtin_mul_overflow((size_t)p->m, (size_t)p->n, &bytes) &&
                    !__builtin_mul_overflow(bytes, qn_dtype_size(p->dtype), &bytes);
  if (bytes == 0) return CLI_DONE;
  c->data = fits ? calloc(1, bytes) : NULL;
  if (c->data) return CLI_DONE;
  return cli_error(CLI_FAILED, "out of memory: the product is %lld x %lld %s", (long long)p->m,
                   (long long)p->n, qn_dtype_name(p->dtype));
}

static int run_job(cli_job *job) {
  const cli_args *args = job->args;
  int exit_status = take_options(job);
  if (!exit_status) exit_status = cli_job_read(job, &job->a, args->operand[0]);
  if (!exit_status) exit_status = cli_job_read(job, &job->b, args->operand[1]);
  if (!exit_status && args->value[OPT_C])
    exit_status = cli_job_read(job, &job->c, args->value[OPT_C]);
  if (!exit_status) exit_status = cli_job_agree(job, &job->a, &job->b);
  if (!exit_status && job->c.path) exit_status = cli_job_agree(job, &job->a, &job->c);
  if (!exit_status) exit_status = cli_epilogue_read(job);
  if (exit_status) return exit_status;
  set_shape(job);
  exit_status = check_shape(job);
  if (!exit_status && !job->c.path) exit_status = make_c(job);
  return exit_status ? exit_status : cli_job_run(job);
}

static int run(const cli_args *args) {
  cli_job job;
  cli_progress_begin();
  int exit_status = cli_job_begin(&job, args, BENCH_GEMM);
  if (!exit_status) exit_status = run_job(&job);
  return cli_job_end(&job, exit_status);
}

static const cli_option options[] = {
    OPT_OUTPUT,  OPT_TRANSA,   OPT_TRANSB, OPT_ALPHA,   OPT_BETA,    OPT_C,     OPT_EPILOGUE,
    OPT_BIAS,    OPT_RESIDUAL, OPT_SCALAR, OPT_OPERAND, OPT_DEVICE,  OPT_DTYPE, OPT_THREADS,
    OPT_EXPLAIN, OPT_VERBOSE,  OPT_QUIET,  OPT_HELP,    OPT_VERSION, OPT_COUNT};

const cli_command cli_gemm_command = {
    .name = "gemm",
    .summary = "multiply two matrices: C = alpha op(A) op(B) + beta C0",
    .operands = "A B -o C",
    .operand_count = 2,
    .about =
        "  A, B  matrices in files (.npy or .mtx); op(A) has as many columns as op(B) has rows\n"
        "  C     where the product is written\n"
        "\n"
        "A, B and C0 are of one dtype, which the product keeps; --dtype converts them.\n"
        "\n"
        "--epilogue is an expression of C's arithmetic over\n"
        "  acc          the element of the product, alpha op(A) op(B) + beta C0, not yet rounded\n"
        "  c row col    what C0 held there, and where it is, from 0\n"
        "  bias_m bias_n residual    one value a row, one a column, one an element\n"
        "  names of your own         by --scalar and --operand (of C's shape, a column or a row)\n"
        "with numbers, + - * / < <= > >= == != ?: and\n"
        "  min max abs exp log tanh erf sqrt relu gelu gelu_tanh silu sigmoid clamp(x, low, "
        "high)\n",
    .examples =
        "  quern gemm A.npy B.npy -o C.npy                    C = A B\n"
        "  quern gemm A.npy A.npy --transa T -o C.npy         C = A' A\n"
        "  quern gemm A.npy B.npy --c C0.npy --alpha -1 -o C.npy    C = C0 - A B\n"
        "  quern gemm A.mtx B.npy --dtype f32 -o C.npy --explain    and where the time went\n"
        "  quern gemm A.npy B.npy -o C.npy --epilogue 'relu(acc + bias_n)' --bias b.npy\n"
        "  quern gemm A.npy B.npy -o C.npy --epilogue 'acc > limit' --scalar limit=0.5\n",
    .options = options,
    .run = run,
};
