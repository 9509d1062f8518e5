/* A matrix is a view, passed by value: it owns nothing.
 *
 *   element (i, j) stands at buffer[offset + i + j * ld]      column-major, as BLAS
 *
 *        cols
 *      +------+
 * rows | view |   ld >= rows: the elements between rows and ld are never read for their value and
 *      +------+               never written
 *      : gap  :
 */
#ifndef QUERN_MATRIX_H
#define QUERN_MATRIX_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qn_matrix {
  qn_buffer *buffer;
  int64_t offset; /* elements from the buffer's start to element (0, 0) */
  int64_t rows, cols;
  int64_t ld; /* elements between columns, >= max(1, rows) */
  qn_dtype dtype;
} qn_matrix;

/* The whole buffer as a matrix; the routines that take the view check its bounds. */
static inline qn_matrix qn_matrix_of(qn_buffer *buffer, qn_dtype dtype, int64_t rows, int64_t cols,
                                     int64_t ld) {
  qn_matrix m = {buffer, 0, rows, cols, ld, dtype};
  return m;
}

/* Rows i .. i+rows-1 and columns j .. j+cols-1 of a view. */
static inline qn_matrix qn_matrix_sub(qn_matrix m, int64_t i, int64_t j, int64_t rows,
                                      int64_t cols) {
  m.offset += i + j * m.ld;
  m.rows = rows;
  m.cols = cols;
  return m;
}

/* A new buffer that holds rows x cols with ld = rows (1 if rows is 0); the contents are undefined.
 * Free m->buffer.
 * Errors : QN_EINVAL, QN_EDEVMEM; *m then has no buffer. */
QN_API qn_status qn_matrix_alloc(qn_device *device, qn_dtype dtype, int64_t rows, int64_t cols,
                                 qn_matrix *m);

/* Host <-> device, column by column, ordered on the stream as qn_copy_in and qn_copy_out are;
 * `ld_src` and `ld_dst` count elements of the host's matrix. The gaps are untouched. */
QN_API qn_status qn_matrix_write(qn_stream *stream, qn_matrix dst, const void *src, int64_t ld_src);
QN_API qn_status qn_matrix_read(qn_stream *stream, void *dst, int64_t ld_dst, qn_matrix src);

/* B := op(A) on one device: a copy between views whose ld may differ, or a transposition. On real
 * dtypes QN_CONJTRANS means QN_TRANS.
 * Shapes  : A m x n; B m x n, or n x m where op transposes; dtypes alike.
 * Async   : ordered on `stream`; returns before completion (the cpu's work runs inline).
 * Aliasing: B must not overlap A.
 * Bits    : elements move unchanged; conjugation turns the sign of the imaginary part. The gaps
 *           between rows and ld are untouched.
 * Errors  : QN_EINVAL (the argument is named), QN_EUNSUPPORTED (op transposes, and the device lacks
 *           the dtype). */
QN_API qn_status qn_matrix_copy(qn_stream *stream, qn_trans trans, qn_matrix a, qn_matrix b);

#ifdef __cplusplus
}
#endif
#endif
