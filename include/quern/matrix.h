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

/* ---- element by element ---- */

/* Y := alpha X + beta Y. alpha = 0 leaves X unread, beta = 0 leaves Y unread: alpha = 0 scales Y,
 * beta = 0 copies a multiple.
 * Shapes  : X and Y alike; dtypes alike. f16 and bf16 compute in f32.
 * Async   : ordered on `stream`; returns before completion (the cpu's work runs inline).
 * Aliasing: X may be Y itself; else they must not overlap.
 * Special : NaN and Inf travel, but not from an operand that is left unread.
 * Errors  : QN_EINVAL (the argument is named), QN_EUNSUPPORTED (the device lacks the dtype). */
QN_API qn_status qn_matrix_axpby(qn_stream *stream, qn_scalar alpha, qn_matrix x, qn_scalar beta,
                                 qn_matrix y);

/* A function of one element. Complex dtypes have those up to QN_MAP_RECIPROCAL. */
typedef enum qn_map {
  QN_MAP_NEGATE,
  QN_MAP_CONJUGATE, /* of a real element: itself */
  QN_MAP_ABS,       /* of a complex element: the modulus, imaginary part 0 */
  QN_MAP_SQUARE,
  QN_MAP_RECIPROCAL,
  QN_MAP_SQRT,
  QN_MAP_EXP,
  QN_MAP_LOG, /* natural */
  QN_MAP_TANH,
  QN_MAP_RELU /* max(x, 0); NaN stays */
} qn_map;

/* Y := map(X). All else as qn_matrix_axpby; QN_EUNSUPPORTED also for a map that a complex dtype
 * lacks.
 * Numeric: within 16 u |y|, u = eps / 2 of the arithmetic, the logarithm within 16 u (1 + |y|); one
 *          more rounding for f16 and bf16. The functions are the device's: bits differ between
 *          devices. */
QN_API qn_status qn_matrix_map(qn_stream *stream, qn_map map, qn_matrix x, qn_matrix y);

/* ---- many elements to one ---- */

/* Of elements x: each takes any dtype, but for QN_REDUCE_MAX and QN_REDUCE_MIN, which order real
 * ones. What an X without elements gives stands behind it. */
typedef enum qn_reduction {
  QN_REDUCE_SUM,     /* 0 */
  QN_REDUCE_SUM_ABS, /* of |x|: 0 */
  QN_REDUCE_NORM,    /* sqrt(sum |x|^2), which neither overflows nor underflows on the way: 0 */
  QN_REDUCE_MAX_ABS, /* 0 */
  QN_REDUCE_MAX,     /* -Inf */
  QN_REDUCE_MIN      /* Inf */
} qn_reduction;

/* The dtype of a result: that of the arithmetic (f32 for f16 and bf16), and real but for the sum.
 */
QN_API qn_dtype qn_reduce_dtype(qn_reduction op, qn_dtype dtype);

/* Reduces all of X to `out`, 1 x 1, or each column of X to its place in `out`, 1 x n. The results
 * stay on the device; qn_matrix_read fetches them.
 * Shapes  : X m x n, out 1 x 1 or 1 x n, of qn_reduce_dtype.
 * Memory  : workspace from the device's pool.
 * Aliasing: out must not overlap X.
 * Numeric : a sum's error is at most (100 + count / 2^24) u sum |x|, u = eps / 2 of the result, and
 * a norm's as much of the norm. A NaN among the elements is the result. Bits    : the order of the
 * additions follows from the shape alone. Async, Errors: as qn_matrix_axpby; QN_ENOMEM and
 * QN_EDEVMEM for workspace. */
QN_API qn_status qn_matrix_reduce(qn_stream *stream, qn_reduction op, qn_matrix x, qn_matrix out);

#ifdef __cplusplus
}
#endif
#endif
