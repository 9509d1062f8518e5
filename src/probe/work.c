/* The rows' tools: what they hold, and what they say. */
#include "probe/work.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- things that are held ---- */

typedef struct probe_held {
  struct probe_held *next;
  enum { HELD_BUFFER, HELD_KERNEL, HELD_STREAM, HELD_HOST } kind;
  void *what;
} probe_held;

static void release(probe_held *h) {
  switch (h->kind) {
  case HELD_BUFFER:
    qn_buffer_free(h->what);
    break;
  case HELD_KERNEL:
    qn_kernel_free(h->what);
    break;
  case HELD_STREAM:
    qn_stream_free(h->what);
    break;
  case HELD_HOST:
    free(h->what);
    break;
  }
  free(h);
}

void probe_release(probe *p) {
  qn_stream_sync(p->stream);
  while (p->held) {
    probe_held *h = p->held;
    p->held = h->next;
    release(h);
  }
}

/* Takes `what` over, NULL too; a failure to note it frees it. */
static void *hold(probe *p, int kind, void *what) {
  probe_held *h = what ? malloc(sizeof *h) : NULL;
  if (h) {
    *h = (probe_held){p->held, kind, what};
    p->held = h;
    return what;
  }
  if (!p->status) p->status = QN_ENOMEM;
  return NULL;
}

static qn_buffer *buffer_of(probe *p, qn_memory kind, size_t bytes) {
  qn_buffer *buffer = NULL;
  if (p->status) return NULL;
  p->status = qn_buffer_alloc(p->device, kind, bytes, &buffer);
  return p->status ? NULL : hold(p, HELD_BUFFER, buffer);
}

qn_buffer *probe_buffer(probe *p, size_t bytes) {
  return buffer_of(p, QN_MEMORY_DEVICE, bytes);
}

qn_buffer *probe_pinned(probe *p, size_t bytes) {
  return buffer_of(p, QN_MEMORY_PINNED, bytes);
}

void *probe_host(probe *p, size_t bytes) {
  enum { PAGE = 4096 };
  if (p->status) return NULL;
  return hold(p, HELD_HOST, aligned_alloc(PAGE, (bytes + PAGE) / PAGE * PAGE));
}

qn_stream *probe_stream(probe *p) {
  qn_stream *stream = NULL;
  if (p->status) return NULL;
  p->status = qn_stream_create(p->device, &stream);
  return p->status ? NULL : hold(p, HELD_STREAM, stream);
}

qn_kernel *probe_kernel(probe *p, const char *source, const char *entry, const char *options) {
  qn_kernel *kernel = NULL;
  if (p->status) return NULL;
  p->status = qn_kernel_create(p->device, entry, source, options, &kernel);
  return p->status ? NULL : hold(p, HELD_KERNEL, kernel);
}

float *probe_random(probe *p, uint32_t count, uint32_t seed) {
  float *x = probe_host(p, count * sizeof *x);
  for (uint32_t i = 0; x && i < count; i++) x[i] = probe_noise(i, seed);
  return x;
}

qn_buffer *probe_noise_buffer(probe *p, uint32_t count, uint32_t seed) {
  enum { GROUP = 256, GROUPS = 4096 };
  qn_buffer *x = probe_buffer(p, count * sizeof(float));
  qn_kernel *fill = probe_kernel(p, probe_sweep_source, "fill_noise", NULL);
  if (p->status) return NULL;
  const qn_kernel_arg args[] = {qn_arg_buffer(x), qn_arg_i32((int32_t)seed),
                                qn_arg_i32((int32_t)count)};
  const qn_grid grid = {{GROUPS, 1, 1}, {GROUP, 1, 1}};
  p->status = qn_kernel_launch(p->stream, fill, grid, args, 3);
  return x;
}

qn_buffer *probe_upload(probe *p, const void *data, size_t bytes) {
  qn_buffer *buffer = data ? probe_buffer(p, bytes) : NULL;
  if (!buffer) return NULL;
  p->status = qn_copy_in(p->stream, buffer, 0, data, bytes);
  return buffer;
}

void *probe_fetch(probe *p, const qn_buffer *buffer, size_t bytes) {
  void *data = probe_host(p, bytes);
  if (!data) return NULL;
  p->status = qn_copy_out(p->stream, data, buffer, 0, bytes);
  if (!p->status) p->status = qn_stream_sync(p->stream);
  return p->status ? NULL : data;
}

unsigned probe_turns(const probe *p, double bytes) {
  const double all = 4.0 * (double)p->info.cache, least = 2.0;
  const double turns = ceil(all / fmax(bytes, 1.0));
  return (unsigned)fmin(fmax(turns, least), PROBE_TURNS_MOST);
}

probe_text probe_size_text(double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
  probe_text t;
  int unit = 0;
  for (; bytes >= 1024.0 && unit < 3; unit++) bytes /= 1024.0;
  snprintf(t.text, sizeof t.text, "%.4g %s", bytes, units[unit]);
  return t;
}

int probe_nvidia_arch(const probe *p) {
  int arch = 0;
  return sscanf(p->info.arch, "sm_%d", &arch) == 1 ? arch : 0;
}

/* ---- figures ---- */

probe_figure *probe_add(probe *p, const char *series, double x, probe_unit unit, const char *format,
                        ...) {
  probe_result *r = p->result;
  if (p->status || r->count == PROBE_FIGURES_MOST) return NULL;
  probe_figure *f = &r->figure[r->count++];
  *f = (probe_figure){.series = series, .x = x, .unit = unit, .kernel = "", .steps = 1.0};
  va_list args;
  va_start(args, format);
  vsnprintf(f->variant, sizeof f->variant, format, args);
  va_end(args);
  return f;
}

void probe_say(probe *p, const char *format, ...) {
  if (p->status) return;
  va_list args;
  va_start(args, format);
  vsnprintf(p->result->lesson, sizeof p->result->lesson, format, args);
  va_end(args);
}

double probe_gain(probe *p, const probe_figure *slow, const probe_figure *fast) {
  if (p->status || !slow || !fast || fast->seconds.median <= 0.0) return 0.0;
  p->result->slow = slow;
  return p->result->gain = slow->seconds.median / fast->seconds.median;
}

void probe_check(probe_figure *figure, bool right) {
  if (figure && !right) figure->wrong = true;
}

void probe_check_near(probe *p, probe_figure *figure, const float *got, const float *want,
                      size_t count, double bound) {
  if (p->status || !got || !want) return;
  bool right = true;
  for (size_t i = 0; i < count; i++) {
    const double g = got[i], w = want[i];
    right = right && fabs(g - w) <= bound * (1.0 + fabs(w));
  }
  probe_check(figure, right);
}
