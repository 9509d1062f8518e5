/* What a device reaches on its best day: a large square product, measured now. */
#ifndef BENCH_CEILING_H
#define BENCH_CEILING_H

#include "bench/problem.h"

typedef struct bench_ceiling {
  int64_t order;
  double gflops;
} bench_ceiling;

/* The best of several square gemms of one dtype, the order doubled from 1024 on until one takes
 * 5 ms; some 0.2 s in all. No theoretical peak: no routine here can hope for much more. */
qn_status bench_measure_ceiling(qn_stream *stream, qn_dtype dtype, bench_ceiling *ceiling);

#endif
