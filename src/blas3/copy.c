/* qn_matrix_copy: B := op(A). A plain copy is the driver's; a transposed one is a kernel, or on the
 * cpu a loop over squares that stay in the first cache. */
#include "blas3/copy.h"
#include "blas3/args.h"
#include "blas3/launch.h"
#include "blas3/prepare.h"
#include "blas3/step.h"
#include <quern/matrix.h>
#include <string.h>

typedef struct copy {
  qn_trans trans;
  qn_matrix a, b;
  qn_region region; /* of a, where it is transposed on a device */
} copy;

/* ---- as it stands ---- */

static qn_status plain(qn_stream *stream, const copy *c) {
  const size_t size = qn_dtype_size(c->a.dtype);
  qn_rect rect = {(size_t)c->a.rows * size, (size_t)c->a.cols, (size_t)c->a.ld * size,
                  (size_t)c->b.ld * size};
  return stream->device->ops->copy(stream->handle, c->b.buffer->mem, (size_t)c->b.offset * size,
                                   c->a.buffer->mem, (size_t)c->a.offset * size, &rect);
}

/* ---- as it stands, by a kernel ---- */

enum { WORD = 16 }; /* bytes that an item moves at a time */

static bool in_words(qn_matrix m) {
  const uint64_t size = qn_dtype_size(m.dtype);
  return (m.buffer->mem | (uint64_t)m.offset * size | (uint64_t)m.ld * size) % WORD == 0;
}

/* Where columns lie apart CUDA's driver moves a third of what a kernel does. */
static bool apart(const qn_stream *stream, const copy *c) {
  const int64_t bytes = c->a.rows * (int64_t)qn_dtype_size(c->a.dtype), least = 1 << 22;
  return c->trans == QN_NOTRANS && (c->a.ld > c->a.rows || c->b.ld > c->a.rows) &&
         strcmp(stream->device->info.backend, "cuda") == 0 && bytes % WORD == 0 &&
         bytes * c->a.cols >= least && in_words(c->a) && in_words(c->b);
}

static void call_words(qn_call *call, qn_matrix m) {
  const int64_t size = (int64_t)qn_dtype_size(m.dtype);
  qn_call_buffer(call, m.buffer);
  qn_call_i64(call, m.offset * size / WORD);
  qn_call_i64(call, m.ld * size / WORD);
}

static qn_status move_columns(qn_stream *stream, const void *problem) {
  enum { ITEMS = 256, ACROSS = 4 };
  static const qn_kernel_text text = {"cuda/copy_columns.cu", "copy_columns", "", {NULL}};
  const copy *c = problem;
  const int64_t words = c->a.rows * (int64_t)qn_dtype_size(c->a.dtype) / WORD;
  qn_call call = {.count = 0};
  qn_call_i64(&call, words);
  qn_call_i64(&call, c->a.cols);
  call_words(&call, c->a);
  call_words(&call, c->b);
  return qn_call_run(stream, &(qn_form){.text = &text},
                     (qn_call_shape){qn_ceil_div(words, ITEMS),
                                     qn_min64(qn_ceil_div(c->a.cols, ACROSS), QN_CALL_MOST_Y), 1,
                                     ITEMS},
                     &call);
}

/* ---- transposed, on the host ---- */

enum { SQUARE = 32 };

/* One square, m x n of A; inlined for each constant size of an element. */
static inline __attribute__((always_inline)) void square_of(const char *a, int64_t lda, char *b,
                                                            int64_t ldb, int64_t m, int64_t n,
                                                            size_t size) {
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      memcpy(b + (size_t)(j + i * ldb) * size, a + (size_t)(i + j * lda) * size, size);
}

static void square(const char *a, int64_t lda, char *b, int64_t ldb, int64_t m, int64_t n,
                   size_t size) {
  switch (size) {
  case 2:
    square_of(a, lda, b, ldb, m, n, 2);
    break;
  case 4:
    square_of(a, lda, b, ldb, m, n, 4);
    break;
  case 8:
    square_of(a, lda, b, ldb, m, n, 8);
    break;
  default:
    square_of(a, lda, b, ldb, m, n, 16);
    break;
  }
}

static void conjugate(qn_cpu_matrix b, qn_dtype dtype) {
  for (int64_t j = 0; j < b.cols; j++)
    for (int64_t i = 0; i < b.rows; i++) {
      const int64_t im = 2 * (i + j * b.ld) + 1;
      if (dtype == QN_C64)
        ((float *)b.data)[im] = -((float *)b.data)[im];
      else
        ((double *)b.data)[im] = -((double *)b.data)[im];
    }
}

