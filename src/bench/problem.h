/* One call of a routine, as the benches and the command speak of it. */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <quern/blas3.h>
#include <quern/epilogue.h>

typedef enum bench_routine { BENCH_GEMM, BENCH_TRMM, BENCH_TRSM, BENCH_POTRF } bench_routine;
enum { BENCH_ROUTINE_COUNT = 4 };

/*          result        reads      m, n are the result's shape;
 * gemm     C   m x n     A B C      k is the inner dimension
 * trmm     B   m x n     A B        A is m x m (left) or n x n (right)
 * trsm     B   m x n     A B        likewise
 * potrf    A   n x n     A          m = n                            */
typedef struct bench_problem {
  bench_routine routine;
  qn_dtype dtype;
  int64_t m, n, k;
  qn_trans transa, transb; /* trmm and trsm: transa alone */
  qn_side side;
  qn_uplo uplo;
  qn_diag diag;
  qn_scalar alpha, beta;
  const qn_epilogue *epilogue; /* gemm's, or NULL */
  const qn_epilogue_args *epilogue_args;
  bool f16_sums; /* gemm's variant adds up in f16, and is held to that */
} bench_problem;

/* A matrix of the host, column-major; `ld` counts elements. */
typedef struct bench_matrix {
  void *data;
  int64_t rows, cols, ld;
} bench_matrix;

/* "gemm" ... and back; false for another text. */
const char *bench_routine_name(bench_routine routine);
bool bench_routine_parse(const char *name, bench_routine *routine);

/* The defaults of the command: left, lower, no transposition, non-unit, alpha 1, beta 0. */
bench_problem bench_problem_make(bench_routine routine, qn_dtype dtype);

/* Real operations as they are commonly counted: 2mnk, m^2 n or m n^2, n^3/3; complex four times. */
double bench_flops(const bench_problem *p);

/* Bytes that a routine must move at the least: each element of its operands that counts read once,
 * each of its result written once. */
double bench_bytes(const bench_problem *p);

/* The order of A in trmm, trsm and potrf. */
int64_t bench_order(const bench_problem *p);

/* Calls qn_gemm (a b c), qn_trmm or qn_trsm (a c), qn_potrf (c): `c` is always what is written.
 * `info` is potrf's and valid after the next sync. */
qn_status bench_call(qn_stream *stream, const bench_problem *p, qn_matrix a, qn_matrix b,
                     qn_matrix c, int64_t *info);

static inline bool bench_is_complex(qn_dtype dtype) {
  return dtype == QN_C64 || dtype == QN_C128;
}

#endif
