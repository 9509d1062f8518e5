/* quern bench gemm --variant: the same cells by each of several variants. */
#include "cli/bench_grid.h"
#include "cli/values.h"
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 64 };

typedef struct choice {
  const bench_grid *grid;
  const qn_gemm_variant_info *variant[NAMES_MOST];
  size_t count;
} choice;

static const qn_gemm_variant_info *find(const bench_grid *grid, const char *name) {
  for (unsigned i = 0; i < grid->variants; i++)
    if (strcmp(grid->variant[i].name, name) == 0) return &grid->variant[i];
  return NULL;
}

static bool add_name(void *user, const char *word) {
  choice *c = user;
  if (strcmp(word, "all") == 0) {
    for (unsigned i = 0; i < c->grid->variants; i++)
      if (!add_name(user, c->grid->variant[i].name)) return false;
    return true;
  }
  const qn_gemm_variant_info *row = find(c->grid, word);
  if (!row || c->count == NAMES_MOST) return false;
  c->variant[c->count++] = row;
  return true;
}

static int ask_device(bench_grid *grid, qn_device *device) {
  unsigned count;
  if (qn_gemm_variants(device, NULL, 0, &count)) return cli_fail(QN_EINVAL, "--variant");
  grid->variant = calloc(count + 1, sizeof *grid->variant);
  if (!grid->variant) return cli_error(CLI_FAILED, "out of memory");
  grid->variants = count;
  const qn_status status = qn_gemm_variants(device, grid->variant, count, &count);
  return status ? cli_fail(status, "--variant") : CLI_DONE;
}

/* Cell by cell, so that the variants of one size stand together. */
static int spread(bench_grid *grid, const choice *c) {
  bench_cell *cell = calloc(grid->count * c->count, sizeof *cell);
  if (!cell) return cli_error(CLI_FAILED, "out of memory");
  for (size_t i = 0; i < grid->count; i++) {
    for (size_t v = 0; v < c->count; v++) {
      bench_cell *one = &cell[i * c->count + v];
      *one = grid->cell[i];
      one->variant = c->variant[v]->name;
      one->problem.f16_sums = c->variant[v]->f16_sums;
    }
  }
  free(grid->cell);
  grid->cell = cell;
  grid->count *= c->count;
  grid->by_variant = true;
  return CLI_DONE;
}

int cli_grid_variants(bench_grid *grid, qn_device *device, const cli_args *args) {
  if (!args->value[OPT_VARIANTS]) return CLI_DONE;
  if (grid->cell[0].problem.routine != BENCH_GEMM)
    return cli_error(CLI_MISUSED, "--variant is of gemm alone");
  choice c = {.grid = grid};
  int exit_status = ask_device(grid, device);
  if (!exit_status)
    exit_status = cli_get_list(
        args, OPT_VARIANTS, "all, or variants that --explain shows on this device", add_name, &c);
  return exit_status ? exit_status : spread(grid, &c);
}

int cli_set_variant(const bench_grid *grid, qn_device *device, const bench_cell *cell) {
  if (!grid->by_variant) return CLI_DONE;
  const qn_status status = qn_device_set_gemm_variant(device, cell->variant);
  return status ? cli_fail(status, "--variant") : CLI_DONE;
}

const char *cli_variant_needs(const bench_grid *grid, const char *name) {
  const qn_gemm_variant_info *row = find(grid, name);
  return row && row->needs ? row->needs : "another dtype or shape";
}
