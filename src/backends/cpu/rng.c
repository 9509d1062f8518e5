/* Random fills: blocks of the stream spread over threads and over the columns of a view. */
#include "backends/cpu/rng.h"
#include "core/lcg.h"
#include <quern/rng.h>
#include <string.h>

enum { BLOCK = QN_RNG_NORMAL_BLOCK };

typedef struct fill_job {
  const qn_rng_kernels *kernels;
  bool normal;
  qn_dtype dtype;
  uint64_t state;
  qn_cpu_matrix out;
} fill_job;

static void make_block(const fill_job *job, uint64_t state, void *out) {
  const qn_rng_kernels *k = job->kernels;
  if (job->dtype == QN_F32) {
    (job->normal ? k->normal_f32 : k->uniform_f32)(state, out);
  } else {
    (job->normal ? k->normal_f64 : k->uniform_f64)(state, out);
  }
}

/* Writes numbers first .. first+count-1 of the view's column-major order, column by column. */
static void scatter(const qn_cpu_matrix *out, size_t size, int64_t first, int64_t count,
                    const char *from) {
  int64_t column = first / out->rows, row = first % out->rows;
  while (count > 0) {
    int64_t run = qn_min64(count, out->rows - row);
    char *to = (char *)out->data + (size_t)(row + column * out->ld) * size;
    memcpy(to, from, (size_t)run * size);
    from += (size_t)run * size;
    count -= run;
    column++;
    row = 0;
  }
}

/* Blocks begin .. end-1. A whole block of a view without gaps is made in place. */
static void fill_blocks(const fill_job *job, int64_t begin, int64_t end) {
  const qn_cpu_matrix *out = &job->out;
  const uint64_t span = job->normal ? QN_RNG_NORMAL_SPAN : BLOCK;
  const uint64_t step = qn_lcg_power(QN_RNG_MULTIPLIER, span);
  const size_t size = qn_dtype_size(job->dtype);
  const int64_t total = out->rows * out->cols;
  const bool dense = out->ld == out->rows || out->cols == 1;
  uint64_t state = job->state * qn_lcg_power(QN_RNG_MULTIPLIER, span * (uint64_t)begin);
  for (int64_t b = begin; b < end; b++, state *= step) {
    int64_t first = b * BLOCK, count = qn_min64(BLOCK, total - first);
    if (dense && count == BLOCK) {
      make_block(job, state, (char *)out->data + (size_t)first * size);
    } else {
      double block[BLOCK];
      make_block(job, state, block);
      scatter(out, size, first, count, (const char *)block);
    }
  }
}

void qn_cpu_rng_fill(const qn_rng_kernels *kernels, bool normal, qn_dtype dtype, uint64_t state,
                     qn_cpu_matrix out) {
  if (out.rows == 0 || out.cols == 0) return;
  fill_job job = {kernels, normal, dtype, state, out};
  fill_blocks(&job, 0, qn_ceil_div(out.rows * out.cols, BLOCK));
}
