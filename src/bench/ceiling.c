/* The measured ceiling of a device. */
#include "bench/ceiling.h"
#include "bench/operands.h"
#include "bench/placement.h"
#include "bench/timing.h"
#include <math.h>

enum { ORDER_FIRST = 1024, ORDER_LAST = 16384, CALLS_LEAST = 3 };
static const double call_seconds = 0.005, all_seconds = 0.15;

/* Seconds of the fastest of some calls. */
static qn_status fastest(qn_stream *stream, const bench_problem *p, qn_matrix a, qn_matrix b,
                         qn_matrix c, double *best) {
  *best = INFINITY;
  double spent = 0.0;
  for (int calls = 0; calls < CALLS_LEAST || spent < all_seconds; calls++) {
    const double start = bench_now();
    qn_status status = bench_call(stream, p, a, b, c, NULL);
    if (!status) status = qn_stream_sync(stream);
    if (status) return status;
    const double seconds = bench_now() - start;
    *best = fmin(*best, seconds);
    spent += seconds;
    if (calls >= 1 && *best < call_seconds) return QN_OK; /* too short: a larger order follows */
  }
  return QN_OK;
}

static qn_status measure_order(qn_stream *stream, const bench_problem *p, double *best) {
  bench_operands o;
  qn_matrix a = {0}, b = {0}, c = {0};
  if (!bench_operands_make(&o, p)) return QN_ENOMEM;
  qn_status status = bench_place(stream, &o.a, p->dtype, &a);
  if (!status) status = bench_place(stream, &o.b, p->dtype, &b);
  if (!status) status = bench_place(stream, &o.c, p->dtype, &c);
  if (!status) status = fastest(stream, p, a, b, c, best);
  qn_stream_sync(stream);
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
  qn_buffer_free(c.buffer);
  bench_operands_free(&o);
  return status;
}

qn_status bench_measure_ceiling(qn_stream *stream, qn_dtype dtype, bench_ceiling *ceiling) {
  bench_problem p = bench_problem_make(BENCH_GEMM, dtype);
  *ceiling = (bench_ceiling){0};
  for (int64_t order = ORDER_FIRST; order <= ORDER_LAST; order *= 2) {
    double best;
    p.m = p.n = p.k = order;
    qn_status status = measure_order(stream, &p, &best);
    if (status) return status;
    ceiling->order = order;
    ceiling->gflops = fmax(ceiling->gflops, bench_flops(&p) / best * 1e-9);
    if (best >= call_seconds) break;
  }
  return QN_OK;
}
