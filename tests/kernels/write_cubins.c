/* Compiles by NVRTC, without a card, those modules that the library would give an NVIDIA card whose
 * source and options are the named ones, and writes them: N.cubin and its options in N.options.
 * usage: write_cubins <folder> <architecture> <source> <part of the options>...; exits with 77
 * where NVRTC is not found */
#include "backends/cuda/nvrtc.h"
#include "paper.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder, *source_name;
static char **parts; /* of options, up to NULL */
static atomic_int count;

static bool is_asked_for(const qn_source *source) {
  if (strcmp(source->name, source_name) != 0) return false;
  for (char **part = parts; *part; part++)
    if (!strstr(source->options, *part)) return false;
  return true;
}

static void write_file(int number, const char *suffix, const void *data, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%03d.%s", folder, number, suffix);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

/* The text holds the kernels' names too. */
static qn_status keep(const char *arch, const qn_source *source, qn_blob *binary, char **log) {
  *log = NULL;
  if (is_asked_for(source)) {
    QN_TRY(qn_nvrtc_compile(arch, source, binary, log));
    const int number = atomic_fetch_add(&count, 1);
    write_file(number, "cubin", binary->data, binary->size);
    write_file(number, "options", source->options, strlen(source->options));
    return QN_OK;
  }
  binary->size = strlen(source->text) + 1;
  binary->data = qn_host_alloc(binary->size);
  if (!binary->data) return qn_fail(QN_ENOMEM, "write_cubins", "no memory");
  memcpy(binary->data, source->text, binary->size);
  return QN_OK;
}

int main(int argc, char **argv) {
  char message[256];
  if (argc < 4) return 2;
  folder = argv[1], source_name = argv[3], parts = argv + 4;
  if (!qn_nvrtc_find(99, message, sizeof message)) {
    printf("skipped: %s\n", message);
    return 77;
  }
  paper_compile_all(argv[2], keep);
  return count > 0 ? 0 : 1;
}
