/* The common part of the fuzz targets. It also stands in for memory.c: the machine's memory seems
 * to be 64 MB, so that a size that lies must be caught by the reader and not by the machine. */
#include "fuzz/fuzz.h"
#include "core/core.h"
#include "io/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t qn_io_memory_available(void) {
  return 64 << 20;
}

qn_io_size_text qn_io_size(uint64_t bytes) {
  qn_io_size_text size;
  snprintf(size.text, sizeof size.text, "%llu", (unsigned long long)bytes);
  return size;
}

qn_source fuzz_source(const uint8_t *data, size_t size) {
  qn_source source = {.name = "fuzz"};
  source.data = size ? qn_host_alloc(size) : NULL;
  if (!source.data) return source;
  memcpy(source.data, data, size);
  source.size = source.held = size;
  return source;
}

void fuzz_check(qn_status status, qn_file_matrix *m) {
  if (status != QN_OK) {
    const char *error = qn_last_error();
    if (strncmp(error, "fuzz: ", 6) != 0 || strpbrk(error, "\n\r\033")) abort();
  } else {
    if (m->rows < 0 || m->cols < 0 || m->ld < 1 || m->ld < m->rows) abort();
    if (m->rows > 0 && m->cols > 0 && !m->data) abort();
    size_t size = qn_dtype_size(m->dtype), count = (size_t)m->rows * (size_t)m->cols;
    unsigned char seen = 0;
    for (size_t b = 0; m->data && b < count * size; b++) seen ^= ((unsigned char *)m->data)[b];
    static volatile unsigned char sink;
    sink = seen;
    (void)sink;
  }
  qn_io_close(m);
}
