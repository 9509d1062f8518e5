/* Timing: samples of batches on the device's clock or the host's. */
#include "bench/timing.h"
#include "probe/work.h"
#include <math.h>

enum { SAMPLES_LEAST = 7, SAMPLES_FEW = 3, SAMPLES_MOST = 63, BATCH_MOST = 4096 };
static const double sample_share = 0.02; /* of the figure's seconds */

/* Whether another sample is due: 7 at least, 3 where they take ten times the figure's seconds. */
static bool wants_more(const probe *p, unsigned count, double spent) {
  const double seconds = p->settings.seconds;
  return count < SAMPLES_FEW || (count < SAMPLES_LEAST && spent < 10.0 * seconds) ||
         (count < SAMPLES_MOST && spent < seconds);
}

/* One kind of run and the clock it is told in. */
typedef struct timer {
  probe_work work;
  void *user;
  bool whole; /* each run from idle to idle, on the host's clock */
  unsigned turn;
} timer;

static qn_status run_batch(probe *p, timer *t, unsigned batch, double *seconds) {
  qn_status status = qn_stream_sync(p->stream);
  const double start = bench_now();
  if (!status && !t->whole) status = qn_event_record(p->start, p->stream);
  for (unsigned i = 0; i < batch && !status; i++) status = t->work(p, t->user, t->turn++);
  if (!status && !t->whole) status = qn_event_record(p->stop, p->stream);
  if (!status) status = qn_stream_sync(p->stream);
  *seconds = bench_now() - start;
  if (!status && !t->whole) status = qn_event_elapsed(p->start, p->stop, seconds);
  *seconds /= batch;
  return status;
}

/* Batches double until one is long enough to be timed. */
static qn_status choose_batch(probe *p, timer *t, double least, unsigned *batch) {
  double seconds = 0.0;
  qn_status status = QN_OK;
  for (*batch = 1;; *batch *= 2) {
    status = run_batch(p, t, *batch, &seconds);
    if (status || seconds * *batch >= least || 2 * *batch > BATCH_MOST) return status;
  }
}

static void take_samples(probe *p, probe_figure *figure, timer *t, unsigned turns) {
  double sample[SAMPLES_MOST];
  unsigned batch = 1, count = 0;
  double ignored;
  p->status = run_batch(p, t, turns, &ignored);
  if (!p->status && !t->whole)
    p->status = choose_batch(p, t, sample_share * p->settings.seconds, &batch);
  const double start = bench_now();
  while (!p->status && wants_more(p, count, bench_now() - start))
    p->status = run_batch(p, t, batch, &sample[count++]);
  if (p->status) return;
  figure->seconds = bench_summarise(sample, count);
  probe_judge(p, figure);
}

void probe_time_clocked(probe *p, probe_figure *figure, probe_clocked run, void *user) {
  double sample[SAMPLES_MOST];
  unsigned count = 0;
  if (p->status || !figure) return;
  run(user);
  const double start = bench_now();
  while (wants_more(p, count, bench_now() - start)) sample[count++] = run(user);
  figure->seconds = bench_summarise(sample, count);
  probe_judge(p, figure);
}

static qn_status enqueue(probe *p, void *user, unsigned turn) {
  const probe_launch *l = user;
  return qn_kernel_launch(p->stream, l->kernel, l->grid, l->args[turn % l->turns], l->count);
}

static probe_resources resources_of(const probe_launch *l) {
  qn_kernel_report report;
  const uint32_t *group = l->grid.group;
  double occupancy = 0.0;
  if (qn_kernel_query(l->kernel, &report) != QN_OK) return (probe_resources){0};
  qn_kernel_occupancy(l->kernel, group[0] * group[1] * group[2], &occupancy);
  return (probe_resources){report.registers, report.local_bytes, report.spill_bytes, occupancy};
}

void probe_time(probe *p, probe_figure *figure, const probe_launch *launch) {
  if (p->status || !figure) return;
  figure->kernel = launch->entry;
  figure->resources = resources_of(launch);
  timer t = {enqueue, (void *)launch, false, 0};
  take_samples(p, figure, &t, launch->turns);
}

void probe_time_work(probe *p, probe_figure *figure, probe_work work, void *user) {
  timer t = {work, user, false, 0};
  if (!p->status && figure) take_samples(p, figure, &t, 2);
}

void probe_time_whole(probe *p, probe_figure *figure, probe_work work, void *user) {
  timer t = {work, user, true, 0};
  if (!p->status && figure) take_samples(p, figure, &t, 2);
}
