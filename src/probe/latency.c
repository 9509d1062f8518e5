/* Latency by working set: one item walks a chain. */
#include "probe/chain.h"
#include "probe/cpu_loops.h"
#include "probe/families.h"
#include "probe/sources.h"
#include "bench/timing.h"
#include <math.h>

/* A place of the chain every 128 bytes, the longest cache line of today. */
enum { STRIDE = 32, SMALLEST = 16384, LOCAL_WORDS = 1024, LOCAL_GROUP = 32, STEPS = 8192 };
static const size_t largest = (size_t)512 << 20;

static size_t largest_chain(const probe *p) {
  const size_t most = (size_t)p->settings.bytes < largest ? (size_t)p->settings.bytes : largest;
  const size_t enough = 8 * (size_t)p->info.cache;
  size_t bytes = SMALLEST;
  while (bytes * 2 <= most && bytes < enough) bytes *= 2;
  return bytes;
}

/* The chain of a working set, in memory for the largest. */
static void make_chain(probe *p, uint32_t *next, size_t bytes, uint32_t stride) {
  const uint32_t count = (uint32_t)(bytes / sizeof *next);
  uint32_t *order = probe_host(p, count / stride * sizeof *order + sizeof *order);
  if (order) probe_chain_make(next, count, stride, order);
}

static void lesson(probe *p) {
  const probe_result *r = p->result;
  if (p->status || r->count < 2) return;
  const probe_figure *far = &r->figure[r->count - 1];
  const probe_figure *near = &r->figure[0];
  probe_say(p, "%s answers after %.3g ns, %s after %.3g ns: %.3g times as long", near->variant,
            probe_value(near), far->variant, probe_value(far),
            probe_value(far) / probe_value(near));
}

/* ---- devices with a compiler ---- */

static qn_status walk(probe *p, probe_launch *l, int32_t steps) {
  l->args[0][2] = qn_arg_i32(steps);
  return qn_kernel_launch(p->stream, l->kernel, l->grid, l->args[0], l->count);
}

static uint32_t place_now(probe *p, qn_buffer *place) {
  uint32_t at = 0;
  if (!p->status) p->status = qn_copy_out(p->stream, &at, place, 0, sizeof at);
  if (!p->status) p->status = qn_stream_sync(p->stream);
  return at;
}

/* Times the walk; then one more, which the host walks too. */
static void time_walk(probe *p, probe_figure *f, probe_launch *l, const uint32_t *next,
                      uint32_t places) {
  if (p->status || !f) return;
  f->steps = STEPS;
  /* every place once, so that what fits in a cache is there */
  if ((uint64_t)places * STRIDE * sizeof *next <= 2 * p->info.cache)
    p->status = walk(p, l, (int32_t)places);
  l->args[0][2] = qn_arg_i32(STEPS);
  probe_time(p, f, l);
  const uint32_t from = place_now(p, l->args[0][1].as.buffer);
  if (!p->status) p->status = walk(p, l, STEPS);
  const uint32_t to = place_now(p, l->args[0][1].as.buffer);
  if (!p->status) probe_check(f, to == probe_chain_follow(next, from, STEPS));
}

static void one_chain(probe *p, const char *entry, uint32_t group, size_t bytes, uint32_t stride,
                      uint32_t *next) {
  const uint32_t start = 0;
  make_chain(p, next, bytes, stride);
  probe_launch l = {.entry = entry, .grid = {{1, 1, 1}, {group, 1, 1}}, .count = 3, .turns = 1};
  l.kernel = probe_kernel(p, probe_chase_source, entry, NULL);
  l.args[0][0] = qn_arg_buffer(probe_upload(p, next, bytes));
  l.args[0][1] = qn_arg_buffer(probe_upload(p, &start, sizeof start));
  const bool local = stride == 1;
  probe_figure *f = local ? probe_add(p, "local", NAN, PROBE_NS, "local memory")
                          : probe_add(p, "global", (double)bytes, PROBE_NS, "%s",
                                      probe_size_text((double)bytes).text);
  time_walk(p, f, &l, next, (uint32_t)(bytes / sizeof *next) / stride);
}

void probe_latency_kernels(probe *p) {
  const size_t most = largest_chain(p);
  uint32_t *next = probe_host(p, most);
  if (!next) return;
  if (p->info.local_memory >= LOCAL_WORDS * sizeof *next)
    one_chain(p, "chase_local", LOCAL_GROUP, LOCAL_WORDS * sizeof *next, 1, next);
  for (size_t bytes = SMALLEST; bytes <= most; bytes *= 2)
    one_chain(p, "chase_global", 1, bytes, STRIDE, next);
  lesson(p);
}

/* ---- the processor ---- */

typedef struct cpu_walk {
  const uint32_t *next;
  uint32_t place;
  uint64_t steps;
} cpu_walk;

static double walk_on_cpu(void *user) {
  cpu_walk *w = user;
  const double start = bench_now();
  w->place = probe_chain_follow(w->next, w->place, w->steps);
  return bench_now() - start;
}

void probe_latency_cpu(probe *p) {
  const uint64_t steps = 1 << 18; /* a millisecond or more */
  const size_t most = largest_chain(p);
  uint32_t *next = probe_host(p, most);
  for (size_t bytes = SMALLEST; bytes <= most && !p->status; bytes *= 2) {
    make_chain(p, next, bytes, STRIDE);
    cpu_walk w = {next, 0, steps};
    probe_figure *f =
        probe_add(p, "global", (double)bytes, PROBE_NS, "%s", probe_size_text((double)bytes).text);
    if (!f) return;
    f->steps = (double)steps;
    probe_time_clocked(p, f, walk_on_cpu, &w);
    /* a whole round comes back to where it began */
    const uint32_t places = (uint32_t)(bytes / sizeof *next) / STRIDE;
    probe_check(f, w.place % STRIDE == 0 && probe_chain_follow(next, w.place, places) == w.place);
  }
  lesson(p);
}
