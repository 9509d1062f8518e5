/* The cells of a bench, and what is told of them. */
#ifndef CLI_BENCH_GRID_H
#define CLI_BENCH_GRID_H

#include "bench/cell.h"
#include "cli/session.h"
#include <stdio.h>

typedef struct bench_grid {
  bench_cell *cell;
  size_t count, done; /* `done` of them have been measured */
  const char *peer;   /* what answered as the peer; NULL: none */
  bool by_variant;    /* each cell names its variant */
  qn_gemm_variant_info *variant;
  unsigned variants; /* that the device has */
  qn_device_info device;
} bench_grid;

/* Fills in the cells that the options of quern bench describe. */
int cli_grid_make(bench_grid *grid, const cli_args *args);
/* Makes of each cell one for each variant that --variant names; nothing without that option. */
int cli_grid_variants(bench_grid *grid, qn_device *device, const cli_args *args);
/* Tells the device the cell's variant. */
int cli_set_variant(const bench_grid *grid, qn_device *device, const bench_cell *cell);
/* What a variant needs, in words. */
const char *cli_variant_needs(const bench_grid *grid, const char *name);
/* Writes the code of the cells' kernels, as --dump asks. */
int cli_grid_dump(const bench_grid *grid, qn_device *device, const cli_args *args);
void cli_grid_free(bench_grid *grid);

/* The side of trmm and trsm, as "L"; with triangle and op, as "LUT", where these are not L and N.
 */
typedef struct cli_form_text {
  char text[4];
} cli_form_text;
cli_form_text cli_form(const bench_problem *p);

/* "L 256 x 64" of trmm and trsm (order of A x right-hand sides), "m x n x k" of gemm, "n" of potrf
 */
typedef struct cli_shape_text {
  char text[40];
} cli_shape_text;
cli_shape_text cli_shape(const bench_problem *p);

/* The mean ratio of the cells of one dtype and number of threads. */
typedef struct cli_mean {
  qn_dtype dtype;
  int threads;
  size_t cells;
  double ratio, worst;
} cli_mean;

enum { CLI_MEANS_MOST = 64 };
size_t cli_grid_means(const bench_grid *grid, cli_mean means[CLI_MEANS_MOST]);

/* GFLOP/s at the median time of a side. */
double cli_rate(const bench_cell *cell, const bench_side *side);

/* An earlier run, from its JSON file, in the place of a peer. */
typedef struct bench_previous {
  struct json_t *root;
  const struct json_t *cells;
  char text[400]; /* what it is, in one line */
} bench_previous;

/* `device` is the name of the one that computes now; another one there is noted. */
int cli_previous_open(bench_previous *previous, const char *path, const char *device);
void cli_previous_close(bench_previous *previous);
/* Fills in the peer's side and the ratio of a measured cell, where the file has it. */
void cli_previous_compare(const bench_previous *previous, bench_cell *cell);

/* ---- the table ---- */
void cli_print_grid_head(const bench_grid *grid);
void cli_print_cell(const bench_grid *grid, const bench_cell *cell);
void cli_print_grid_foot(const bench_grid *grid);

/* ---- files; docs/bench.md tells what each field is ---- */
void cli_write_grid_json(const bench_grid *grid, FILE *file);
void cli_write_grid_csv(const bench_grid *grid, FILE *file);

/* Why no chart can hold all cells; NULL: one can. */
const char *cli_grid_undrawable(const bench_grid *grid);
/* The chart, to a .svg or .png; false with the reason in `error`, as qn_chart_write. */
bool cli_draw_grid(const bench_grid *grid, const char *path, char *error);

#endif
