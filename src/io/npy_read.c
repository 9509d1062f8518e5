/* Reading the elements of a .npy file: in place where they can stand as they are, else streamed
 * into memory, transposed and byte-swapped tile by tile on the way. */
#include "io/npy.h"
#include "io/memory.h"
#include "io/transpose.h"
#include "core/core.h"
#include <inttypes.h>
#include <string.h>

enum {
  BAND = 64, /* rows of a tile: the length of the runs that are written */
  LINE = 64, /* bytes of a tile's rows: a cache line of the file */
};

static size_t word_size(qn_dtype dtype) {
  return qn_dtype_size(dtype) / (qn_dtype_is_complex(dtype) ? 2 : 1);
}

static void swap_elements(void *elements, size_t count, qn_dtype dtype) {
  qn_io_swap(elements, count * (qn_dtype_is_complex(dtype) ? 2 : 1), word_size(dtype));
}

static qn_status allocate(const qn_source *source, const qn_npy_header *header, qn_file_matrix *m) {
  uint64_t available = qn_io_memory_available();
  m->base = header->bytes <= available ? qn_host_alloc(header->bytes) : NULL;
  if (!m->base)
    return qn_fail(QN_ENOMEM, source->name,
                   "%" PRId64 " x %" PRId64 " of %s is %s and %s are available", header->rows,
                   header->cols, qn_dtype_name(header->dtype), qn_io_size(header->bytes).text,
                   qn_io_size(available).text);
  m->hold = QN_IO_ALLOCATED;
  m->bytes = header->bytes;
  m->data = m->base;
  return QN_OK;
}

/* The elements stand in column-major order already: copied, and swapped while in cache. */
static void copy_columns(const qn_source *source, const qn_npy_header *header, void *out) {
  enum { STEP = 1 << 20 };
  const unsigned char *from = source->data + header->offset;
  size_t size = qn_dtype_size(header->dtype), dropped = 0;
  for (size_t done = 0; done < header->bytes; done += STEP) {
    size_t step = header->bytes - done < STEP ? header->bytes - done : STEP;
    memcpy((char *)out + done, from + done, step);
    if (header->swapped) swap_elements((char *)out + done, step / size, header->dtype);
    qn_source_drop(source, header->offset + done, &dropped);
  }
}

/*      file, C order                 memory, column-major
 *
 *       cols                            each tile: BAND rows x one cache line;
 *    +--+--+--+                         its columns become runs of BAND elements
 *    |t |->   | BAND rows    ==>
 *    +--+--+--+                         after a band its part of the file is let go
 *    |  |  |  |
 */
static void transpose_rows(const qn_source *source, const qn_npy_header *header, void *out) {
  size_t rows = (size_t)header->rows, cols = (size_t)header->cols;
  size_t size = qn_dtype_size(header->dtype), tile = LINE / size, dropped = 0;
  for (size_t i = 0; i < rows; i += BAND) {
    size_t band = rows - i < BAND ? rows - i : BAND;
    const unsigned char *from = source->data + header->offset + i * cols * size;
    for (size_t j = 0; j < cols; j += tile) {
      size_t width = cols - j < tile ? cols - j : tile;
      char *to = (char *)out + (i + j * rows) * size;
      qn_io_transpose(to, rows, from + j * size, cols, band, width, size);
      for (size_t c = 0; header->swapped && c < width; c++)
        swap_elements(to + c * rows * size, band, header->dtype);
    }
    qn_source_drop(source, header->offset + i * cols * size, &dropped);
  }
}

qn_status qn_npy_read(qn_source *source, const qn_dtype *want, qn_file_matrix *m) {
  qn_npy_header header;
  qn_status status = qn_npy_parse(source, want, &header);
  if (status != QN_OK) return status;
  m->dtype = header.dtype;
  m->rows = header.rows;
  m->cols = header.cols;
  m->ld = qn_max64(1, header.rows);
  m->beyond = header.beyond;
  if (header.bytes == 0) return QN_OK;
  bool in_order = header.fortran || header.rows == 1 || header.cols == 1;
  unsigned char *elements = source->data + header.offset;
  if (in_order && !header.swapped && (uintptr_t)elements % word_size(header.dtype) == 0) {
    m->data = elements;
    qn_source_give(source, m);
    return QN_OK;
  }
  status = allocate(source, &header, m);
  if (status != QN_OK) return status;
  if (in_order)
    copy_columns(source, &header, m->base);
  else
    transpose_rows(source, &header, m->base);
  return QN_OK;
}
