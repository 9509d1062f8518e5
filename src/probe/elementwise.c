/* One step an element: adding vectors, ReLU, and what the way to the device costs beside it. */
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>

enum { ADD_ELEMENTS = 1 << 20, RELU_ELEMENTS = 1 << 24 };

static float added(uint32_t i) {
  return probe_noise(i, 1) + probe_noise(i, 2);
}

static float rectified(uint32_t i) {
  return fmaxf(probe_noise(i, 1), 0.0f);
}

/* The result of turn 0 against what each element must be. */
static void check(probe *p, probe_figure *f, const float *got, int64_t n, float (*want)(uint32_t)) {
  for (int64_t i = 0; got && i < n && !p->status; i++) probe_check(f, got[i] == want((uint32_t)i));
}

void probe_add_kernels(probe *p) {
  const int64_t n = probe_elements(p, ADD_ELEMENTS);
  const size_t bytes = (size_t)n * sizeof(float);
  probe_launch l = {.entry = "vector_add",
                    .grid = qn_grid_1d((uint64_t)n, (uint32_t)p->settings.block),
                    .count = 4,
                    .turns = probe_turns(p, 3.0 * (double)bytes)};
  l.kernel = probe_kernel(p, probe_elementwise_source, l.entry, NULL);
  probe_figure *f = probe_add(p, "add", NAN, PROBE_GBS, "c = a + b, 2^%.3g", log2((double)n));
  if (!f) return;
  for (unsigned t = 0; t < l.turns; t++) {
    l.args[t][0] = qn_arg_buffer(probe_noise_buffer(p, (uint32_t)n, 1));
    l.args[t][1] = qn_arg_buffer(probe_noise_buffer(p, (uint32_t)n, 2));
    l.args[t][2] = qn_arg_buffer(probe_buffer(p, bytes));
    l.args[t][3] = qn_arg_i32((int32_t)n);
  }
  f->bytes = 3.0 * (double)bytes;
  f->flops = (double)n;
  probe_time(p, f, &l);
  check(p, f, p->status ? NULL : probe_fetch(p, l.args[0][2].as.buffer, bytes), n, added);
  probe_say(p, "12 bytes an addition: %.4g GB/s, and %.3g GFLOP/s of %.4g", probe_value(f),
            1e-9 * f->flops / f->seconds.median, p->ceilings.compute[PROBE_F32]);
}

/* ---- ReLU, alone and with both copies ---- */

typedef struct relu_job {
  probe_launch launch;
  void *in, *out; /* of the host */
  size_t bytes;
} relu_job;

static qn_status there_and_back(probe *p, void *user, unsigned turn) {
  const relu_job *j = user;
  const probe_launch *l = &j->launch;
  const qn_kernel_arg *args = l->args[turn % l->turns];
  qn_status status = qn_copy_in(p->stream, args[0].as.buffer, 0, j->in, j->bytes);
  if (!status) status = qn_kernel_launch(p->stream, l->kernel, l->grid, args, l->count);
  return status ? status : qn_copy_out(p->stream, j->out, args[1].as.buffer, 0, j->bytes);
}

void probe_relu_kernels(probe *p) {
  const int64_t n = probe_elements(p, RELU_ELEMENTS);
  relu_job j = {.bytes = (size_t)n * sizeof(float)};
  probe_launch *l = &j.launch;
  *l = (probe_launch){.entry = "relu",
                      .grid = qn_grid_1d((uint64_t)n, (uint32_t)p->settings.block),
                      .count = 3,
                      .turns = probe_turns(p, 2.0 * (double)j.bytes)};
  l->kernel = probe_kernel(p, probe_elementwise_source, l->entry, NULL);
  for (unsigned t = 0; t < l->turns; t++) {
    l->args[t][0] = qn_arg_buffer(probe_noise_buffer(p, (uint32_t)n, 1));
    l->args[t][1] = qn_arg_buffer(probe_buffer(p, j.bytes));
    l->args[t][2] = qn_arg_i32((int32_t)n);
  }
  probe_figure *alone = probe_add(p, "relu", NAN, PROBE_GBS, "on the device");
  probe_figure *whole = probe_add(p, "relu", NAN, PROBE_GBS, "copied there and back");
  j.in = probe_random(p, (uint32_t)n, 1);
  j.out = probe_host(p, j.bytes);
  if (p->status) return;
  alone->bytes = whole->bytes = 2.0 * (double)j.bytes;
  alone->flops = (double)n;
  probe_time(p, alone, l);
  check(p, alone, p->status ? NULL : probe_fetch(p, l->args[0][1].as.buffer, j.bytes), n,
        rectified);
  probe_time_whole(p, whole, there_and_back, &j);
  check(p, whole, j.out, n, rectified);
  probe_say(p, "with the copies ReLU takes %.3g times as long as alone: data should stay there",
            probe_gain(p, whole, alone));
}
