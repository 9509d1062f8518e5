/* quern trmm: a triangular matrix times another. */
#include "cli/cmd_triangular.h"

static int run(const cli_args *args) {
  return cli_run_triangular(args, BENCH_TRMM, NULL);
}

const cli_command cli_trmm_command = {
    .name = "trmm",
    .summary = "multiply by a triangular matrix: X = alpha op(A) B or alpha B op(A)",
    .operands = "A B -o X",
    .operand_count = 2,
    .about =
        "  A  the triangular matrix, square, in a file (.npy or .mtx); of it only the triangle\n"
        "     that --uplo names counts, and with --diag U not its diagonal\n"
        "  B  the matrix to be multiplied, with as many rows as A (columns, side R)\n"
        "  X  where the product is written, of B's shape and dtype\n"
        "\n"
        "A and B are of one dtype; --dtype converts them.\n",
    .examples = "  quern trmm L.npy B.npy -o X.npy                        X = L B\n"
                "  quern trmm U.npy B.npy --uplo U --side R -o X.npy      X = B U\n"
                "  quern trmm L.npy B.npy --trans T --alpha 0.5 -o X.npy  X = L' B / 2\n",
    .options = cli_triangular_options,
    .run = run,
};
