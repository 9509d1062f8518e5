/* Help: the list of commands, one command's page, the environment variables. */
#include "cli/cli.h"
#include <stdio.h>
#include <string.h>

static bool is_common(cli_option id) {
  return id >= OPT_DEVICE;
}

static void print_option(cli_option id) {
  const cli_option_row *row = &cli_options[id];
  char left[40];
  snprintf(left, sizeof left, "%s%s%s", row->name, row->value ? " " : "",
           row->value ? row->value : "");
  if (row->letter) {
    printf("  -%c, --%-18s %s\n", row->letter, left, row->help);
  } else {
    printf("      --%-18s %s\n", left, row->help);
  }
}

void cli_help(void) {
  printf("usage: quern COMMAND [OPERANDS] [OPTIONS]\n\n"
         "Dense linear algebra on matrices in files, on whatever processor is there.\n\n"
         "commands\n");
  for (const cli_command *const *c = cli_commands; *c; c++)
    printf("  %-8s %s\n", (*c)->name, (*c)->summary);
  printf("\nhelp\n"
         "  quern help COMMAND    its operands, options and examples (or quern COMMAND --help)\n"
         "  quern help env        the environment variables (or quern --help env)\n"
         "  quern --version       the version\n"
         "\n"
         "files\n"
         "  Matrices are NumPy .npy files or Matrix Market .mtx files, told apart by what is in\n"
         "  them. Results are written as .npy or .mtx by the name given with -o.\n"
         "\n"
         "examples\n"
         "  quern devices                          what this machine has to compute on\n"
         "  quern trsm L.npy B.npy -o X.npy        solve L X = B, L lower triangular\n"
         "  quern gemm A.npy B.npy -o C.npy        C = A B\n"
         "  quern bench gemm --against cblas       how fast, beside the BLAS of this machine\n"
         "\n"
         "exit status\n"
         "  0 done   1 the work failed   2 wrong use, or a file that cannot be used\n");
}

void cli_help_command(const cli_command *command) {
  printf("quern %s: %s\n\nusage: quern %s%s%s [OPTIONS]\n\n%s", command->name, command->summary,
         command->name, *command->operands ? " " : "", command->operands, command->about);
  bool own = false;
  for (const cli_option *id = command->options; *id != OPT_COUNT; id++) own |= !is_common(*id);
  if (own) {
    printf("\noptions (defaults in brackets)\n");
    for (const cli_option *id = command->options; *id != OPT_COUNT; id++)
      if (!is_common(*id)) print_option(*id);
  }
  printf("\ncommon options\n");
  for (const cli_option *id = command->options; *id != OPT_COUNT; id++)
    if (is_common(*id)) print_option(*id);
  printf("\nexamples\n%s", command->examples);
}

void cli_help_variables(void) {
  printf("environment variables that quern and its library look at (defaults in brackets)\n\n");
  for (const cli_variable *v = cli_variables; v->name; v++)
    printf("  %-22s %s\n", v->name, v->meaning);
}
