/* Software prefetch on the processor: sums over an array in order and at random, with the element
 * `distance` places ahead asked for early. */
#include "bench/timing.h"
#include "probe/families.h"
#include "probe/noise.h"
#include <math.h>

static const int distances[] = {0, 1, 4, 16, 64, 256};
enum { DISTANCES = sizeof distances / sizeof *distances, LINE_FLOATS = 16, AHEAD_MOST = 256 };

typedef struct prefetch_job {
  const float *x;
  const uint32_t *order; /* the lines visited, AHEAD_MOST more than `count` */
  uint32_t count;
  int distance;
  double sum;
} prefetch_job;

/* One element of each line, so that memory is all that counts. */
static double sum_lines(void *user) {
  prefetch_job *j = user;
  const double start = bench_now();
  double sum = 0.0;
  if (j->distance == 0) {
    for (uint32_t i = 0; i < j->count; i++) sum += j->x[j->order[i]];
  } else {
    const uint32_t *ahead = j->order + j->distance;
    for (uint32_t i = 0; i < j->count; i++) {
      __builtin_prefetch(&j->x[ahead[i]]);
      sum += j->x[j->order[i]];
    }
  }
  j->sum = sum;
  return bench_now() - start;
}

static void shuffle(uint32_t *order, uint32_t count) {
  uint64_t state = 0x9e3779b97f4a7c15u;
  for (uint32_t i = count; i-- > 1;) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint32_t other = (uint32_t)((state >> 33) % (i + 1)), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

/* Returns the fastest figure; the first is that without prefetch. */
static const probe_figure *curve(probe *p, prefetch_job *j, const char *series,
                                 const probe_figure **without) {
  const probe_figure *best = NULL;
  double want = 0.0;
  for (uint32_t i = 0; i < j->count; i++) want += j->x[j->order[i]];
  for (int d = 0; d < DISTANCES; d++) {
    probe_figure *f =
        probe_add(p, series, distances[d], PROBE_NS, "%s, %d ahead", series, distances[d]);
    if (!f) return best;
    j->distance = distances[d];
    f->steps = j->count;
    probe_time_clocked(p, f, sum_lines, j);
    probe_check(f, fabs(j->sum - want) <= 1e-6 * (1.0 + fabs(want)));
    if (d == 0) *without = f;
    if (!best || f->seconds.median < best->seconds.median) best = f;
  }
  return best;
}

void probe_prefetch_cpu(probe *p) {
  const uint32_t lines = (uint32_t)((size_t)p->settings.bytes / sizeof(float) / LINE_FLOATS);
  prefetch_job j = {.x = probe_random(p, lines * LINE_FLOATS, 1), .count = lines};
  uint32_t *order = probe_host(p, (size_t)(lines + AHEAD_MOST) * sizeof *order);
  if (p->status) return;
  const probe_figure *plain = NULL, *ignored = NULL;
  for (uint32_t i = 0; i < lines + AHEAD_MOST; i++) order[i] = i % lines * LINE_FLOATS;
  j.order = order;
  curve(p, &j, "in order", &ignored);
  shuffle(order, lines);
  const probe_figure *best = curve(p, &j, "at random", &plain);
  if (p->status || !best) return;
  probe_say(
      p,
      "at random, a prefetch %g elements ahead takes a line from %.3g ns to %.3g ns; in order "
      "the processor does it by itself",
      best->x, probe_value(plain), probe_value(best));
  probe_gain(p, plain, best);
}
