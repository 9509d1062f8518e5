/* One cell of a bench: a routine at one size, timed beside a peer in interleaved pairs. */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include "bench/peer.h"
#include "bench/residual.h"
#include "bench/stats.h"

typedef struct bench_side {
  bench_summary seconds;  /* of one call */
  unsigned mhz;           /* clock of the card amid the samples; 0: not told */
  double sustained;       /* seconds of one call under steady load; 0: not asked for */
  unsigned sustained_mhz; /* the clock then */
  bench_residual residual;
  bool wrong; /* a timed call gave a result beyond the limit, or another info than 0 */
} bench_side;

typedef struct bench_cell {
  bench_problem problem;
  int threads;
  const char *variant; /* of gemm: the only one; NULL: by cost */
  double least;        /* seconds of a side's samples; 0: the usual */
  double sustain;      /* seconds of steady load beside, on a device; 0: none */
  const char *refused; /* what the variant needs and the problem lacks; NULL: it was measured */
  /* ---- what bench_measure fills in ---- */
  bench_side ours, peer;
  bool compared;       /* whether a peer took part */
  bench_summary ratio; /* of each pair: the peer's seconds over ours; above 1 ours is faster */
  int64_t batch;       /* calls that one sample is the median of */
} bench_cell;

/* Times `cell->problem` on `stream` and, unless `peer` is NULL or lacks the routine, on the peer:
 *
 *   ours | wait | peer | wait | ours | wait | peer ...      5 pairs or more, 0.3 s a side or more
 *
 * (on a device 0.05 s), or `cell->least`.
 *
 * On a device with a clock of its own, `cell->sustain` seconds of nothing but calls of each side
 * follow, of which the second half counts; the operands of products there are normal deviates in
 * sets that calls take in turn, twice the last cache in all.
 *
 * Each sample is the median of a batch of calls (about 10 ms where calls are short); between the
 * sides the process is left to fall asleep (bench_settle). Before each call, outside the timing,
 * what it overwrites is restored. The first result of each side is judged by its residual, every
 * later one compared with it bit for bit, and judged by itself where it differs.
 * Errors : those of the library; QN_ENOMEM. */
qn_status bench_measure(qn_stream *stream, const bench_peer *peer, bench_cell *cell);

#endif
