/* Bandwidth by working set, on devices with a compiler: caches show as steps. */
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>
#include <stdio.h>

enum { VECTOR = 16, READ_SEED = 1 };
static const double run_bytes = 64e6; /* small sets are gone over until a launch has moved these */

enum sweep { SWEEP_COPY, SWEEP_READ, SWEEP_WRITE, SWEEPS };
static const char *const sweep_names[] = {"copy", "read", "write"};
static const char *const sweep_entries[] = {"sweep_copy", "sweep_read", "sweep_write"};

typedef struct sweep_shape {
  uint32_t vectors, steps, groups, group, unroll;
  bool along;
} sweep_shape;

/* Items of a device that is full. */
static sweep_shape full_device(const probe *p) {
  const uint32_t units = p->info.compute_units ? p->info.compute_units : 1;
  if (p->info.kind == QN_DEVICE_CPU)
    return (sweep_shape){.groups = units, .group = 1, .unroll = 16, .along = true};
  return (sweep_shape){.groups = 8 * units, .group = 256, .unroll = 4};
}

/* A set beyond a GPU's caches: every item takes a few vectors and ends. Else a device full of
 * items, as many steps as it takes. */
static sweep_shape shape_of(const probe *p, size_t bytes) {
  sweep_shape s = full_device(p);
  const uint32_t full = s.groups * s.group;
  s.vectors = (uint32_t)(bytes / VECTOR);
  if (!s.along && s.vectors / s.unroll > full && bytes > 2 * p->info.cache) {
    s.groups = s.vectors / s.unroll / s.group;
    s.steps = s.unroll;
  } else {
    const double vectors = fmax(run_bytes, (double)bytes) / VECTOR / full;
    s.steps = (uint32_t)ceil(vectors / s.unroll) * s.unroll;
  }
  return s;
}

/* The sum of what item t reads, in its order. */
static double read_sum(sweep_shape s, uint64_t item) {
  const uint64_t items = (uint64_t)s.groups * s.group;
  const uint64_t first = s.along ? item * (s.vectors / s.unroll / items) * s.unroll : item;
  const uint64_t jump = s.along ? 1 : items;
  double sum = 0.0;
  for (uint64_t step = 0; step < s.steps; step++) {
    const uint64_t at = (first + step * jump) % s.vectors;
    for (uint64_t k = 0; k < VECTOR / sizeof(float); k++)
      sum += probe_noise((uint32_t)(at * 4 + k), READ_SEED);
  }
  return sum;
}

static void check_read(probe *p, probe_figure *f, qn_buffer *out, sweep_shape s) {
  const uint64_t items = (uint64_t)s.groups * s.group, samples = items < 64 ? items : 64;
  const float *got = probe_fetch(p, out, items * sizeof *got);
  for (uint64_t i = 0; got && i < samples; i++) {
    const uint64_t item = samples > 1 ? i * (items - 1) / (samples - 1) : 0;
    probe_check(f, fabs(got[item] - read_sum(s, item)) < 1e-4 * (1.0 + s.steps));
  }
}

/* Pieces of a set that was written or copied, its ends among them. */
static void check_written(probe *p, probe_figure *f, enum sweep which, qn_buffer *y,
                          sweep_shape s) {
  enum { PIECES = 64, PIECE = 4096 }; /* vectors */
  const uint32_t length = s.vectors < PIECE ? s.vectors : PIECE;
  float *got = probe_host(p, (size_t)length * VECTOR);
  for (uint64_t i = 0; i < PIECES && !p->status; i++) {
    const uint32_t first = (uint32_t)(i * (s.vectors - length) / (PIECES - 1));
    p->status = qn_copy_out(p->stream, got, y, (size_t)first * VECTOR, (size_t)length * VECTOR);
    if (!p->status) p->status = qn_stream_sync(p->stream);
    for (uint32_t v = 0; v < length && !p->status; v++) {
      const uint32_t at = first + v;
      const float here = (float)(at & 0xffffu) + 0.5f, written[4] = {here, -here, here, 0.5f};
      for (uint32_t k = 0; k < 4; k++)
        probe_check(f,
                    got[4 * v + k] ==
                        (which == SWEEP_WRITE ? written[k] : probe_noise(4 * at + k, READ_SEED)));
    }
  }
}

