/* Matrices to time a routine on: well-conditioned, free of denormals, the same on every run. */
#ifndef BENCH_OPERANDS_H
#define BENCH_OPERANDS_H

#include "bench/problem.h"

/* All column-major with ld = rows. `c` is what the routine writes, `c0` what it must hold before
 * each call: B, potrf's A, or NaN for a gemm with beta = 0, which must not read it. */
typedef struct bench_operands {
  bench_matrix a, b, c0, c; /* data is NULL where the routine has no such operand */
} bench_operands;

/* False when memory is short; nothing is then held. */
bool bench_operands_make(bench_operands *o, const bench_problem *p);
void bench_operands_free(bench_operands *o);

/* c := c0 */
void bench_operands_restore(const bench_operands *o, const bench_problem *p);

size_t bench_matrix_bytes(const bench_matrix *m, qn_dtype dtype);

#endif
