/* Writes every module that the library would compile for a GPU that is not NVIDIA's: N.cl and its
 * options in N.options, for compilers that are programs.
 * usage: write_sources <folder> */
#include "paper.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static atomic_int count;

static void write_file(int number, const char *suffix, const char *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%03d.%s", folder, number, suffix);
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

static qn_status keep(const char *arch, const qn_source *source, qn_blob *binary, char **log) {
  (void)arch;
  *log = NULL;
  const int number = atomic_fetch_add(&count, 1);
  write_file(number, "cl", source->text);
  write_file(number, "options", source->options);
  binary->size = strlen(source->text) + 1;
  binary->data = qn_host_alloc(binary->size);
  if (!binary->data) return qn_fail(QN_ENOMEM, "write_sources", "no memory");
  memcpy(binary->data, source->text, binary->size);
  return QN_OK;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  paper_compile_all("gfx90a", keep);
  printf("%d modules\n", count);
  return 0;
}
