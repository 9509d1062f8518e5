/* How much host memory a matrix may take, and how sizes are told. */
#ifndef QN_IO_MEMORY_H
#define QN_IO_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that an allocation may still hope for: what the system has available, less where a control
 * group or a resource limit allows less. UINT64_MAX where nothing is known. */
uint64_t qn_io_memory_available(void);

typedef struct qn_io_size_text {
  char text[24];
} qn_io_size_text;

/* "96 bytes", "1.2 GB" (powers of 1000). */
qn_io_size_text qn_io_size(uint64_t bytes);

#endif
