/* Copies of the columns or rows that a routine will overwrite and that will be judged after it. */
#include "bench/residual.h"
#include "bench/wide.h"
#include <stdlib.h>

static bool by_rows(const bench_problem *p) {
  return (p->routine == BENCH_TRSM || p->routine == BENCH_TRMM) && p->side == QN_RIGHT;
}

/* One place in each of `count` equal strata of [0, total), the first and the last always; the
 * others are drawn, so that they do not all fall on the edge of a tile. */
static void choose(int64_t *index, int64_t count, int64_t total) {
  uint64_t state = 0x9e3779b97f4a7c15u;
  for (int64_t s = 0; s < count; s++) {
    const int64_t low = s * total / count, high = (s + 1) * total / count;
    state = state * 6364136223846793005u + 1442695040888963407u;
    index[s] = low + (int64_t)((state >> 33) % (uint64_t)(high - low));
  }
  index[0] = 0;
  index[count - 1] = total - 1;
}

/* Element `i` of vector `v` of the matrix: column v, row v, or column v of a Hermitian matrix. */
static void element(const bench_problem *p, const bench_matrix *c, int64_t v, int64_t i, double *re,
                    double *im) {
  const bool mirrored = p->routine == BENCH_POTRF && (p->uplo == QN_LOWER ? i < v : i > v);
  if (by_rows(p) || mirrored) {
    wide_element(p->dtype, c, v, i, re, im);
    if (mirrored) *im = -*im;
  } else {
    wide_element(p->dtype, c, i, v, re, im);
  }
}

static bool hermitian_norm(const bench_problem *p, const bench_matrix *c, double *norm) {
  const wide_matrix a = {
      .dtype = p->dtype, .m = *c, .part = p->uplo == QN_LOWER ? WIDE_LOWER : WIDE_UPPER};
  double *work = malloc(3 * (size_t)c->rows * sizeof *work);
  if (work) *norm = wide_norm1_hermitian(&a, work);
  free(work);
  return work != NULL;
}

bool bench_sample_take(bench_sample *sample, const bench_problem *p, const bench_matrix *c,
                       int64_t columns) {
  const int64_t total = by_rows(p) ? c->rows : c->cols;
  *sample = (bench_sample){.length = by_rows(p) ? c->cols : c->rows};
  sample->count = columns < total ? columns : total;
  if (sample->count == 0 || sample->length == 0) {
    sample->count = 0;
    return true;
  }
  const size_t elements = (size_t)(sample->count * sample->length);
  const bool is_complex = bench_is_complex(p->dtype);
  sample->index = malloc((size_t)sample->count * sizeof *sample->index);
  sample->re = malloc(elements * sizeof *sample->re);
  sample->im = is_complex ? malloc(elements * sizeof *sample->im) : NULL;
  if (!sample->index || !sample->re || (is_complex && !sample->im) ||
      (p->routine == BENCH_POTRF && !hermitian_norm(p, c, &sample->norm))) {
    bench_sample_free(sample);
    return false;
  }
  choose(sample->index, sample->count, total);
  for (int64_t s = 0; s < sample->count; s++) {
    for (int64_t i = 0; i < sample->length; i++) {
      double re, im;
      element(p, c, sample->index[s], i, &re, &im);
      sample->re[s * sample->length + i] = re;
      if (is_complex) sample->im[s * sample->length + i] = im;
    }
  }
  return true;
}

void bench_sample_free(bench_sample *sample) {
  free(sample->index);
  free(sample->re);
  free(sample->im);
  *sample = (bench_sample){0};
}
