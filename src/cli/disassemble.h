/* NVIDIA's disassemblers, found at run time. */
#ifndef CLI_DISASSEMBLE_H
#define CLI_DISASSEMBLE_H

#include "cli/cli.h"
#include <stdio.h>

typedef struct cli_disassembler {
  const char *name, *option;
  char path[4096];
} cli_disassembler;

/* CLI_FAILED, after one line that says what is missing, where there is none. */
int cli_find_disassembler(cli_disassembler *tool);

/* Writes the instructions of a cubin to `out`. */
int cli_disassemble(const cli_disassembler *tool, const void *cubin, size_t size, FILE *out);

#endif
