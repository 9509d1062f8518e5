/* Calls timed by events of the device's stream. */
#include "bench/run.h"

/* One event on each side of a span of work. */
typedef struct span {
  qn_event *start, *stop;
} span;

static qn_status span_create(qn_device *device, span *s) {
  qn_status status = qn_event_create(device, &s->start);
  return status ? status : qn_event_create(device, &s->stop);
}

static void span_free(span *s) {
  qn_event_free(s->start);
  qn_event_free(s->stop);
}

static qn_status restore(bench_run *r) {
  const size_t bytes = bench_matrix_bytes(&r->host.c, r->cell->problem.dtype);
  qn_status status = QN_OK;
  for (int i = 0; i < r->sets && !status; i++)
    status = qn_copy(r->stream, r->set[i].c.buffer, 0, r->c0.buffer, 0, bytes);
  return status;
}

static qn_status enqueue(bench_run *r, int which, int64_t count, int64_t *info) {
  const bench_problem *p = &r->cell->problem;
  qn_status status = QN_OK;
  for (int64_t i = 0; i < count && !status; i++) {
    const bench_set *set = &r->set[r->turn];
    r->turn = (r->turn + 1) % r->sets;
    if (which == BENCH_OURS)
      status = bench_call(r->stream, p, set->a, set->b, set->c, info);
    else if (!bench_peer_enqueue(r->peer, p, set->a, set->b, set->c))
      r->cell->peer.wrong = true;
  }
  return status;
}

/* `count` calls in one span, after one restoration. */
static qn_status timed(bench_run *r, int which, int64_t count, const span *s, int64_t *info) {
  qn_status status = restore(r);
  if (!status) status = qn_event_record(s->start, r->stream);
  if (!status) status = enqueue(r, which, count, info);
  return status ? status : qn_event_record(s->stop, r->stream);
}

/* Whether a call reads what it overwrites, so that each needs a fresh copy. */
static bool reads_result(const bench_problem *p) {
  return p->routine != BENCH_GEMM || p->beta.re != 0.0 || p->beta.im != 0.0;
}

/* The mean of `spans` spans of `each` calls. */
static qn_status run_spans(bench_run *r, int which, int64_t spans, int64_t each, span *s,
                           double *seconds, int64_t *info) {
  qn_status status = QN_OK;
  double sum = 0.0, one;
  for (int64_t i = 0; i < spans && !status; i++) {
    status = span_create(qn_stream_device(r->stream), &s[i]);
    if (!status) status = timed(r, which, each, &s[i], info);
  }
  r->mhz = bench_clocks_mhz(r->clocks);
  const qn_status synced = qn_stream_sync(r->stream); /* whatever befell: `info` is written by it */
  if (!status) status = synced;
  for (int64_t i = 0; i < spans && !status; i++) {
    status = qn_event_elapsed(s[i].start, s[i].stop, &one);
    sum += one;
  }
  *seconds = sum / (double)(spans * each);
  return status;
}

qn_status bench_device_calls(bench_run *r, int which, int64_t count, double *seconds,
                             int64_t *info) {
  const bool fresh = reads_result(&r->cell->problem);
  span spans[BENCH_BATCH_MOST] = {0};
  const int64_t used = fresh ? count : 1;
  qn_status status = run_spans(r, which, used, count / used, spans, seconds, info);
  for (int64_t i = 0; i < used; i++) span_free(&spans[i]);
  return status;
}
