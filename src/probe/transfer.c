/* Copies between host and device: pageable and pinned, one way and both. */
#include "probe/families.h"
#include "probe/noise.h"
#include <math.h>
#include <string.h>

static const size_t largest = (size_t)64 << 20;

typedef struct transfer_job {
  qn_stream *in_stream, *out_stream;
  qn_buffer *in, *out; /* on the device */
  float *from, *to;    /* on the host */
  size_t bytes;
  bool copies_in, copies_out;
} transfer_job;

static qn_status transfer(probe *p, void *user, unsigned turn) {
  (void)p, (void)turn;
  const transfer_job *j = user;
  qn_status status = QN_OK;
  if (j->copies_in) status = qn_copy_in(j->in_stream, j->in, 0, j->from, j->bytes);
  if (!status && j->copies_out) status = qn_copy_out(j->out_stream, j->to, j->out, 0, j->bytes);
  if (!status && j->copies_in) status = qn_stream_sync(j->in_stream);
  if (!status && j->copies_out) status = qn_stream_sync(j->out_stream);
  return status;
}

static void check(probe *p, probe_figure *f, const transfer_job *j) {
  const uint32_t count = (uint32_t)(j->bytes / sizeof(float));
  bool right = true;
  const float *arrived = j->copies_in ? probe_fetch(p, j->in, j->bytes) : NULL;
  if (p->status) return;
  for (uint32_t i = 0; i < count; i++) {
    right = right && (!arrived || arrived[i] == probe_noise(i, 1));
    right = right && (!j->copies_out || j->to[i] == probe_noise(i, 1));
  }
  probe_check(f, right);
}

static probe_figure *one_way(probe *p, transfer_job *j, const char *series, size_t bytes) {
  probe_figure *f = probe_add(p, series, (double)bytes, PROBE_GBS, "%s %s", series,
                              probe_size_text((double)bytes).text);
  if (!f) return NULL;
  j->bytes = bytes;
  f->bytes = (double)bytes * (j->copies_in + j->copies_out);
  probe_time_whole(p, f, transfer, j);
  check(p, f, j);
  return f;
}

/* Three curves over the same host memory; returns the largest copy in. */
static const probe_figure *all_ways(probe *p, transfer_job *j, bool pinned, size_t most) {
  static const char *const names[2][3] = {{"in, pageable", "out, pageable", "both, pageable"},
                                          {"in, pinned", "out, pinned", "both, pinned"}};
  const probe_figure *last = NULL;
  for (int way = 0; way < 3; way++) {
    j->copies_in = way != 1;
    j->copies_out = way != 0;
    for (size_t bytes = most >> 15 > 1024 ? most >> 15 : 1024; bytes <= most; bytes *= 8) {
      const probe_figure *f = one_way(p, j, names[pinned][way], bytes);
      if (way == 0) last = f;
    }
  }
  return last;
}

void probe_transfer_kernels(probe *p) {
  const size_t most =
      (size_t)p->settings.bytes < largest ? (size_t)p->settings.bytes / 1024 * 1024 : largest;
  const uint32_t count = (uint32_t)(most / sizeof(float));
  transfer_job j = {.in_stream = probe_stream(p),
                    .out_stream = probe_stream(p),
                    .in = probe_buffer(p, most),
                    .out = probe_noise_buffer(p, count, 1),
                    .from = probe_random(p, count, 1),
                    .to = probe_host(p, most)};
  if (p->status) return;
  const float *noise = j.from;
  memset(j.to, 0, most);
  const probe_figure *pageable = all_ways(p, &j, false, most);
  qn_buffer *from = probe_pinned(p, most), *to = probe_pinned(p, most);
  if (p->status) return;
  j.from = qn_buffer_host(from);
  j.to = qn_buffer_host(to);
  memcpy(j.from, noise, most);
  const probe_figure *pinned = all_ways(p, &j, true, most);
  if (p->status || !pinned) return;
  probe_say(p, "%s to the device at %.3g GB/s from pageable memory, %.3g GB/s from pinned",
            probe_size_text((double)most).text, probe_value(pageable), probe_value(pinned));
  probe_gain(p, pageable, pinned);
}
