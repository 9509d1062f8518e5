/* Products that are summed aside: each block of C over the whole of k in workspace, in the compute
 * dtype; then a pass over the block joins the sums with C.
 *
 *   C is f16 or bf16           C := round(alpha sum + beta C), rounded once
 *   an epilogue that reads C   which the sums must not have overwritten
 *   an epilogue, no product    the sums are zero, or beta C
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/epilogue.h"
#include "backends/cpu/gemm.h"
#include "backends/cpu/threads.h"
#include "backends/cpu/workspace.h"
#include <string.h>

/* Rows or columns of a square block, of f32 and of wider types: 2.25 to 4 MiB. */
enum { BLOCK_F32 = 768, BLOCK = 512, CHUNK = QN_STRIP_BYTES / sizeof(float) };

typedef struct finish_job {
  const qn_cpu_gemm *p;
  void *sums; /* rows x cols, ld = rows */
  int64_t i, j, rows, cols;
} finish_job;

/* One column's rows of a block whose C is a half: sums are the product without alpha. */
static void finish_half(const finish_job *job, int64_t column, int64_t from, int64_t to,
                        qn_epilogue_run *run) {
  const qn_cpu_gemm *p = job->p;
  const qn_cpu_isa *isa = qn_cpu_isa_get();
  bool f16 = p->ctype == QN_F16, joined = p->beta.re != 0;
  bool reads = run && qn_epilogue_reads(run->e->program, QN_SLOT_C);
  float alpha = (float)p->alpha.re, beta = (float)p->beta.re, values[CHUNK], old[CHUNK];
  const float *sums = (const float *)job->sums + column * job->rows;
  uint16_t *c = (uint16_t *)p->c.data + job->i + (job->j + column) * p->c.ld;
  for (int64_t i = from; i < to; i += CHUNK) {
    int64_t n = qn_min64(CHUNK, to - i);
    if (joined || reads) (f16 ? isa->f16_to_f32 : isa->bf16_to_f32)(n, c + i, old);
    if (joined) {
      for (int64_t r = 0; r < n; r++) values[r] = alpha * sums[i + r] + beta * old[r];
    } else {
      for (int64_t r = 0; r < n; r++) values[r] = alpha * sums[i + r];
    }
    if (run) qn_epilogue_strip(run, job->i + i, job->j + column, n, values, old, values);
    (f16 ? isa->f32_to_f16 : isa->f32_to_bf16)(n, values, c + i);
  }
}

/* The same of a block in the compute dtype, with an epilogue: sums are all of acc. */
static void finish_full(const finish_job *job, int64_t column, qn_epilogue_run *run) {
  const qn_cpu_gemm *p = job->p;
  const char *sums = (const char *)job->sums + (size_t)(column * job->rows) * run->size;
  char *c = (char *)p->c.data + (size_t)(job->i + (job->j + column) * p->c.ld) * run->size;
  for (int64_t i = 0; i < job->rows; i += run->strip) {
    int64_t n = qn_min64(run->strip, job->rows - i);
    size_t at = (size_t)i * run->size;
    qn_epilogue_strip(run, job->i + i, job->j + column, n, sums + at, c + at, c + at);
  }
}

static void finish_columns(const finish_job *job, int thread, int threads, qn_epilogue_run *run) {
  for (int64_t y = thread; y < job->cols; y += threads) {
    int64_t diagonal = job->j + y - job->i;
    int64_t from = job->p->region == QN_REGION_LOWER ? qn_max64(0, diagonal) : 0;
    int64_t to = job->p->region == QN_REGION_UPPER ? qn_min64(job->rows, diagonal + 1) : job->rows;
    if (qn_dtype_is_half(job->p->ctype)) {
      finish_half(job, y, from, to, run);
    } else {
      finish_full(job, y, run);
    }
  }
}

static void finish_part(void *arg, int thread, int threads) {
  finish_columns(arg, thread, threads, NULL);
}

static void finish_part_epilogue(void *arg, int thread, int threads) {
  const finish_job *job = arg;
  qn_epilogue_run run;
  qn_epilogue_begin(&run, job->p->epilogue, job->p->dtype);
  finish_columns(job, thread, threads, &run);
}

static bool outside(const qn_cpu_gemm *p, const finish_job *at) {
  if (p->region == QN_REGION_LOWER) return at->i + at->rows - 1 < at->j;
  if (p->region == QN_REGION_UPPER) return at->j + at->cols - 1 < at->i;
  return false;
}

/* A view of op(X)'s rows (of A) or columns (of B) from `from` on. */
static const void *shifted(const qn_operand *x, int64_t from, size_t size) {
  return (const char *)x->src + (size_t)(from * (x->along_k ? x->ld : 1)) * size;
}

/* What the sums begin with: nothing, or beta C where the product joins them. Returns the beta that
 * the product then has. */
static qn_scalar begin_sums(const finish_job *job, size_t size) {
  const qn_cpu_gemm *p = job->p;
  bool joined = !qn_dtype_is_half(p->ctype) && (p->beta.re != 0 || p->beta.im != 0);
  if (!joined) return qn_real(0);
  for (int64_t y = 0; y < job->cols; y++)
    memcpy((char *)job->sums + (size_t)(y * job->rows) * size,
           (const char *)p->c.data + (size_t)(job->i + (job->j + y) * p->c.ld) * size,
           (size_t)job->rows * size);
  return p->beta;
}

static qn_status one_block(const qn_product *whole, const finish_job *job) {
  const qn_cpu_gemm *p = job->p;
  bool half = qn_dtype_is_half(p->ctype);
  qn_dtype compute = qn_dtype_compute(p->dtype);
  qn_scalar beta = begin_sums(job, whole->c_size);
  if (qn_gemm_has_product(p)) {
    qn_product part = *whole;
    part.m = job->rows;
    part.n = job->cols;
    part.a.src = shifted(&whole->a, job->i, whole->a_size);
    part.b.src = shifted(&whole->b, job->j, whole->a_size);
    part.c = job->sums;
    part.ldc = job->rows;
    part.alpha = half ? whole->one : whole->alpha;
    part.beta = qn_element_of(compute, beta);
    part.region = QN_REGION_ALL;
    part.epilogue = NULL;
    QN_TRY(qn_product_run(&part));
  } else {
    qn_cpu_scale(compute, beta, (qn_cpu_matrix){job->sums, job->rows, job->cols, job->rows});
  }
  qn_team_run(qn_team_size(16.0 * (double)(job->rows * job->cols)),
              p->epilogue ? finish_part_epilogue : finish_part, (void *)job);
  return QN_OK;
}

qn_status qn_gemm_aside(const qn_cpu_gemm *p) {
  qn_product whole = qn_product_of(p);
  int64_t block = whole.c_size == sizeof(float) ? BLOCK_F32 : BLOCK;
  int64_t rows = qn_min64(block, p->c.rows), cols = qn_min64(block, p->c.cols);
  qn_workspace sums = qn_workspace_get((size_t)(rows * cols) * whole.c_size);
  if (!sums.memory)
    return qn_fail(QN_ENOMEM, "qn_gemm", "no memory for %zu bytes of sums", sums.size);
  qn_status status = QN_OK;
  for (int64_t j = 0; j < p->c.cols && status == QN_OK; j += cols) {
    for (int64_t i = 0; i < p->c.rows && status == QN_OK; i += rows) {
      finish_job job = {
          p, sums.memory, i, j, qn_min64(rows, p->c.rows - i), qn_min64(cols, p->c.cols - j)};
      if (!outside(p, &job)) status = one_block(&whole, &job);
    }
  }
  qn_workspace_put(sums);
  return status;
}
