/* The judgement of a result, vector by vector, against long double. */
#include "bench/residual.h"
#include "bench/wide.h"
#include <math.h>
#include <stdlib.h>

double bench_unit_roundoff(qn_dtype dtype) {
  static const int digits[QN_DTYPE_COUNT] = {
      [QN_F16] = 11, [QN_BF16] = 8, [QN_F32] = 24, [QN_F64] = 53, [QN_C64] = 24, [QN_C128] = 53};
  return ldexp(1.0, -digits[dtype]);
}

/* What the judges of the four routines share. */
typedef struct judge {
  const bench_problem *p;
  wide_matrix a;    /* the matrix that multiplies */
  wide_vector x, y; /* y = op(A) x */
  long double *g;   /* |op(A)| |x| */
  double *work;
  double u;
  bench_residual *out;
} judge;

static bool is_triangular(const bench_problem *p) {
  return p->routine != BENCH_GEMM;
}

/* A as it multiplies a column, or a row turned upright: X op(A) is op(A)^T times each row. */
static wide_matrix multiplier(const bench_problem *p, const bench_matrix *a,
                              const bench_matrix *c) {
  wide_matrix w = {.dtype = p->dtype, .m = p->routine == BENCH_POTRF ? *c : *a, .part = WIDE_FULL};
  const bool right = is_triangular(p) && p->routine != BENCH_POTRF && p->side == QN_RIGHT;
  w.transposed = (p->transa != QN_NOTRANS) != right;
  w.conjugated = p->transa == QN_CONJTRANS;
  if (!is_triangular(p)) return w;
  if (p->routine == BENCH_POTRF) {
    w.part = p->uplo == QN_LOWER ? WIDE_LOWER : WIDE_UPPER;
    w.transposed = w.conjugated = p->uplo == QN_UPPER;
  } else if (p->uplo == QN_LOWER) {
    w.part = p->diag == QN_UNIT ? WIDE_LOWER_UNIT : WIDE_LOWER;
  } else {
    w.part = p->diag == QN_UNIT ? WIDE_UPPER_UNIT : WIDE_UPPER;
  }
  return w;
}

/* Takes vector v of a matrix into x: column v, or row v (`row`), conjugated or not. */
static void take(const judge *j, const bench_matrix *m, int64_t v, bool row, bool conjugate) {
  const int64_t length = row ? m->cols : m->rows;
  for (int64_t i = 0; i < length; i++) {
    double re, im;
    wide_element(j->p->dtype, m, row ? v : i, row ? i : v, &re, &im);
    j->x.re[i] = re;
    if (j->x.im) j->x.im[i] = conjugate ? -im : im;
  }
}

/* Column v of the factor's right half: conj(L[v, :]) or U[:, v], zero outside the triangle. */
static void take_factor_column(const judge *j, const bench_matrix *c, int64_t v) {
  const bool lower = j->p->uplo == QN_LOWER;
  take(j, c, v, lower, lower);
  for (int64_t i = v + 1; i < c->rows; i++) {
    j->x.re[i] = 0.0L;
    if (j->x.im) j->x.im[i] = 0.0L;
  }
}

typedef struct pair {
  long double re, im;
} pair;

static pair times(qn_scalar s, long double re, long double im) {
  return (pair){s.re * re - s.im * im, s.re * im + s.im * re};
}

static void raise_error(double *worst, long double value) {
  if (isnan(value) || !(value <= *worst)) *worst = isnan(*worst) ? *worst : (double)value;
}

/* gemm and trmm: the computed vector against alpha y + beta c0. */
static void judge_product(const judge *j, const bench_sample *s, int64_t v, const bench_matrix *c) {
  const bench_problem *p = j->p;
  const bool row = p->routine == BENCH_TRMM && p->side == QN_RIGHT;
  const bool half = p->dtype == QN_F16 || p->dtype == QN_BF16;
  const double alpha = hypot(p->alpha.re, p->alpha.im);
  const double beta = p->routine == BENCH_GEMM ? hypot(p->beta.re, p->beta.im) : 0.0;
  for (int64_t i = 0; i < s->length; i++) {
    double re, im;
    wide_element(p->dtype, c, row ? s->index[v] : i, row ? i : s->index[v], &re, &im);
    j->out->finite = j->out->finite && isfinite(re) && isfinite(im);
    pair exact = times(p->alpha, j->y.re[i], j->y.im ? j->y.im[i] : 0.0L);
    long double size = alpha * j->g[i];
    if (beta != 0.0) {
      const double c_re = s->re[v * s->length + i], c_im = s->im ? s->im[v * s->length + i] : 0.0;
      const pair added = times(p->beta, c_re, c_im);
      exact.re += added.re;
      exact.im += added.im;
      size += beta * hypot(c_re, c_im);
    }
    const long double error = hypotl(re - exact.re, im - exact.im);
    /* A half holds the exact result no better than to u of itself, whatever the sum was done in. */
    const long double rounding = half ? j->u * fabsl(exact.re) : 0.0L;
    const long double excess = error > rounding ? error - rounding : error == error ? 0.0L : error;
    const long double unit = half ? ldexpl(1.0L, -22) : j->u;
    if (excess != 0.0L) raise_error(&j->out->error, excess / (unit * size));
  }
}

