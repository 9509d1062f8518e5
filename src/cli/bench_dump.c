/* quern bench gemm --dump: the code of the cells' kernels, in the place of their times. */
#include "cli/bench_grid.h"
#include "cli/disassemble.h"
#include "cli/output.h"
#include <stdlib.h>
#include <string.h>

typedef enum dump_form { DUMP_PTX, DUMP_CUBIN, DUMP_SASS, DUMP_FORMS } dump_form;
static const char *const form_names[DUMP_FORMS] = {"ptx", "cubin", "sass"};

typedef struct dump {
  dump_form form;
  const char *path;   /* "-": standard output */
  cli_text_file file; /* of the text, all modules in one */
  cli_disassembler tool;
  const bench_cell *cell;
  unsigned modules;
  int exit_status;
} dump;

/* A line above each module, a comment to assemblers. */
static void print_head(const dump *d, const qn_code_module *module) {
  const bench_problem *p = &d->cell->problem;
  fprintf(d->file.stream, "%s// %s, %s %c%c %s: %s %s\n", d->modules ? "\n" : "",
          d->cell->variant ? d->cell->variant : "by cost", qn_dtype_name(p->dtype), p->transa,
          p->transb, cli_shape(p).text, module->source, module->options);
}

/* Each cubin has a file of its own: FILE, FILE.2, FILE.3 ... */
static int write_cubin(const dump *d, const qn_code_module *module) {
  char path[4096];
  snprintf(path, sizeof path, d->modules ? "%s.%u" : "%s", d->path, d->modules + 1);
  cli_text_file file;
  const int exit_status = cli_text_begin(&file, path);
  if (exit_status) return exit_status;
  const bool whole = fwrite(module->code, 1, module->size, file.stream) == module->size;
  return cli_text_end(&file, whole);
}

static int write_module(const dump *d, const qn_code_module *module) {
  if (d->form == DUMP_CUBIN) return write_cubin(d, module);
  print_head(d, module);
  if (d->form == DUMP_SASS)
    return cli_disassemble(&d->tool, module->code, module->size, d->file.stream);
  fwrite(module->code, 1, module->size, d->file.stream);
  return CLI_DONE;
}

static void take(void *user, const qn_code_module *module) {
  dump *d = user;
  if (d->exit_status) return;
  if (cli_get_verbosity() == CLI_VERBOSE)
    cli_note("%s %s: %zu bytes, compiled in %.2f s", module->source, module->options, module->size,
             module->seconds);
  d->exit_status = write_module(d, module);
  d->modules++;
}

/* Of many variants those that cannot do the problem are passed over. */
static int dump_cell(dump *d, const bench_grid *grid, qn_device *device) {
  const bench_problem *p = &d->cell->problem;
  const int exit_status = cli_set_variant(grid, device, d->cell);
  if (exit_status) return exit_status;
  const qn_status status = qn_gemm_code(device, p->dtype, p->transa, p->transb, p->m, p->n, p->k,
                                        d->form == DUMP_PTX ? QN_CODE_PTX : QN_CODE_CUBIN, take, d);
  if (status == QN_EUNSUPPORTED && d->cell->variant && grid->count > 1) {
    cli_note("%s passed over: it needs %s", d->cell->variant,
             cli_variant_needs(grid, d->cell->variant));
    return CLI_DONE;
  }
  return status ? cli_fail(status, "--dump") : d->exit_status;
}

static int dump_cells(dump *d, const bench_grid *grid, qn_device *device) {
  for (size_t i = 0; i < grid->count; i++) {
    d->cell = &grid->cell[i];
    const int exit_status = dump_cell(d, grid, device);
    if (exit_status) return exit_status;
  }
  return CLI_DONE;
}

static int take_options(dump *d, const bench_grid *grid, const cli_args *args) {
  const char *form = args->value[OPT_DUMP];
  d->path = args->value[OPT_DUMP_FILE] ? args->value[OPT_DUMP_FILE] : "-";
  while (d->form < DUMP_FORMS && strcmp(form, form_names[d->form]) != 0) d->form++;
  if (d->form == DUMP_FORMS)
    return cli_error(CLI_MISUSED, "--dump takes ptx, cubin or sass, not '%s'", form);
  if (grid->cell[0].problem.routine != BENCH_GEMM)
    return cli_error(CLI_MISUSED, "--dump is of gemm alone");
  if (strcmp(grid->device.backend, "cuda") != 0)
    return cli_error(CLI_MISUSED,
                     "--dump is of NVIDIA's cards, not of %s: --device cuda:0, or without a card "
                     "an architecture, such as --device cuda:sm_90a",
                     grid->device.id);
  if (d->form == DUMP_CUBIN && strcmp(d->path, "-") == 0)
    return cli_error(CLI_MISUSED, "--dump cubin needs -o FILE");
  return d->form == DUMP_SASS ? cli_find_disassembler(&d->tool) : CLI_DONE;
}

int cli_grid_dump(const bench_grid *grid, qn_device *device, const cli_args *args) {
  dump d = {.form = DUMP_PTX};
  int exit_status = take_options(&d, grid, args);
  if (!exit_status && d.form != DUMP_CUBIN) exit_status = cli_text_begin(&d.file, d.path);
  if (!exit_status) exit_status = dump_cells(&d, grid, device);
  const int end = cli_text_end(&d.file, !exit_status);
  return exit_status ? exit_status : end;
}
