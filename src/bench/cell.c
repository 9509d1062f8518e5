/* One cell of a bench: interleaved pairs, every timed result checked. */
#include "bench/placement.h"
#include "bench/run.h"
#include "bench/timing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_LEAST = 5, PAIRS_MOST = 40 };
/* At least this long each side, and a sample of short calls, by the host's clock and the device's.
 */
static const double side_seconds[] = {0.3, 0.05};
static const double batch_seconds[] = {0.010, 0.005};
static const double settle_limit = 0.5;
/* Calls shorter than this follow one untimed call, which wakes the threads. */
static const double wake_below = 0.005;

/* Device memory is timed by the device's clock, unless the peer works on the host. */
static bool by_device(const bench_run *r) {
  if (r->cell->compared && !bench_peer_stream(r->peer)) return false;
  return !bench_on_host(r->stream);
}

/* ---- the device's side of the operands ---- */

static qn_status place_set(bench_run *r, bench_set *set) {
  const qn_dtype dtype = r->cell->problem.dtype;
  qn_status status = QN_OK;
  if (r->host.a.data) status = bench_place(r->stream, &r->host.a, dtype, &set->a);
  if (!status && r->host.b.data) status = bench_place(r->stream, &r->host.b, dtype, &set->b);
  return status ? status : bench_place(r->stream, &r->host.c, dtype, &set->c);
}

/* As many sets as are twice the last cache; one where calls are not products, or are timed by the
 * host, which restores and fetches between them. */
static int sets_of(const bench_run *r) {
  const bench_problem *p = &r->cell->problem;
  qn_device_info info;
  if (!by_device(r) || p->routine != BENCH_GEMM ||
      qn_device_query(qn_stream_device(r->stream), &info))
    return 1;
  const size_t bytes = bench_matrix_bytes(&r->host.a, p->dtype) +
                       bench_matrix_bytes(&r->host.b, p->dtype) +
                       bench_matrix_bytes(&r->host.c, p->dtype) + 1;
  const uint64_t sets = (2 * info.cache + bytes - 1) / bytes;
  return sets < 1 ? 1 : sets > BENCH_SETS_MOST ? BENCH_SETS_MOST : (int)sets;
}

static qn_status place_all(bench_run *r) {
  r->sets = sets_of(r);
  qn_status status = bench_place(r->stream, &r->host.c0, r->cell->problem.dtype, &r->c0);
  for (int i = 0; i < r->sets && !status; i++) status = place_set(r, &r->set[i]);
  return status;
}

static void release(bench_run *r) {
  qn_stream_sync(r->stream);
  for (int i = 0; i < r->sets; i++) {
    qn_buffer_free(r->set[i].a.buffer);
    qn_buffer_free(r->set[i].b.buffer);
    qn_buffer_free(r->set[i].c.buffer);
  }
  qn_buffer_free(r->c0.buffer);
  bench_sample_free(&r->sample);
  bench_operands_free(&r->host);
  free(r->first[BENCH_OURS]);
  free(r->first[BENCH_PEER]);
  bench_clocks_close(r->clocks);
}

/* ---- one call ---- */

static qn_status call_ours(bench_run *r, double *seconds, int64_t *info) {
  const size_t bytes = bench_matrix_bytes(&r->host.c, r->cell->problem.dtype);
  const bench_set *set = &r->set[0];
  qn_status status = qn_copy(r->stream, set->c.buffer, 0, r->c0.buffer, 0, bytes);
  if (!status) status = qn_stream_sync(r->stream);
  if (status) return status;
  const double start = bench_now();
  status = bench_call(r->stream, &r->cell->problem, set->a, set->b, set->c, info);
  if (!status) status = qn_stream_sync(r->stream);
  *seconds = bench_now() - start;
  return status ? status : bench_fetch(r->stream, &r->host.c, set->c);
}

static void call_peer(bench_run *r, double *seconds, int64_t *info) {
  const bench_operands *o = &r->host;
  bench_operands_restore(o, &r->cell->problem);
  const double start = bench_now();
  bench_peer_call(r->peer, &r->cell->problem, &o->a, &o->b, &o->c, info);
  *seconds = bench_now() - start;
}

static bench_side *side_of(bench_run *r, int which) {
  return which == BENCH_OURS ? &r->cell->ours : &r->cell->peer;
}

/* Judges the result that stands in host.c. */
static qn_status check(bench_run *r, int which, int64_t info) {
  const bench_problem *p = &r->cell->problem;
  const bench_operands *o = &r->host;
  bench_side *side = side_of(r, which);
  const size_t bytes = bench_matrix_bytes(&o->c, p->dtype);
  if (info != 0) side->wrong = true;
  if (r->first[which] && memcmp(r->first[which], o->c.data, bytes) == 0) return QN_OK;
  bench_residual residual;
  if (!bench_residual_of(&residual, &r->sample, p, &o->a, &o->b, &o->c)) return QN_ENOMEM;
  if (!bench_residual_ok(&residual)) side->wrong = true;
  if (!r->first[which]) {
    side->residual = residual;
    r->first[which] = malloc(bytes + 1);
    if (!r->first[which]) return QN_ENOMEM;
    memcpy(r->first[which], o->c.data, bytes);
  } else if (!(residual.error <= side->residual.error)) {
    side->residual = residual; /* the worst is told */
  }
  return QN_OK;
}

