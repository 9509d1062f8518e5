/* The .npy format: NumPy's header before the raw elements.
 *
 *   offset 0      6      8         8 + w        8 + w + length
 *   \x93NUMPY     1 0    length    {'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }   ...
 *   (magic)    (version) (w bytes)  a Python dictionary, padded by spaces, \n elements
 *
 * w is 2 in version 1 and 4 in versions 2 and 3, little-endian. Source: numpy.lib.format. */
#ifndef QN_IO_NPY_H
#define QN_IO_NPY_H

#include "io/source.h"

enum {
  QN_NPY_MAGIC_BYTES = 6,
  QN_NPY_HEADER_MAX = 128, /* of those we write: the longest is 113 bytes before padding */
};

typedef struct qn_npy_header {
  qn_dtype dtype;
  bool swapped; /* the elements are in the other byte order */
  bool fortran;
  int64_t rows, cols;
  size_t offset; /* of the first element in the file */
  size_t bytes;  /* of all elements; the file is known to hold them */
  size_t beyond; /* bytes of the file after them */
} qn_npy_header;

bool qn_npy_recognise(const qn_source *source);

/* Reads and checks the header. `want` may be NULL: as stored; where it is QN_BF16, two-byte void is
 * bf16. */
qn_status qn_npy_parse(const qn_source *source, const qn_dtype *want, qn_npy_header *header);

/* Reads the matrix in the dtype stored; may take over the source's memory. */
qn_status qn_npy_read(qn_source *source, const qn_dtype *want, qn_file_matrix *m);

/* The header for a Fortran-order array of this machine's byte order; returns its length, a multiple
 * of 64. */
size_t qn_npy_format(char out[QN_NPY_HEADER_MAX], qn_dtype dtype, int64_t rows, int64_t cols);

#endif
