/* Products whose C is f16 or bf16: each block of C is summed in f32 over the whole of k, then
 * alpha, beta and C are joined and rounded once. */
#include "backends/cpu/gemm.h"
#include "backends/cpu/threads.h"
#include "backends/cpu/workspace.h"

enum { BLOCK = 768 /* rows or columns of a square block: 2.25 MiB of f32 */, CHUNK = 256 };

typedef struct finish_job {
  const qn_cpu_gemm *p;
  const float *sums; /* rows x cols, ld = rows */
  int64_t i, j, rows, cols;
} finish_job;

/* One column's rows of the block: C := round(alpha sum + beta C). */
static void finish_column(const finish_job *job, int64_t column, int64_t from, int64_t to) {
  const qn_cpu_gemm *p = job->p;
  const qn_cpu_isa *isa = qn_cpu_isa_get();
  bool f16 = p->ctype == QN_F16;
  float alpha = (float)p->alpha.re, beta = (float)p->beta.re, values[CHUNK];
  const float *sums = job->sums + column * job->rows;
  uint16_t *c = (uint16_t *)p->c.data + job->i + (job->j + column) * p->c.ld;
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = qn_min64(CHUNK, to - i);
    if (beta != 0) {
      (f16 ? isa->f16_to_f32 : isa->bf16_to_f32)(n, c + i, values);
      for (int64_t r = 0; r < n; r++) values[r] = alpha * sums[i + r] + beta * values[r];
    } else {
      for (int64_t r = 0; r < n; r++) values[r] = alpha * sums[i + r];
    }
    (f16 ? isa->f32_to_f16 : isa->f32_to_bf16)(n, values, c + i);
  }
}

static void finish_part(void *arg, int thread, int threads) {
  const finish_job *job = arg;
  for (int64_t y = thread; y < job->cols; y += threads) {
    int64_t diagonal = job->j + y - job->i;
    int64_t from = job->p->region == QN_REGION_LOWER ? qn_max64(0, diagonal) : 0;
    int64_t to = job->p->region == QN_REGION_UPPER ? qn_min64(job->rows, diagonal + 1) : job->rows;
    finish_column(job, y, from, to);
  }
}

static bool outside(const qn_cpu_gemm *p, const finish_job *at) {
  if (p->region == QN_REGION_LOWER) return at->i + at->rows - 1 < at->j;
  if (p->region == QN_REGION_UPPER) return at->j + at->cols - 1 < at->i;
  return false;
}

/* A view of op(X)'s rows (of A) or columns (of B) from `from` on. */
static const void *shifted(const qn_operand *x, int64_t from) {
  return (const uint16_t *)x->src + from * (x->along_k ? x->ld : 1);
}

qn_status qn_gemm_half(const qn_cpu_gemm *p) {
  qn_product whole = qn_product_of(p);
  int64_t rows = qn_min64(BLOCK, p->c.rows), cols = qn_min64(BLOCK, p->c.cols);
  qn_workspace sums = qn_workspace_get((size_t)(rows * cols) * sizeof(float));
  if (!sums.memory)
    return qn_fail(QN_ENOMEM, "qn_gemm", "no memory for %zu bytes of sums", sums.size);
  qn_status status = QN_OK;
  for (int64_t j = 0; j < p->c.cols && status == QN_OK; j += cols) {
    for (int64_t i = 0; i < p->c.rows && status == QN_OK; i += rows) {
      finish_job job = {
          p, sums.memory, i, j, qn_min64(rows, p->c.rows - i), qn_min64(cols, p->c.cols - j)};
      if (outside(p, &job)) continue;
      qn_product part = whole;
      part.m = job.rows;
      part.n = job.cols;
      part.a.src = shifted(&whole.a, i);
      part.b.src = shifted(&whole.b, j);
      part.c = sums.memory;
      part.ldc = job.rows;
      part.alpha = whole.one;
      part.beta = qn_element_of(QN_F32, qn_real(0));
      part.region = QN_REGION_ALL;
      status = qn_product_run(&part);
      if (status == QN_OK)
        qn_team_run(qn_team_size(16.0 * (double)(job.rows * job.cols)), finish_part, &job);
    }
  }
  qn_workspace_put(sums);
  return status;
}
