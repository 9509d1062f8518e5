/* What neighbouring items read: strides, structures in arrays and arrays in a structure. */
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>

enum { STRIDE_MOST = 32, FIELDS = 8 };

/* What memory moves at the least: a line of a processor's cache, two sectors of an NVIDIA card's.
 */
static const double sector = 64.0;

/* Past the caches of the device, with a stride of 32 still in its memory. */
static int64_t usual_elements(const probe *p) {
  return p->info.kind == QN_DEVICE_CPU ? 1 << 21 : 1 << 24;
}

static probe_launch launch_over(const probe *p, int64_t n, unsigned turns) {
  const uint32_t block = (uint32_t)p->settings.block;
  return (probe_launch){.grid = qn_grid_1d((uint64_t)n, block), .count = 5, .turns = turns};
}

/* Turn t reads x from place t n stride on, as far as x reaches, and writes a y of its own. */
static void one_stride(probe *p, probe_figure *f, int stride, int64_t n, qn_buffer *x,
                       qn_buffer *const *y, unsigned turns) {
  if (!f) return;
  probe_launch l = launch_over(p, n, turns);
  l.entry = "read_strided";
  l.kernel = probe_kernel(p, probe_access_source, l.entry, NULL);
  for (unsigned t = 0; t < turns; t++) {
    l.args[t][0] = qn_arg_buffer(x);
    l.args[t][1] = qn_arg_buffer(y[t]);
    l.args[t][2] = qn_arg_i32(stride);
    l.args[t][3] = qn_arg_i32((int32_t)(t % (unsigned)(STRIDE_MOST / stride) * n * stride));
    l.args[t][4] = qn_arg_i32((int32_t)n);
  }
  f->bytes = 8.0 * (double)n; /* what is used: 4 read, 4 written */
  f->moved = (fmin(4.0 * stride, sector) + 4.0) * (double)n;
  f->flops = (double)n;
  probe_time(p, f, &l);
  const float *got = probe_fetch(p, y[0], (size_t)n * sizeof *got);
  for (int64_t i = 0; got && i < n; i++)
    probe_check(f, got[i] == 2.0f * probe_noise((uint32_t)(i * stride), 1));
}

/* x is so large that every stride finds its elements apart. */
void probe_stride_kernels(probe *p) {
  const int64_t n = probe_elements(p, usual_elements(p));
  qn_buffer *x = probe_noise_buffer(p, (uint32_t)(n * STRIDE_MOST), 1),
            *y[PROBE_TURNS_MOST] = {NULL};
  const unsigned turns = probe_turns(p, 8.0 * (double)n);
  for (unsigned t = 0; t < turns; t++) y[t] = probe_buffer(p, (size_t)n * sizeof(float));
  const probe_figure *first = NULL, *last = NULL;
  for (int stride = 1; stride <= STRIDE_MOST; stride *= 2) {
    probe_figure *f = probe_add(p, "read", stride, PROBE_GBS, "stride %d", stride);
    one_stride(p, f, stride, n, x, y, turns);
    if (stride == 1) first = f;
    last = f;
  }
  if (p->status) return;
  probe_say(p,
            "stride %d takes %.3g times as long for the same elements; of the bytes that memory "
            "moves %.3g %% are used",
            STRIDE_MOST, probe_gain(p, last, first), 100.0 * last->bytes / last->moved);
}

void probe_structure_kernels(probe *p) {
  static const char *const entries[] = {"move_aos", "move_soa"};
  const int64_t n = probe_elements(p, usual_elements(p));
  const float dt = 0.25f;
  probe_figure *f[2] = {NULL, NULL};
  qn_buffer *particles = probe_noise_buffer(p, (uint32_t)(FIELDS * n), 1);
  qn_buffer *x = probe_buffer(p, (size_t)n * sizeof(float));
  for (int soa = 0; soa < 2; soa++) {
    probe_launch l = launch_over(p, n, 1);
    l.count = 4;
    l.entry = entries[soa];
    l.kernel = probe_kernel(p, probe_access_source, l.entry, NULL);
    f[soa] = probe_add(p, "move", NAN, PROBE_GBS, "%s",
                       soa ? "structure of arrays" : "array of structures");
    if (!f[soa]) return;
    l.args[0][0] = qn_arg_buffer(particles);
    l.args[0][1] = qn_arg_buffer(x);
    l.args[0][2] = qn_arg_f32(dt);
    l.args[0][3] = qn_arg_i32((int32_t)n);
    f[soa]->bytes = 12.0 * (double)n;
    f[soa]->moved = ((soa ? 8.0 : fmin(4.0 * FIELDS, sector)) + 4.0) * (double)n;
    f[soa]->flops = 2.0 * (double)n;
    probe_time(p, f[soa], &l);
    const float *got = probe_fetch(p, x, (size_t)n * sizeof *got);
    for (int64_t i = 0; got && i < n; i++) {
      const uint32_t place = (uint32_t)(soa ? i : FIELDS * i), step = (uint32_t)(soa ? 3 * n : 3);
      const float want = probe_noise(place, 1) + dt * probe_noise(place + step, 1);
      probe_check(f[soa], fabsf(got[i] - want) <= 1e-6f);
    }
  }
  probe_say(
      p,
      "the same particles as a structure of arrays: %.3g times as fast, for 2 of 8 fields are "
      "read",
      probe_gain(p, f[0], f[1]));
}
