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
  GROUP_COLS = 8,
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

static qn_status repack(qn_stream *stream, qn_matrix from, qn_matrix to) {
  static const qn_kernel_text text = {.source = "cuda/repack.cu", .entry = "repack", .options = ""};
  qn_call call = {.count = 0};
  qn_call_i64(&call, from.rows);
  qn_call_i64(&call, from.cols);
  qn_call_matrix(&call, from);
  qn_call_buffer(&call, to.buffer);
  qn_call_i64(&call, to.ld);
  qn_form form = {.text = &text};
  return qn_call_run(stream, &form,
                     (qn_call_shape){qn_ceil_div(from.rows, GROUP_ROWS),
                                     qn_min64(qn_ceil_div(from.cols, GROUP_COLS), MAX_Y), 1, ITEMS},
                     &call);
}

/* *m, or a copy of it in *work. */
static qn_status align_one(qn_stream *stream, qn_matrix *m, qn_buffer **work) {
  if (qn_operand_aligned(*m)) return QN_OK;
  size_t size = qn_dtype_size(m->dtype);
  int64_t ld = qn_round_up(m->rows, (int64_t)((m->rows < LONG ? ALIGN : CACHE_LINE) / size));
  QN_TRY(qn_scratch_alloc(stream, (size_t)ld * (size_t)m->cols * size, work));
  qn_matrix copy = qn_matrix_of(*work, m->dtype, m->rows, m->cols, ld);
  QN_TRY(repack(stream, *m, copy));
  *m = copy;
  return QN_OK;
}

qn_status qn_operands_align(qn_stream *stream, const qn_gemm_problem *g, qn_aligned_launch launch,
                            const void *tile) {
  qn_gemm_problem aligned = *g;
  qn_buffer *work_a = NULL, *work_b = NULL;
  qn_status status = align_one(stream, &aligned.a, &work_a);
  if (status == QN_OK) status = align_one(stream, &aligned.b, &work_b);
  if (status == QN_EDEVMEM)
    status = qn_gemm_tile_large.launch(stream, g);
  else if (status == QN_OK)
    status = launch(stream, &aligned, tile);
  qn_scratch_free(stream, work_b);
  qn_scratch_free(stream, work_a);
  return status;
}

bool qn_operands_fit(const qn_gemm_problem *g) {
  const int64_t most = INT32_MAX - 1024, k = qn_gemm_inner(g);
  return qn_dtype_is_half(g->a.dtype) && g->region == QN_REGION_ALL &&
         !qn_scalar_is(g->alpha, 0.0) && k > 0 && k <= most && g->c.rows <= most &&
         g->c.cols <= most;
}

int qn_cuda_sm(const qn_device *device) {
  return strcmp(device->info.backend, "cuda") == 0 ? qn_sm_of(device) : 0;
}
