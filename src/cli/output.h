/* What can be known of an output before long work. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/cli.h"
#include <stdio.h>

/* CLI_DONE if a file can be made or replaced at `path`: one could be made beside it, and nothing
 * but a plain file or a device stands in its place. */
int cli_check_writable(const char *path);

/* The same for the chart that --plot names, in a build that draws; NULL is none. */
int cli_check_plot(const char *path);

/* CLI_DONE if the file system at `path` has room for `bytes` more. CLI_FAILED where it has not. */
int cli_check_room(const char *path, uint64_t bytes);

/* A text file in the making: it stands under a temporary name beside `path` until it is whole. */
typedef struct cli_text_file {
  FILE *stream; /* NULL: none */
  const char *path;
  char *temporary; /* NULL where the path is "-", standard output, or a device */
} cli_text_file;

int cli_text_begin(cli_text_file *file, const char *path);
/* Puts the file in its place if `whole` and written without an error; else removes it. */
int cli_text_end(cli_text_file *file, bool whole);

#endif
