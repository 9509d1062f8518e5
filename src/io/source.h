/* The bytes of an input file: mapped where it is a regular file, else read to the end. */
#ifndef QN_IO_SOURCE_H
#define QN_IO_SOURCE_H

#include "io/io.h"

enum { QN_IO_NAME_BYTES = 1024 };

typedef struct qn_source {
  unsigned char *data; /* a private writable mapping, or memory of its own; NULL when size is 0 */
  size_t size;
  size_t held; /* bytes behind data: size where mapped, at least that where read */
  bool mapped;
  char name[QN_IO_NAME_BYTES]; /* the path as errors show it */
} qn_source;

qn_status qn_source_open(const char *path, qn_source *source);
void qn_source_close(qn_source *source);

/* Hands the memory to `m`, which from then on frees it; m->data is left to the caller. */
void qn_source_give(qn_source *source, qn_file_matrix *m);

/* Lets go of the pages wholly before data + offset (they stay in the system's cache), so that one
 * pass over a file of any size keeps little of it resident. `*dropped` is where the last call
 * ended, 0 at first. */
void qn_source_drop(const qn_source *source, size_t offset, size_t *dropped);

/* Copies text for an error message: control bytes become '?', so that it stays one line, and of a
 * text too long the end is kept. */
void qn_io_printable(char *out, size_t capacity, const char *text, size_t length);

#endif
