/* What the measuring of one cell works with: shared by its two clocks, the host's (cell.c) and the
 * device's (device_calls.c). */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "bench/cell.h"
#include "bench/clocks.h"
#include "bench/operands.h"

enum { BENCH_BATCH_MOST = 512, BENCH_SETS_MOST = 64 };
enum { BENCH_OURS, BENCH_PEER };

typedef struct bench_set {
  qn_matrix a, b, c;
} bench_set;

typedef struct bench_run {
  bench_cell *cell;
  qn_stream *stream;
  const bench_peer *peer;
  bench_operands host;
  bench_sample sample;
  qn_matrix c0;
  /* Equal operands that calls on a device take in turn, so that its last cache has none of them. */
  bench_set set[BENCH_SETS_MOST];
  int sets, turn; /* `turn`: of the next call */
  bench_clocks *clocks;
  unsigned mhz;   /* the card's clock amid the last calls; 0 where it is not told */
  void *first[2]; /* the first result of each side */
  double calls[BENCH_BATCH_MOST];
} bench_run;

/* Enqueues `count` calls, back to back, waits for them and tells the mean time of one by the
 * device's clock. What calls overwrite is restored before the first, and before each, outside the
 * timing, where they read it. The last result then stands in the C of bench_last_set. `info` is
 * that of ours. */
qn_status bench_device_calls(bench_run *r, int which, int64_t count, double *seconds,
                             int64_t *info);

static inline const bench_set *bench_last_set(const bench_run *r) {
  return &r->set[(r->turn + r->sets - 1) % r->sets];
}

#endif