/* Calls back to back, of which the last one's result is judged. */
static qn_status device_calls_checked(bench_run *r, int which, int64_t count, double *seconds) {
  int64_t info = 0;
  qn_status status = bench_device_calls(r, which, count, seconds, &info);
  if (!status) status = bench_fetch(r->stream, &r->host.c, bench_last_set(r)->c);
  return status ? status : check(r, which, info);
}

static qn_status call_checked(bench_run *r, int which, double *seconds) {
  int64_t info = 0;
  qn_status status = QN_OK;
  if (by_device(r)) return device_calls_checked(r, which, 1, seconds);
  if (which == BENCH_OURS) {
    status = call_ours(r, seconds, &info);
  } else {
    call_peer(r, seconds, &info);
  }
  return status ? status : check(r, which, info);
}

/* ---- samples ---- */

/* The median of a batch of calls (on a device their mean), after the other side's threads have gone
 * to sleep. */
static qn_status take_sample(bench_run *r, int which, bool wake, double *seconds) {
  if (by_device(r)) return device_calls_checked(r, which, r->cell->batch, seconds);
  bench_settle(settle_limit);
  qn_status status = wake ? call_checked(r, which, seconds) : QN_OK;
  for (int64_t i = 0; i < r->cell->batch && !status; i++)
    status = call_checked(r, which, &r->calls[i]);
  if (!status) *seconds = bench_summarise(r->calls, (size_t)r->cell->batch).median;
  return status;
}

static int64_t between(double value, int64_t low, int64_t high) {
  return value <= (double)low ? low : value >= (double)high ? high : (int64_t)ceil(value);
}

static qn_status take_pairs(bench_run *r, int sides) {
  double seconds[2] = {0.0, 0.0}, samples[2][PAIRS_MOST], ratios[PAIRS_MOST];
  for (int which = 0; which < sides; which++) { /* warms up, and judges the first result */
    for (int i = 0; i < 2; i++) {
      qn_status status = call_checked(r, which, &seconds[which]);
      if (status) return status;
    }
  }
  const double call = fmax(seconds[BENCH_OURS], 1e-7);
  const double least = r->cell->least > 0.0 ? r->cell->least : side_seconds[by_device(r)];
  const double batch = fmin(batch_seconds[by_device(r)], least / PAIRS_LEAST);
  r->cell->batch = between(batch / call, 1, BENCH_BATCH_MOST);
  const double sample = call * (double)r->cell->batch;
  const int64_t pairs = between(least / sample, PAIRS_LEAST, PAIRS_MOST);
  for (int64_t i = 0; i < pairs; i++) {
    for (int which = 0; which < sides; which++) {
      qn_status status = take_sample(r, which, call < wake_below, &samples[which][i]);
      if (status) return status;
      side_of(r, which)->mhz = r->mhz;
    }
    ratios[i] = sides == 2 ? samples[BENCH_PEER][i] / samples[BENCH_OURS][i] : 1.0;
  }
  r->cell->ours.seconds = bench_summarise(samples[BENCH_OURS], (size_t)pairs);
  if (sides == 2) {
    r->cell->peer.seconds = bench_summarise(samples[BENCH_PEER], (size_t)pairs);
    r->cell->ratio = bench_summarise(ratios, (size_t)pairs);
  }
  return QN_OK;
}

/* Steady load: batches of calls one after the other, of which those of the second half count. */
static qn_status sustain(bench_run *r, int which) {
  bench_side *side = side_of(r, which);
  const double batch = 0.05, begun = bench_now(), whole = r->cell->sustain;
  const int64_t count = between(batch / side->seconds.median, 1, BENCH_BATCH_MOST);
  double sum = 0.0;
  int64_t batches = 0;
  while (batches == 0 || bench_now() - begun < whole) {
    double seconds;
    int64_t info = 0;
    const bool counts = bench_now() - begun >= 0.5 * whole;
    const qn_status status = bench_device_calls(r, which, count, &seconds, &info);
    if (status) return status;
    if (info != 0) side->wrong = true;
    if (!counts) continue;
    sum += seconds;
    batches++;
  }
  side->sustained = sum / (double)batches;
  side->sustained_mhz = r->mhz;
  const qn_status status = bench_fetch(r->stream, &r->host.c, bench_last_set(r)->c);
  return status ? status : check(r, which, 0);
}

qn_status bench_measure(qn_stream *stream, const bench_peer *peer, bench_cell *cell) {
  bench_run *r = calloc(1, sizeof *r);
  if (!r) return QN_ENOMEM;
  qn_status status = QN_OK;
  const bench_problem *p = &cell->problem;
  r->cell = cell;
  r->stream = stream;
  r->peer = peer;
  cell->compared = peer && bench_peer_has(peer, p);
  if (!(bench_operands_make(&r->host, p) &&
        bench_sample_take(&r->sample, p, &r->host.c0, BENCH_SAMPLE_COLUMNS)))
    status = QN_ENOMEM;
  if (!status) status = place_all(r);
  const int sides = cell->compared ? 2 : 1;
  if (!status && by_device(r)) r->clocks = bench_clocks_open(qn_stream_device(stream));
  if (!status) status = take_pairs(r, sides);
  for (int which = 0; which < sides && !status && by_device(r) && cell->sustain > 0.0; which++)
    status = sustain(r, which);
  release(r);
  free(r);
  return status;
}
