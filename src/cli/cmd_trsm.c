/* quern trsm: a triangular system with many right-hand sides. */
#include "bench/wide.h"
#include "cli/cmd_triangular.h"

/* A zero on the diagonal is no error, as in BLAS: the result tells by its Inf and NaN. It is said
 * all the same. */
static void look_for_zeros(const cli_job *job) {
  const bench_matrix a = cli_host_matrix(&job->a.file);
  int64_t zeros = 0, first = 0;
  if (job->problem.diag == QN_UNIT) return;
  for (int64_t i = 0; i < a.rows; i++) {
    double re, im;
    wide_element(job->problem.dtype, &a, i, i, &re, &im);
    if (re == 0.0 && im == 0.0 && zeros++ == 0) first = i + 1;
  }
  if (zeros > 0)
    cli_error(CLI_DONE,
              "%s: %lld zero%s on the diagonal, the first in row %lld (counted from 1): "
              "the result holds Inf or NaN",
              job->a.path, (long long)zeros, zeros == 1 ? "" : "s", (long long)first);
}

static int run(const cli_args *args) {
  return cli_run_triangular(args, BENCH_TRSM, look_for_zeros);
}

const cli_command cli_trsm_command = {
    .name = "trsm",
    .summary = "solve a triangular system: op(A) X = alpha B or X op(A) = alpha B",
    .operands = "A B -o X",
    .operand_count = 2,
    .about =
        "  A  the triangular matrix, square, in a file (.npy or .mtx); of it only the triangle\n"
        "     that --uplo names counts, and with --diag U not its diagonal\n"
        "  B  the right-hand sides, with as many rows as A (columns, side R)\n"
        "  X  where the solution is written, of B's shape and dtype\n"
        "\n"
        "A and B are of one dtype; --dtype converts them. A zero on the diagonal is named on\n"
        "standard error, and the solution, with its Inf and NaN, is written all the same.\n",
    .examples = "  quern trsm L.npy B.npy -o X.npy                      solve L X = B\n"
                "  quern trsm L.npy B.npy --trans T -o X.npy            solve L' X = B\n"
                "  quern trsm U.npy B.npy --uplo U --side R -o X.npy    solve X U = B\n"
                "  quern trsm L.mtx B.npy --dtype f32 -o X.mtx --explain\n",
    .options = cli_triangular_options,
    .run = run,
};