/* trsm and potrf: the residual r = right - op(A) x against the sizes of A and x. */
static void judge_residual(const judge *j, const bench_sample *s, int64_t v, long double scale,
                           bool elementwise) {
  long double norm = 0.0L;
  const qn_scalar alpha = elementwise ? j->p->alpha : qn_real(1.0);
  for (int64_t i = 0; i < s->length; i++) {
    const pair right = times(alpha, s->re[v * s->length + i], s->im ? s->im[v * s->length + i] : 0);
    const long double im = j->y.im ? right.im - j->y.im[i] : 0.0L;
    const long double r = hypotl(right.re - j->y.re[i], im);
    j->out->finite = j->out->finite && isfinite(r);
    norm += r;
    if (elementwise && r != 0.0L) raise_error(&j->out->elementwise, r / (j->u * j->g[i]));
  }
  if (norm != 0.0L) raise_error(&j->out->error, norm / (j->u * scale));
}

static long double norm1_of_x(const judge *j, int64_t length) {
  long double sum = 0.0L;
  for (int64_t i = 0; i < length; i++) sum += hypotl(j->x.re[i], j->x.im ? j->x.im[i] : 0.0L);
  return sum;
}

static void set_limits(const bench_problem *p, bench_residual *out) {
  const double f16_sums = 4096.0; /* 2^-10, what a sum in f16 may lose a step of 16 k, over 2^-22 */
  const double widen = bench_is_complex(p->dtype) ? 2.0 * sqrt(2.0) : 1.0;
  const double k = (double)(p->routine == BENCH_GEMM ? p->k : bench_order(p));
  switch (p->routine) {
  case BENCH_GEMM:
  case BENCH_TRMM:
    out->limit = widen * (k <= 64 ? k + 2.0 : 8.0 + 2.0 * sqrt(k));
    if (p->dtype == QN_F16 || p->dtype == QN_BF16) out->limit = k / 16.0 + 4.0;
    if (p->f16_sums) out->limit *= f16_sums;
    break;
  case BENCH_TRSM:
    out->limit = widen * 30.0;
    out->elementwise_limit = widen * (16.0 + 2.0 * sqrt(k));
    break;
  case BENCH_POTRF:
    out->limit = widen * 30.0 * k;
    break;
  }
}

static void judge_all(judge *j, const bench_sample *s, const bench_matrix *b,
                      const bench_matrix *c) {
  const bench_problem *p = j->p;
  const bool row = p->side == QN_RIGHT;
  const double norm = p->routine == BENCH_TRSM ? wide_norm1(&j->a, j->work) : 0.0;
  for (int64_t v = 0; v < s->count; v++) {
    switch (p->routine) {
    case BENCH_GEMM:
      take(j, b, s->index[v], p->transb != QN_NOTRANS, p->transb == QN_CONJTRANS);
      break;
    case BENCH_TRMM:
      for (int64_t i = 0; i < s->length; i++) {
        j->x.re[i] = s->re[v * s->length + i];
        if (j->x.im) j->x.im[i] = s->im[v * s->length + i];
      }
      break;
    case BENCH_TRSM:
      take(j, c, s->index[v], row, false);
      break;
    case BENCH_POTRF:
      take_factor_column(j, c, s->index[v]);
      break;
    }
    wide_multiply(&j->a, j->x, j->y, j->g, j->work);
    if (p->routine == BENCH_TRSM) {
      judge_residual(j, s, v, norm * norm1_of_x(j, s->length), true);
    } else if (p->routine == BENCH_POTRF) {
      judge_residual(j, s, v, s->norm, false);
    } else {
      judge_product(j, s, v, c);
    }
  }
}

bool bench_residual_of(bench_residual *residual, const bench_sample *sample, const bench_problem *p,
                       const bench_matrix *a, const bench_matrix *b, const bench_matrix *c) {
  *residual = (bench_residual){.sampled = sample->count, .finite = true};
  set_limits(p, residual);
  if (sample->count == 0) return true;
  judge j = {.p = p, .a = multiplier(p, a, c), .u = bench_unit_roundoff(p->dtype), .out = residual};
  const bool is_complex = bench_is_complex(p->dtype);
  const int64_t longest = j.a.m.rows > j.a.m.cols ? j.a.m.rows : j.a.m.cols;
  /* x.re x.im y.re y.im g, each `longest` (at least 1) */
  const size_t length = (size_t)(longest > 0 ? longest : 1);
  long double *wide = malloc(5 * length * sizeof *wide);
  j.work = malloc(3 * length * sizeof *j.work);
  if (wide && j.work) {
    j.x = (wide_vector){wide, is_complex ? wide + length : NULL};
    j.y = (wide_vector){wide + 2 * length, is_complex ? wide + 3 * length : NULL};
    j.g = wide + 4 * length;
    judge_all(&j, sample, b, c);
  }
  const bool done = wide && j.work;
  free(wide);
  free(j.work);
  return done;
}
