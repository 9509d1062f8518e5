/* Random fills: blocks of the stream spread over threads and over the columns of a view. */
#include "backends/cpu/rng.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/threads.h"
#include "core/lcg.h"
#include <quern/rng.h>
#include <string.h>

enum { BLOCK = QN_RNG_NORMAL_BLOCK };

/* What a number costs, in floating-point operations of equal time: decides how many threads. */
enum { UNIFORM_FLOPS = 4, NORMAL_FLOPS = 40 };

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

/* Each thread makes one contiguous run of blocks. */
static void fill_part(void *arg, int thread, int threads) {
  const fill_job *job = arg;
  int64_t blocks = qn_ceil_div(job->out.rows * job->out.cols, BLOCK);
  fill_blocks(job, blocks * thread / threads, blocks * (thread + 1) / threads);
}

void qn_cpu_rng_fill(const qn_rng_kernels *kernels, bool normal, qn_dtype dtype, uint64_t state,
                     qn_cpu_matrix out) {
  if (out.rows == 0 || out.cols == 0) return;
  fill_job job = {kernels, normal, dtype, state, out};
  double work = (normal ? NORMAL_FLOPS : UNIFORM_FLOPS) * (double)(out.rows * out.cols);
  qn_team_run(qn_team_size(work), fill_part, &job);
}

/* The kernels that go with the instruction set in use. */
static const qn_rng_kernels *kernels_in_use(void) {
#ifdef __x86_64__
  const char *isa = qn_cpu_isa_get()->name;
  if (strcmp(isa, qn_rng_avx512.isa) == 0) return &qn_rng_avx512;
  if (strcmp(isa, qn_rng_avx2.isa) == 0) return &qn_rng_avx2;
#endif
  return &qn_rng_plain;
}

void qn_cpu_rng_uniform(qn_dtype dtype, uint64_t state, qn_cpu_matrix out) {
  qn_cpu_rng_fill(kernels_in_use(), false, dtype, state, out);
}

void qn_cpu_rng_normal(qn_dtype dtype, uint64_t state, qn_cpu_matrix out) {
  qn_cpu_rng_fill(kernels_in_use(), true, dtype, state, out);
}
