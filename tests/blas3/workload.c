/* Workloads: whole numbers in, so that f16, f32 and f64 hold the same operands. */
#include "blas3/workload.h"
#include <stdlib.h>
#include <string.h>

static qn_dtype dtype_of(int kind) {
  return kind == WORK_TRSM_HALF || kind == WORK_TRMM_HALF ? QN_BF16 : QN_F32;
}

qn_status workload_open(workload *w, qn_stream *stream, int kind, int64_t n) {
  qn_device *device = qn_stream_device(stream);
  *w = (workload){.kind = kind, .n = n, .dtype = dtype_of(kind)};
  qn_matrix *all[] = {&w->a, &w->b, &w->c};
  for (int i = 0; i < 3; i++) {
    qn_status status = qn_matrix_alloc(device, w->dtype, n, n, all[i]);
    if (status == QN_OK) continue;
    all[i]->buffer = NULL;
    workload_close(w);
    return status;
  }
  return QN_OK;
}

void workload_close(workload *w) {
  qn_buffer_free(w->a.buffer);
  qn_buffer_free(w->b.buffer);
  qn_buffer_free(w->c.buffer);
  *w = (workload){0};
}

/* Small whole numbers; their float, whose upper half is their bf16. */
static void fill(unsigned char *to, qn_dtype dtype, int64_t n, int64_t diagonal, uint32_t seed) {
  for (int64_t i = 0; i < n * n; i++) {
    seed = seed * 1664525u + 1013904223u;
    float value = i % (n + 1) == 0 ? (float)diagonal : (float)(seed >> 29) - 3.0f;
    if (dtype == QN_F32)
      memcpy(to + 4 * i, &value, 4);
    else
      memcpy(to + 2 * i, (unsigned char *)&value + 2, 2);
  }
}

qn_status workload_fill(workload *w, qn_stream *stream) {
  int64_t n = w->n, heavy = 1;
  while (heavy < 8 * n) heavy *= 2; /* a power of two is exact in bf16 */
  unsigned char *host = malloc(workload_bytes(w));
  if (!host) return QN_ENOMEM;
  qn_matrix all[] = {w->a, w->b, w->c};
  qn_status status = QN_OK;
  for (int i = 0; i < 3 && status == QN_OK; i++) {
    fill(host, w->dtype, n, i == 0 ? heavy : 1, (uint32_t)i + 1);
    status = qn_matrix_write(stream, all[i], host, n);
  }
  free(host);
  return status;
}

qn_status workload_run(workload *w, qn_stream *stream) {
  switch (w->kind) {
  case WORK_GEMM:
    return qn_gemm(stream, QN_NOTRANS, QN_TRANS, qn_real(0.3), w->a, w->b, qn_real(0.7), w->c);
  case WORK_POTRF:
    return qn_potrf(stream, QN_LOWER, w->a, NULL);
  case WORK_TRSM:
  case WORK_TRSM_HALF:
    return qn_trsm(stream, QN_LEFT, QN_UPPER, QN_TRANS, QN_NONUNIT, qn_real(0.3), w->a, w->b);
  default:
    return qn_trmm(stream, QN_RIGHT, QN_LOWER, QN_NOTRANS, QN_UNIT, qn_real(0.3), w->a, w->b);
  }
}

size_t workload_bytes(const workload *w) {
  return (size_t)(w->n * w->n) * qn_dtype_size(w->dtype);
}

qn_status workload_read(workload *w, qn_stream *stream, void *result) {
  qn_matrix from = w->kind == WORK_GEMM ? w->c : w->kind == WORK_POTRF ? w->a : w->b;
  qn_status status = qn_matrix_read(stream, result, w->n, from);
  return status == QN_OK ? qn_stream_sync(stream) : status;
}