static void transpose_on_host(const copy *c) {
  const size_t size = qn_dtype_size(c->a.dtype);
  const qn_cpu_matrix a = qn_cpu_view(c->a), b = qn_cpu_view(c->b);
  for (int64_t j = 0; j < a.cols; j += SQUARE)
    for (int64_t i = 0; i < a.rows; i += SQUARE) {
      const int64_t m = qn_min64(SQUARE, a.rows - i), n = qn_min64(SQUARE, a.cols - j);
      const char *from = (const char *)a.data + (size_t)(i + j * a.ld) * size;
      char *to = (char *)b.data + (size_t)(j + i * b.ld) * size;
      square(from, a.ld, to, b.ld, m, n, size);
      if (c->trans == QN_CONJTRANS) conjugate((qn_cpu_matrix){to, n, m, b.ld}, c->a.dtype);
    }
}

/* ---- transposed, on a device ---- */

static qn_status transpose(qn_stream *stream, const void *problem) {
  enum { TILE = 32, ITEMS = 256 };
  static const qn_kernel_text text = {
      "portable/transpose.cl", "transpose", "", {"QN_T", "CONJ", "REGION"}};
  const copy *c = problem;
  qn_call call = {.count = 0};
  qn_call_i64(&call, c->a.rows);
  qn_call_i64(&call, c->a.cols);
  qn_call_matrix(&call, c->a);
  qn_call_matrix(&call, c->b);
  qn_form form = {.text = &text,
                  .value = {(uint8_t)c->a.dtype, c->trans == QN_CONJTRANS, (uint8_t)c->region}};
  return qn_call_run(stream, &form,
                     (qn_call_shape){qn_ceil_div(c->a.rows, TILE),
                                     qn_min64(qn_ceil_div(c->a.cols, TILE), QN_CALL_MOST_Y), 1,
                                     ITEMS},
                     &call);
}

qn_status qn_copy_transposed(qn_stream *stream, qn_region region, qn_matrix a, qn_matrix b) {
  return transpose(stream, &(copy){QN_TRANS, a, b, region});
}

/* ---- the routine ---- */

static qn_status run(qn_stream *stream, const copy *c) {
  if (apart(stream, c)) {
    qn_prepare_key key = {'C', QN_F32, 0, 0, 0, 0};
    QN_TRY(qn_prepare(stream, &key, move_columns, c));
    return move_columns(stream, c);
  }
  if (c->trans == QN_NOTRANS) return plain(stream, c);
  if (!stream->device->cpu) {
    qn_prepare_key key = {'c', c->a.dtype, (uint32_t)c->trans, 0, 0, 0};
    QN_TRY(qn_prepare(stream, &key, transpose, c));
    return transpose(stream, c);
  }
  transpose_on_host(c);
  return QN_OK;
}

static qn_status check(qn_stream *stream, const copy *c) {
  const char *me = "qn_matrix_copy";
  QN_TRY(qn_stream_check(stream, me));
  if (c->trans != QN_NOTRANS && c->trans != QN_TRANS && c->trans != QN_CONJTRANS)
    return qn_fail(QN_EINVAL, me, "trans is %d, none of QN_NOTRANS, QN_TRANS, QN_CONJTRANS",
                   (int)c->trans);
  QN_TRY(qn_matrix_check(stream, c->a, me, "a"));
  QN_TRY(qn_matrix_check(stream, c->b, me, "b"));
  if (c->a.dtype != c->b.dtype)
    return qn_fail(QN_EINVAL, me, "b is %s where a is %s", qn_dtype_name(c->b.dtype),
                   qn_dtype_name(c->a.dtype));
  const bool plain = c->trans == QN_NOTRANS;
  const int64_t rows = plain ? c->a.rows : c->a.cols, cols = plain ? c->a.cols : c->a.rows;
  if (c->b.rows != rows || c->b.cols != cols)
    return qn_fail(QN_EINVAL, me, "b is %lld x %lld where op(a) is %lld x %lld",
                   (long long)c->b.rows, (long long)c->b.cols, (long long)rows, (long long)cols);
  return plain ? QN_OK : qn_args_dtype(stream, c->a.dtype, me);
}

qn_status qn_matrix_copy(qn_stream *stream, qn_trans trans, qn_matrix a, qn_matrix b) {
  copy c = {trans, a, b, QN_REGION_ALL};
  QN_TRY(check(stream, &c));
  if (a.rows == 0 || a.cols == 0) return QN_OK;
  if (trans == QN_CONJTRANS && !qn_dtype_is_complex(a.dtype)) c.trans = QN_TRANS;
  const double begun = qn_trace_begin(stream);
  QN_TRY(qn_stream_result(stream, run(stream, &c)));
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "copy",
                                      .variant = trans == QN_NOTRANS ? "" : "transpose",
                                      .why = "",
                                      .m = a.rows,
                                      .n = a.cols,
                                      .bytes = 2.0 * (double)a.rows * (double)a.cols *
                                               (double)qn_dtype_size(a.dtype)});
}
