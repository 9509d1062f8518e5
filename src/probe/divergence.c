/* Neighbours that part at a branch. */
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 1 << 24, TOGETHER = 256, LINKS = 64, CHECKED = 1 << 14 };

typedef float (*element_fn)(float x, uint32_t i);

static float one_way(float x) {
  for (int i = 0; i < LINKS; i++) x = x * 0.75f + 0.125f;
  return x;
}

static float other_way(float x) {
  for (int i = 0; i < LINKS; i++) x = 0.75f - 0.5f * x * x;
  return x;
}

static float long_by_item(float x, uint32_t i) {
  return i % 2 ? one_way(x) : other_way(x);
}

static float long_by_group(float x, uint32_t i) {
  return i / TOGETHER % 2 ? one_way(x) : other_way(x);
}

static float short_by_item(float x, uint32_t i) {
  return i % 2 ? x * 2.0f : x + 1.0f;
}

static float short_straight(float x, uint32_t i) {
  (void)i;
  return x * 2.0f;
}

typedef struct variant {
  const char *entry, *text;
  int width;    /* neighbours that go the same way */
  double flops; /* an element, on average, of the way it takes */
  element_fn want;
} variant;

static const variant variants[] = {
    {"branch", "long bodies, neighbours part", 1, 2.5 * LINKS, long_by_item},
    {"branch", "long bodies, 256 together", TOGETHER, 2.5 * LINKS, long_by_group},
    {"branchless", "long bodies, both and a select", 1, 2.5 * LINKS, long_by_item},
    {"branch_short", "short bodies, neighbours part", 1, 1.0, short_by_item},
    {"straight_short", "short body, no branch", 1, 1.0, short_straight},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void one_variant(probe *p, const variant *v, int64_t n, qn_buffer *x, qn_buffer *y) {
  char options[32];
  snprintf(options, sizeof options, "-DWIDTH=%d", v->width);
  probe_launch l = {.entry = v->entry,
                    .grid = qn_grid_1d((uint64_t)n, (uint32_t)p->settings.block),
                    .count = 3,
                    .turns = 1,
                    .kernel = probe_kernel(p, probe_divergence_source, v->entry, options)};
  probe_figure *f = probe_add(p, "branch", NAN, PROBE_US, "%s", v->text);
  if (!f) return;
  l.args[0][0] = qn_arg_buffer(x);
  l.args[0][1] = qn_arg_buffer(y);
  l.args[0][2] = qn_arg_i32((int32_t)n);
  f->bytes = 8.0 * (double)n;
  f->flops = v->flops * (double)n;
  probe_time(p, f, &l);
  const float *got = probe_fetch(p, y, (size_t)n * sizeof *got);
  const int64_t step = n > CHECKED ? n / CHECKED - 1 : 1; /* odd and even places in turn */
  for (int64_t i = 0; got && i < n; i += step) {
    const float want = v->want(probe_noise((uint32_t)i, 1), (uint32_t)i);
    probe_check(f, fabsf(got[i] - want) <= 1e-5f * (1.0f + fabsf(want)));
  }
}

void probe_divergence_kernels(probe *p) {
  const int64_t n = probe_elements(p, p->info.kind == QN_DEVICE_CPU ? ELEMENTS / 64 : ELEMENTS);
  qn_buffer *x = probe_noise_buffer(p, (uint32_t)n, 1);
  qn_buffer *y = probe_buffer(p, (size_t)n * sizeof(float));
  for (int v = 0; v < VARIANTS; v++) one_variant(p, &variants[v], n, x, y);
  if (p->status) return;
  const probe_figure *f = p->result->figure;
  const double gain = probe_gain(p, &f[0], &f[1]);
  probe_say(
      p,
      "neighbours that part take %.3g times as long as 256 that stay together; in short bodies "
      "the compiler selects: %.3g times",
      gain, f[3].seconds.median / f[4].seconds.median);
}