/* `bytes` is all that is touched: both sides of a copy. */
static void one_sweep(probe *p, enum sweep which, size_t bytes, qn_buffer *x, qn_buffer *y,
                      qn_buffer *out) {
  const sweep_shape s = shape_of(p, which == SWEEP_COPY ? bytes / 2 : bytes);
  probe_figure *f = probe_add(p, sweep_names[which], (double)bytes, PROBE_GBS, "%s %s",
                              sweep_names[which], probe_size_text((double)bytes).text);
  if (!f) return;
  probe_launch l = {.entry = sweep_entries[which],
                    .grid = {{s.groups, 1, 1}, {s.group, 1, 1}},
                    .count = 4,
                    .turns = 1};
  char options[32];
  snprintf(options, sizeof options, "-DUNROLL=%u -DALONG=%d", s.unroll, s.along);
  l.kernel = probe_kernel(p, probe_sweep_source, l.entry, options);
  qn_kernel_arg *a = l.args[0];
  a[0] = qn_arg_buffer(which == SWEEP_WRITE ? y : x);
  a[1] = which == SWEEP_WRITE ? qn_arg_f32(0.5f) : qn_arg_buffer(which == SWEEP_COPY ? y : out);
  a[2] = qn_arg_i32((int32_t)s.vectors);
  a[3] = qn_arg_i32((int32_t)s.steps);
  const double items = (double)s.groups * s.group;
  f->bytes = items * s.steps * VECTOR * (which == SWEEP_COPY ? 2.0 : 1.0);
  if (which == SWEEP_READ) f->bytes += items * sizeof(float);
  probe_time(p, f, &l);
  if (which == SWEEP_READ) {
    check_read(p, f, out, s);
  } else {
    check_written(p, f, which, y, s);
  }
}

static void sweep_sizes(probe *p, size_t from, unsigned sweeps) {
  const size_t most = (size_t)p->settings.bytes;
  const sweep_shape full = full_device(p);
  const size_t least = (size_t)full.groups * full.group, all = most / VECTOR / full.unroll;
  qn_buffer *x = probe_noise_buffer(p, (uint32_t)(most / sizeof(float)), READ_SEED);
  qn_buffer *y = probe_buffer(p, most);
  qn_buffer *out = probe_buffer(p, (all > least ? all : least) * sizeof(float));
  for (unsigned which = 0; which < sweeps; which++)
    for (size_t bytes = from; bytes <= most; bytes *= 2)
      one_sweep(p, (enum sweep)which, bytes, x, y, out);
}

void probe_memory_kernels(probe *p) {
  sweep_sizes(p, (size_t)p->settings.bytes, SWEEP_WRITE);
}

void probe_bandwidth_kernels(probe *p) {
  sweep_sizes(p, probe_smallest_set(p, SWEEPS), SWEEPS);
  probe_bandwidth_lesson(p);
}

size_t probe_smallest_set(const probe *p, unsigned curves) {
  const unsigned points = PROBE_FIGURES_MOST / curves;
  const size_t smallest = 32768, most = (size_t)p->settings.bytes, all = most >> (points - 1);
  return most < smallest ? most : all > smallest ? all : smallest;
}

/* Curves lie one after another, each from its smallest set to its largest. */
void probe_bandwidth_lesson(probe *p) {
  const probe_result *r = p->result;
  if (p->status || r->count == 0) return;
  const char *curve = r->figure[0].series;
  double best = 0.0, last = 0.0;
  for (unsigned i = 0; i < r->count && r->figure[i].series == curve; i++) {
    last = probe_value(&r->figure[i]);
    best = fmax(best, last);
  }
  probe_say(p, "a %s runs at %.4g GB/s out of the best cache and %.4g GB/s from memory: %.3g times",
            curve, best, last, best / last);
}
