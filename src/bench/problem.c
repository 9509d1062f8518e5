/* One call of a routine: its name, its operations, and the call itself. */
#include "bench/problem.h"
#include <string.h>

static const char *const names[BENCH_ROUTINE_COUNT] = {
    [BENCH_GEMM] = "gemm",
    [BENCH_TRMM] = "trmm",
    [BENCH_TRSM] = "trsm",
    [BENCH_POTRF] = "potrf",
};

const char *bench_routine_name(bench_routine routine) {
  return names[routine];
}

bool bench_routine_parse(const char *name, bench_routine *routine) {
  for (int r = 0; r < BENCH_ROUTINE_COUNT; r++) {
    if (strcmp(name, names[r]) == 0) {
      *routine = (bench_routine)r;
      return true;
    }
  }
  return false;
}

bench_problem bench_problem_make(bench_routine routine, qn_dtype dtype) {
  bench_problem p = {
      .routine = routine,
      .dtype = dtype,
      .transa = QN_NOTRANS,
      .transb = QN_NOTRANS,
      .side = QN_LEFT,
      .uplo = QN_LOWER,
      .diag = QN_NONUNIT,
      .alpha = qn_real(1.0),
      .beta = qn_real(0.0),
  };
  return p;
}

int64_t bench_order(const bench_problem *p) {
  if (p->routine == BENCH_POTRF) return p->n;
  return p->side == QN_LEFT ? p->m : p->n;
}

double bench_flops(const bench_problem *p) {
  const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
  const double scale = bench_is_complex(p->dtype) ? 4.0 : 1.0;
  switch (p->routine) {
  case BENCH_GEMM:
    return scale * 2.0 * m * n * k;
  case BENCH_TRMM:
  case BENCH_TRSM:
    return scale * m * n * (double)bench_order(p);
  case BENCH_POTRF:
    return scale * n * n * n / 3.0;
  }
  return 0.0;
}

double bench_bytes(const bench_problem *p) {
  const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
  const double order = (double)bench_order(p), triangle = order * (order + 1.0) / 2.0;
  const double size = (double)qn_dtype_size(p->dtype);
  const bool reads_c = p->beta.re != 0.0 || p->beta.im != 0.0;
  switch (p->routine) {
  case BENCH_GEMM:
    return size * (m * k + k * n + (reads_c ? 2.0 : 1.0) * m * n);
  case BENCH_TRMM:
  case BENCH_TRSM:
    return size * (triangle + 2.0 * m * n);
  case BENCH_POTRF:
    return size * 2.0 * triangle;
  }
  return 0.0;
}

qn_status bench_call(qn_stream *stream, const bench_problem *p, qn_matrix a, qn_matrix b,
                     qn_matrix c, int64_t *info) {
  switch (p->routine) {
  case BENCH_GEMM:
    return qn_gemm_ex(stream, p->transa, p->transb, p->alpha, a, b, p->beta, c, p->epilogue,
                      p->epilogue_args);
  case BENCH_TRMM:
    return qn_trmm(stream, p->side, p->uplo, p->transa, p->diag, p->alpha, a, c);
  case BENCH_TRSM:
    return qn_trsm(stream, p->side, p->uplo, p->transa, p->diag, p->alpha, a, c);
  case BENCH_POTRF:
    return qn_potrf(stream, p->uplo, c, info);
  }
  return QN_EINVAL;
}
