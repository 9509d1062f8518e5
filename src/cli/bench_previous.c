/* quern bench --against previous.json: an earlier run of ours stands where a peer would. */
#include "cli/bench_grid.h"
#include "cli/json_parts.h"
#include <math.h>
#include <string.h>

/* Whether the key of the object has this text, where it applies. */
static bool is_letter(const cli_json *o, const char *key, bool applies, int letter) {
  const char *text = cli_json_get_text(o, key);
  return !applies || (text[0] == letter && text[1] == '\0');
}

static bool is_cell(const cli_json *o, const bench_cell *cell) {
  const bench_problem *p = &cell->problem;
  const bool gemm = p->routine == BENCH_GEMM, potrf = p->routine == BENCH_POTRF;
  return strcmp(cli_json_get_text(o, "routine"), bench_routine_name(p->routine)) == 0 &&
         strcmp(cli_json_get_text(o, "dtype"), qn_dtype_name(p->dtype)) == 0 &&
         cli_json_get_number(o, "m") == (double)p->m &&
         cli_json_get_number(o, "n") == (double)p->n &&
         (!gemm || cli_json_get_number(o, "k") == (double)p->k) &&
         cli_json_get_number(o, "threads") == cell->threads &&
         is_letter(o, "transa", gemm, p->transa) && is_letter(o, "transb", gemm, p->transb) &&
         is_letter(o, "uplo", !gemm, p->uplo) && is_letter(o, "side", !gemm && !potrf, p->side) &&
         is_letter(o, "trans", !gemm && !potrf, p->transa) &&
         is_letter(o, "diag", !gemm && !potrf, p->diag);
}

static bool read_summary(const cli_json *o, bench_summary *s) {
  *s = (bench_summary){.median = cli_json_get_number(o, "median"),
                       .low = cli_json_get_number(o, "low"),
                       .high = cli_json_get_number(o, "high"),
                       .least = cli_json_get_number(o, "least"),
                       .count = (size_t)fmax(cli_json_get_number(o, "samples"), 0.0)};
  return s->median > 0.0 && s->low > 0.0 && s->high > 0.0;
}

int cli_previous_open(bench_previous *previous, const char *path, const char *device) {
  char error[256];
  *previous = (bench_previous){.root = cli_json_load_ours(path, error, sizeof error)};
  if (!previous->root) return cli_error(CLI_MISUSED, "--against %s: %s", path, error);
  previous->cells = cli_json_get(previous->root, "cells");
  if (cli_json_count(previous->cells) == 0)
    return cli_error(CLI_MISUSED, "--against %s: not a file of quern bench --json", path);
  const cli_json *was = cli_json_get(previous->root, "device");
  snprintf(previous->text, sizeof previous->text, "%.160s: quern %.32s on %.32s (%.128s)", path,
           cli_json_get_text(previous->root, "quern"), cli_json_get_text(was, "id"),
           cli_json_get_text(was, "name"));
  if (strcmp(cli_json_get_text(was, "name"), device) != 0)
    cli_note("%s was measured on another device: %s", path, cli_json_get_text(was, "name"));
  return CLI_DONE;
}

void cli_previous_close(bench_previous *previous) {
  if (previous->root) cli_json_free(previous->root);
  *previous = (bench_previous){0};
}

void cli_previous_compare(const bench_previous *previous, bench_cell *cell) {
  for (size_t i = 0; i < cli_json_count(previous->cells); i++) {
    const cli_json *o = cli_json_at(previous->cells, i);
    bench_summary was;
    if (!is_cell(o, cell) || !read_summary(cli_json_get(cli_json_get(o, "ours"), "seconds"), &was))
      continue;
    const bench_summary *now = &cell->ours.seconds;
    cell->compared = true;
    cell->peer.seconds = was;
    cell->ratio = (bench_summary){.median = was.median / now->median,
                                  .low = was.low / now->high,
                                  .high = was.high / now->low,
                                  .least = was.low / now->high,
                                  .count = now->count};
    return;
  }
}
