/* Operands that 16-byte reads can reach, by a copy where they do not lie so. */
#include "blas3/operand.h"
#include "blas3/device_arch.h"
#include "blas3/gemm_tiled.h"
#include "blas3/launch.h"
#include <stdlib.h>
#include <string.h>

enum {
  ALIGN = 16,
  CACHE_LINE = 128,
  LONG = 1024,
  ITEMS = 256,
  GROUP_ROWS = 256,
  GROUP_COLS = 32,
  MAX_Y = 65535
};

bool qn_operand_aligned(qn_matrix m) {
  size_t size = qn_dtype_size(m.dtype);
  bool begins = (m.buffer->mem + (size_t)m.offset * size) % ALIGN == 0;
  return begins && ((size_t)m.ld * size % ALIGN == 0 || m.cols == 1);
}

double qn_operand_cost(qn_matrix m) {
  const double launch = 3e-6, bandwidth = 2.5e12;
  if (qn_operand_aligned(m)) return 0.0;
  return launch +
         2.0 * (double)m.rows * (double)m.cols * (double)qn_dtype_size(m.dtype) / bandwidth;
}

/* One or two matrices in one launch; `to` has where each goes. */
static qn_status repack(qn_stream *stream, const qn_matrix *from, const qn_matrix *to, int count) {
  static const qn_kernel_text text = {.source = "cuda/repack.cu", .entry = "repack", .options = ""};
  qn_call call = {.count = 0, .early = qn_cuda_sm(stream->device) >= 90};
  int64_t rows = 0, cols = 0;
  for (int m = 0; m < 2; m++) { /* a second that is not there is the first */
    const qn_matrix *x = &from[m % count], *y = &to[m % count];
    qn_call_i64(&call, x->rows);
    qn_call_i64(&call, x->cols);
    qn_call_matrix(&call, *x);
    qn_call_buffer(&call, y->buffer);
    qn_call_i64(&call, y->ld);
    rows = qn_max64(rows, x->rows);
    cols = qn_max64(cols, x->cols);
  }
  qn_form form = {.text = &text};
  const qn_call_shape shape = {qn_ceil_div(rows, GROUP_ROWS),
                               qn_min64(qn_ceil_div(cols, GROUP_COLS), MAX_Y), count, ITEMS};
  return qn_call_run(stream, &form, shape, &call);
}

/* Room for a copy of a matrix that is not aligned. */
static qn_status room_for(qn_stream *stream, qn_matrix m, qn_buffer **work, qn_matrix *copy) {
  size_t size = qn_dtype_size(m.dtype);
  int64_t ld = qn_round_up(m.rows, (int64_t)((m.rows < LONG ? ALIGN : CACHE_LINE) / size));
  QN_TRY(qn_scratch_alloc(stream, (size_t)ld * (size_t)m.cols * size, work));
  *copy = qn_matrix_of(*work, m.dtype, m.rows, m.cols, ld);
  return QN_OK;
}

/* Copies of those of g's operands that are not aligned take their places; work[i] is to be freed.
 */
static qn_status align(qn_stream *stream, qn_gemm_problem *g, unsigned *copied,
                       qn_buffer *work[2]) {
  qn_matrix *const operand[2] = {&g->a, &g->b};
  qn_matrix from[2], to[2];
  int count = 0;
  for (int i = 0; i < 2; i++) {
    if (qn_operand_aligned(*operand[i])) continue;
    from[count] = *operand[i];
    QN_TRY(room_for(stream, *operand[i], &work[i], &to[count]));
    *operand[i] = to[count++];
    *copied |= i == 0 ? QN_COPIED_A : QN_COPIED_B;
  }
  return count > 0 ? repack(stream, from, to, count) : QN_OK;
}

qn_status qn_operands_align(qn_stream *stream, const qn_gemm_problem *g, qn_aligned_launch launch,
                            const void *tile) {
  qn_gemm_problem aligned = *g;
  qn_buffer *work[2] = {NULL, NULL};
  unsigned copied = 0;
  qn_status status = align(stream, &aligned, &copied, work);
  if (status == QN_EDEVMEM)
    status = qn_gemm_tile_large.launch(stream, g);
  else if (status == QN_OK)
    status = launch(stream, &aligned, copied, tile);
  qn_scratch_free(stream, work[1]);
  qn_scratch_free(stream, work[0]);
  return status;
}

bool qn_operands_fit(const qn_gemm_problem *g) {
  const int64_t most = INT32_MAX - 1024, k = qn_gemm_inner(g);
  return qn_dtype_is_half(g->a.dtype) && g->region == QN_REGION_ALL &&
         !qn_scalar_is(g->alpha, 0.0) && k > 0 && k <= most && g->c.rows <= most &&
         g->c.cols <= most;
}
