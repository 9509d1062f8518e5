/* The figures of a bench as JSON and CSV. */
#include "cli/bench_grid.h"
#include "cli/json_parts.h"

static cli_json *side_json(const bench_cell *cell, const bench_side *side) {
  cli_json *o = cli_json_object();
  cli_json_set(o, "seconds", cli_summary_json(&side->seconds));
  cli_json_number(o, "gflops", cli_rate(cell, side));
  cli_json_number(o, "spread", bench_spread(&side->seconds));
  if (side->mhz) cli_json_integer(o, "clock_mhz", side->mhz);
  if (side->sustained > 0.0) {
    cli_json_number(o, "sustained_seconds", side->sustained);
    cli_json_integer(o, "sustained_clock_mhz", side->sustained_mhz);
  }
  cli_json_number(o, "error_u", side->residual.error);
  cli_json_number(o, "limit_u", side->residual.limit);
  if (side->residual.elementwise_limit > 0.0) {
    cli_json_number(o, "elementwise_u", side->residual.elementwise);
    cli_json_number(o, "elementwise_limit_u", side->residual.elementwise_limit);
  }
  cli_json_truth(o, "wrong", side->wrong);
  return o;
}

static void letter_json(cli_json *o, const char *key, int letter) {
  const char text[2] = {(char)letter, '\0'};
  cli_json_text(o, key, text);
}

static cli_json *cell_json(const bench_cell *cell) {
  const bench_problem *p = &cell->problem;
  cli_json *o = cli_json_object();
  cli_json_text(o, "routine", bench_routine_name(p->routine));
  cli_json_text(o, "dtype", qn_dtype_name(p->dtype));
  cli_json_integer(o, "m", p->m);
  cli_json_integer(o, "n", p->n);
  if (p->routine == BENCH_GEMM) {
    cli_json_integer(o, "k", p->k);
    letter_json(o, "transa", p->transa);
    letter_json(o, "transb", p->transb);
  } else {
    letter_json(o, "uplo", p->uplo);
  }
  if (p->routine == BENCH_TRMM || p->routine == BENCH_TRSM) {
    letter_json(o, "side", p->side);
    letter_json(o, "trans", p->transa);
    letter_json(o, "diag", p->diag);
  }
  cli_json_integer(o, "threads", cell->threads);
  if (cell->variant) cli_json_text(o, "variant", cell->variant);
  if (cell->refused) {
    cli_json_text(o, "needs", cell->refused);
    return o;
  }
  cli_json_integer(o, "batch", cell->batch);
  cli_json_set(o, "ours", side_json(cell, &cell->ours));
  if (cell->compared) {
    cli_json_set(o, "peer", side_json(cell, &cell->peer));
    cli_json_set(o, "ratio", cli_summary_json(&cell->ratio));
  }
  return o;
}

void cli_write_grid_json(const bench_grid *grid, FILE *file) {
  cli_json *root = cli_json_object(), *cells = cli_json_array(), *rows = cli_json_array();
  cli_json_integer(root, "format", 1);
  cli_json_text(root, "quern", qn_version_string());
  cli_json_set(root, "device", cli_device_json(&grid->device));
  if (grid->peer) cli_json_text(root, "peer", grid->peer);
  for (size_t i = 0; i < grid->done; i++) cli_json_push(cells, cell_json(&grid->cell[i]));
  cli_json_set(root, "cells", cells);
  cli_mean means[CLI_MEANS_MOST];
  const size_t count = cli_grid_means(grid, means);
  for (size_t i = 0; i < count; i++) {
    cli_json *row = cli_json_object();
    cli_json_text(row, "dtype", qn_dtype_name(means[i].dtype));
    cli_json_integer(row, "threads", means[i].threads);
    cli_json_integer(row, "cells", (int64_t)means[i].cells);
    cli_json_number(row, "ratio", means[i].ratio);
    cli_json_number(row, "worst", means[i].worst);
    cli_json_push(rows, row);
  }
  cli_json_set(root, "means", rows);
  cli_json_print(root, file);
  cli_json_free(root);
}

static void letter_csv(int letter, bool applies, FILE *file) {
  fputc(',', file);
  if (applies) fputc(letter, file);
}

static void problem_csv(const bench_problem *p, FILE *file) {
  const bool gemm = p->routine == BENCH_GEMM, potrf = p->routine == BENCH_POTRF;
  fprintf(file, "%s,%s", bench_routine_name(p->routine), qn_dtype_name(p->dtype));
  letter_csv(p->side, !gemm && !potrf, file);
  letter_csv(p->uplo, !gemm, file);
  letter_csv(p->transa, !potrf, file);
  letter_csv(p->transb, gemm, file);
  letter_csv(p->diag, !gemm && !potrf, file);
  fprintf(file, ",%lld,%lld,", (long long)p->m, (long long)p->n);
  if (gemm) fprintf(file, "%lld", (long long)p->k);
}

static void side_csv(const bench_cell *cell, const bench_side *side, FILE *file) {
  fprintf(file, ",%.9g,%.9g,%.9g,%.6g,%.6g,%d", side->seconds.median, side->seconds.low,
          side->seconds.high, cli_rate(cell, side), side->residual.error, side->wrong);
}

void cli_write_grid_csv(const bench_grid *grid, FILE *file) {
  fprintf(file, "routine,dtype,side,uplo,transa,transb,diag,m,n,k,threads,"
                "seconds,seconds_low,seconds_high,gflops,error_u,wrong,"
                "peer_seconds,peer_low,peer_high,peer_gflops,peer_error_u,peer_wrong,"
                "ratio,ratio_low,ratio_high,variant\n");
  for (size_t i = 0; i < grid->done; i++) {
    const bench_cell *cell = &grid->cell[i];
    const bench_problem *p = &cell->problem;
    if (cell->refused) continue;
    problem_csv(p, file);
    fprintf(file, ",%d", cell->threads);
    side_csv(cell, &cell->ours, file);
    if (cell->compared) {
      side_csv(cell, &cell->peer, file);
      fprintf(file, ",%.6g,%.6g,%.6g", cell->ratio.median, cell->ratio.low, cell->ratio.high);
    } else {
      fprintf(file, ",,,,,,,,,");
    }
    fprintf(file, ",%s\n", cell->variant ? cell->variant : "");
  }
}
