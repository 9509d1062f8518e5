/* Matrices to time a routine on.
 *
 * gemm  : normal
 * A of trmm and trsm: off the diagonal uniform in (-1, 1) / sqrt(order), on it in (1, 2), so that
 *         neither products nor solutions grow or fade with the order
 * potrf : uniform in (-1, 1) off the diagonal and 2 sqrt(n) + 1 on it, beyond the spectral radius
 *         of the rest, hence positive definite */
#include "bench/operands.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t bench_matrix_bytes(const bench_matrix *m, qn_dtype dtype) {
  return (size_t)m->ld * (size_t)m->cols * qn_dtype_size(dtype);
}

/* splitmix64, as a value in (-1, 1) of 53 bits: products and sums have to round. */
static double next(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) / (double)(UINT64_C(1) << 52) - 1.0;
}

/* Normal deviates to draw from: one costs a logarithm, a draw does not. */
enum { DEVIATES = 1 << 18 };

/* By pairs, by the polar method of Marsaglia. */
static void make_deviates(double *deviate) {
  uint64_t state = 0;
  for (int i = 0; i < DEVIATES; i += 2) {
    double x, y, square;
    do {
      x = next(&state);
      y = next(&state);
      square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    const double factor = sqrt(-2.0 * log(square) / square);
    deviate[i] = x * factor;
    deviate[i + 1] = y * factor;
  }
}

/* Cuts a value of the normal range of f16 to its bits: any operand will do, rounding is idle. */
static uint16_t half_of(qn_dtype dtype, double value) {
  const float v = (float)value;
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  if (dtype == QN_BF16) return (uint16_t)(bits >> 16);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  const uint32_t rebias = (127 - 15) << 23, smallest = (127 - 14) << 23;
  return (uint16_t)(sign | (magnitude < smallest ? 0 : (magnitude - rebias) >> 13));
}

static void put(qn_dtype dtype, void *data, int64_t at, double re, double im) {
  switch (dtype) {
  case QN_F16:
  case QN_BF16:
    ((uint16_t *)data)[at] = half_of(dtype, re);
    break;
  case QN_F32:
    ((float *)data)[at] = (float)re;
    break;
  case QN_F64:
    ((double *)data)[at] = re;
    break;
  case QN_C64:
    ((float *)data)[2 * at] = (float)re;
    ((float *)data)[2 * at + 1] = (float)im;
    break;
  case QN_C128:
    ((double *)data)[2 * at] = re;
    ((double *)data)[2 * at + 1] = im;
    break;
  }
}

/* Uniform times `scale`; then the diagonal is uniform in (low, high) and real. */
static void fill(const bench_matrix *m, qn_dtype dtype, uint64_t seed, double scale, double low,
                 double high) {
  uint64_t state = seed;
  for (int64_t j = 0; j < m->cols; j++) {
    for (int64_t i = 0; i < m->rows; i++) {
      double re = scale * next(&state), im = scale * next(&state);
      if (i == j && high > low) {
        re = low + 0.5 * (high - low) * (1.0 + re / scale);
        im = 0.0;
      }
      put(dtype, m->data, i + j * m->ld, re, im);
    }
  }
}

static void fill_normal(const bench_matrix *m, qn_dtype dtype, uint64_t seed,
                        const double *deviate) {
  const int64_t count = m->ld * m->cols;
  uint64_t state = seed;
  for (int64_t at = 0; at < count; at++) {
    const uint64_t two = (uint64_t)((0.5 * next(&state) + 0.5) * 0x1p36);
    put(dtype, m->data, at, deviate[two % DEVIATES], deviate[(two / DEVIATES) % DEVIATES]);
  }
}

static bool fill_factors(const bench_operands *o, qn_dtype dtype) {
  double *deviate = malloc(DEVIATES * sizeof *deviate);
  if (!deviate) return false;
  make_deviates(deviate);
  fill_normal(&o->a, dtype, 1, deviate);
  fill_normal(&o->b, dtype, 2, deviate);
  free(deviate);
  return true;
}

static bool allocate(bench_matrix *m, qn_dtype dtype, int64_t rows, int64_t cols) {
  const size_t align = 4096;
  *m = (bench_matrix){NULL, rows, cols, rows > 0 ? rows : 1};
  const size_t bytes = bench_matrix_bytes(m, dtype);
  m->data = aligned_alloc(align, (bytes + align) / align * align);
  return m->data != NULL;
}

static bool allocate_all(bench_operands *o, const bench_problem *p) {
  const qn_dtype t = p->dtype;
  const bool ta = p->transa != QN_NOTRANS, tb = p->transb != QN_NOTRANS;
  const int64_t order = bench_order(p);
  bool ok = allocate(&o->c, t, p->m, p->n) && allocate(&o->c0, t, p->m, p->n);
  if (p->routine == BENCH_GEMM) {
    ok = ok && allocate(&o->a, t, ta ? p->k : p->m, ta ? p->m : p->k) &&
         allocate(&o->b, t, tb ? p->n : p->k, tb ? p->k : p->n);
  } else if (p->routine != BENCH_POTRF) {
    ok = ok && allocate(&o->a, t, order, order);
  }
  return ok;
}

bool bench_operands_make(bench_operands *o, const bench_problem *p) {
  *o = (bench_operands){0};
  if (!allocate_all(o, p) || (p->routine == BENCH_GEMM && !fill_factors(o, p->dtype))) {
    bench_operands_free(o);
    return false;
  }
  const qn_dtype t = p->dtype;
  const double order = (double)bench_order(p);
  if (p->routine == BENCH_TRMM || p->routine == BENCH_TRSM) {
    fill(&o->a, t, 3, 1.0 / sqrt(order), 1.0, 2.0);
  }
  if (p->routine == BENCH_POTRF) {
    const double shift = 2.0 * sqrt(order) + 1.0;
    fill(&o->c0, t, 4, 1.0, shift, shift + 1.0);
  } else if (p->routine == BENCH_GEMM && p->beta.re == 0.0 && p->beta.im == 0.0) {
    memset(o->c0.data, 0xff, bench_matrix_bytes(&o->c0, t)); /* NaN in every dtype */
  } else {
    fill(&o->c0, t, 5, 1.0, 0.0, 0.0);
  }
  return true;
}

void bench_operands_free(bench_operands *o) {
  free(o->a.data);
  free(o->b.data);
  free(o->c0.data);
  free(o->c.data);
  *o = (bench_operands){0};
}

void bench_operands_restore(const bench_operands *o, const bench_problem *p) {
  memcpy(o->c.data, o->c0.data, bench_matrix_bytes(&o->c0, p->dtype));
}
