/* Whether a result is right: errors of sampled columns, computed in long double on the host.
 *
 * Right-sided problems are sampled by rows, since there each row of X stands by itself. */
#ifndef BENCH_RESIDUAL_H
#define BENCH_RESIDUAL_H

#include "bench/problem.h"

/* In units of u, half the spacing of the dtype's numbers at 1. `error` above `limit` (or NaN) is a
 * wrong result.
 *
 *           error                                                       limit
 * gemm trmm max |C - exact| / (|alpha| |A| |B| + |beta| |C0|)           k + 2, or 8 + 2 sqrt(k)
 * trsm      max of norm1(alpha b - A x) / (norm1(A) norm1(x))           30
 * potrf     norm1(A - L L^H) / norm1(A)                                 30 n
 *
 * In halves gemm and trmm are held to (k/16 + 4) 2^-22 beside the rounding of C, and to 4096 times
 * that where the variant sums in f16: 2^-10 a step of 16 k. trsm is also held to
 * |alpha b - A x| <= (16 + 2 sqrt(n)) u |A| |x| elementwise: `elementwise`. */
typedef struct bench_residual {
  double error, limit;
  double elementwise, elementwise_limit; /* trsm; else 0 */
  int64_t sampled;                       /* columns (rows) looked at */
  bool finite;                           /* whether what was looked at is all finite */
} bench_residual;

static inline bool bench_residual_ok(const bench_residual *r) {
  return r->error <= r->limit && r->elementwise <= r->elementwise_limit;
}

/* What the routine overwrites, kept for later: copies of the columns (rows) that will be judged,
 * for potrf of the triangle's. */
typedef struct bench_sample {
  int64_t count, length;
  int64_t *index;  /* which columns or rows, ascending */
  double *re, *im; /* count vectors of `length`, one after the other; im NULL for real types */
  double norm;     /* potrf: norm1 of the whole Hermitian A */
} bench_sample;

enum { BENCH_SAMPLE_COLUMNS = 8 };

/* Takes at most `columns` vectors, the first and the last among them, of `c` as it is before the
 * call. False when memory is short. */
bool bench_sample_take(bench_sample *sample, const bench_problem *p, const bench_matrix *c,
                       int64_t columns);
void bench_sample_free(bench_sample *sample);

/* Judges `c` as it is after the call. False when memory is short. */
bool bench_residual_of(bench_residual *residual, const bench_sample *sample, const bench_problem *p,
                       const bench_matrix *a, const bench_matrix *b, const bench_matrix *c);

/* Half the spacing of a dtype's numbers at 1. */
double bench_unit_roundoff(qn_dtype dtype);

#endif
