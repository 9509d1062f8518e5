/* An output file that appears whole or not at all. */
#ifndef QN_IO_OUTPUT_H
#define QN_IO_OUTPUT_H

#include "io/source.h"

typedef struct qn_output {
  int fd;
  bool direct;     /* a pipe or device: written as it is */
  bool named;      /* the bytes gather under `temporary`, else in a file without a name */
  char *target;    /* the path with links followed */
  char *temporary; /* beside it */
  char name[QN_IO_NAME_BYTES]; /* the path as errors show it */
} qn_output;

/* Begins a file that will replace `path`. */
qn_status qn_output_open(const char *path, qn_output *output);
qn_status qn_output_write(qn_output *output, const void *data, size_t size);
/* Brings the bytes to the disk and puts the file in its place; on failure nothing is left. The
 * output is closed either way. */
qn_status qn_output_finish(qn_output *output);
/* Gives up: nothing is left. */
void qn_output_abandon(qn_output *output);

#endif
