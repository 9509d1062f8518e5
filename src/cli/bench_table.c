/* The table of a bench, a line as soon as a cell is measured. */
#include "cli/bench_grid.h"

/* "~" behind a figure whose spread is over 10 %, "!" behind one of a wrong result. */
static char mark(const bench_side *side) {
  return side->wrong ? '!' : bench_spread(&side->seconds) > BENCH_SPREAD_LIMIT ? '~' : ' ';
}

static const char *shape_head(bench_routine routine) {
  return routine == BENCH_GEMM    ? "m x n x k"
         : routine == BENCH_POTRF ? "order"
                                  : "side order x nrhs";
}

void cli_print_grid_head(const bench_grid *grid) {
  printf("ours  quern %s on %s (%s, %s)\n", qn_version_string(), grid->device.id, grid->device.arch,
         grid->device.name);
  if (grid->peer) printf("peer  %s\n", grid->peer);
  printf("\n");
  if (grid->by_variant) printf("%-18s ", "variant");
  printf("%-5s %-18s %3s  %11s %9s", "dtype", shape_head(grid->cell[0].problem.routine), "thr",
         "ours ms", "GFLOP/s");
  if (grid->peer) printf("  %11s %9s  %7s", "peer ms", "GFLOP/s", "ratio");
  printf("  %8s\n", "error/u");
}

static void print_quartiles(const bench_cell *cell) {
  printf("      quartiles: ours %.4f..%.4f ms", 1e3 * cell->ours.seconds.low,
         1e3 * cell->ours.seconds.high);
  if (cell->compared)
    printf(", peer %.4f..%.4f ms, ratio %.3f..%.3f", 1e3 * cell->peer.seconds.low,
           1e3 * cell->peer.seconds.high, cell->ratio.low, cell->ratio.high);
  printf("; %zu samples of %lld calls\n", cell->ours.seconds.count, (long long)cell->batch);
}

/* " at 1980 MHz", or nothing where the clock is not told. */
static void print_clock(unsigned mhz) {
  if (mhz) printf(" at %u MHz", mhz);
}

static void print_load(const bench_cell *cell, const char *name, const bench_side *side) {
  printf("      %s: samples", name);
  print_clock(side->mhz);
  if (side->sustained > 0.0) {
    printf("; sustained %.4f ms, %.1f GFLOP/s", 1e3 * side->sustained,
           bench_flops(&cell->problem) / side->sustained * 1e-9);
    print_clock(side->sustained_mhz);
  }
  printf("\n");
}

void cli_print_cell(const bench_grid *grid, const bench_cell *cell) {
  const bench_problem *p = &cell->problem;
  if (cell->variant) printf("%-18s ", cell->variant);
  printf("%-5s %-18s %3d", qn_dtype_name(p->dtype), cli_shape(p).text, cell->threads);
  if (cell->refused) {
    printf("  needs %s\n", cell->refused);
    fflush(stdout);
    return;
  }
  printf("  %10.4f%c %9.1f", 1e3 * cell->ours.seconds.median, mark(&cell->ours),
         cli_rate(cell, &cell->ours));
  if (cell->compared) {
    const bool unsteady = bench_spread(&cell->ratio) > BENCH_SPREAD_LIMIT;
    printf("  %10.4f%c %9.1f  %6.3f%c", 1e3 * cell->peer.seconds.median, mark(&cell->peer),
           cli_rate(cell, &cell->peer), cell->ratio.median, unsteady ? '~' : ' ');
  } else if (grid->peer) {
    printf("  %11s %9s  %7s", "-", "-", "-");
  }
  printf("  %8.2f\n", cell->ours.residual.error);
  if (cell->ours.sustained > 0.0 || (cell->ours.mhz && cli_get_verbosity() == CLI_VERBOSE)) {
    print_load(cell, "ours", &cell->ours);
    if (cell->compared) print_load(cell, "peer", &cell->peer);
  }
  if (cli_get_verbosity() == CLI_VERBOSE) print_quartiles(cell);
  fflush(stdout);
}

void cli_print_grid_foot(const bench_grid *grid) {
  bool unsteady = false, wrong = false;
  for (size_t i = 0; i < grid->done; i++) {
    const bench_cell *cell = &grid->cell[i];
    wrong |= cell->ours.wrong || cell->peer.wrong;
    unsteady |= mark(&cell->ours) == '~' || (cell->compared && mark(&cell->peer) == '~') ||
                (cell->compared && bench_spread(&cell->ratio) > BENCH_SPREAD_LIMIT);
  }
  cli_mean means[CLI_MEANS_MOST];
  const size_t count = cli_grid_means(grid, means);
  if (count) printf("\nratio = peer's time / ours, pair by pair: above 1 ours is the faster\n");
  for (size_t i = 0; i < count; i++)
    printf("  %-5s %d thread%s: geometric mean %.3f, worst %.3f, of %zu\n",
           qn_dtype_name(means[i].dtype), means[i].threads, means[i].threads == 1 ? " " : "s",
           means[i].ratio, means[i].worst, means[i].cells);
  if (unsteady) printf("~ quartiles more than 10 %% of the median apart\n");
  if (wrong) printf("! the result was wrong\n");
}
