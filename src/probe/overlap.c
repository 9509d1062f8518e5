/* Copies in, a kernel, copies out: one after another, or side by side on several streams.
 *
 *   1 stream    in in in in  kernel kernel kernel kernel  out out out out
 *   2 streams   in  kernel out in  kernel out ...
 *                   in  kernel out in  kernel out ...          as far as the device has engines */
#include "probe/families.h"
#include "probe/noise.h"
#include "probe/sources.h"
#include <math.h>
#include <string.h>

enum { STREAMS_MOST = 4, PIECES = 8, ELEMENTS = 1 << 24, LINKS = 64 };

typedef struct overlap_job {
  qn_stream *stream[STREAMS_MOST];
  int streams;
  qn_kernel *kernel;
  qn_grid grid;
  qn_buffer *x[PIECES], *y[PIECES];
  float *from, *to;
  int64_t piece; /* elements */
} overlap_job;

static qn_status run_pieces(probe *p, void *user, unsigned turn) {
  (void)p, (void)turn;
  const overlap_job *j = user;
  const size_t bytes = (size_t)j->piece * sizeof(float);
  qn_status status = QN_OK;
  for (int i = 0; i < PIECES && !status; i++) {
    qn_stream *s = j->stream[i % j->streams];
    const qn_kernel_arg args[] = {qn_arg_buffer(j->x[i]), qn_arg_buffer(j->y[i]),
                                  qn_arg_i32((int32_t)j->piece)};
    status = qn_copy_in(s, j->x[i], 0, j->from + i * j->piece, bytes);
    if (!status) status = qn_kernel_launch(s, j->kernel, j->grid, args, 3);
    if (!status) status = qn_copy_out(s, j->to + i * j->piece, j->y[i], 0, bytes);
  }
  for (int s = 0; s < j->streams && !status; s++) status = qn_stream_sync(j->stream[s]);
  return status;
}

static void check(probe_figure *f, const overlap_job *j) {
  for (int64_t i = 0; i < PIECES * j->piece; i += 61) {
    float x = probe_noise((uint32_t)i, 1);
    for (int k = 0; k < LINKS; k++) x = x * 0.75f + 0.125f;
    probe_check(f, fabsf(j->to[i] - x) <= 1e-5f);
  }
}

static probe_figure *one(probe *p, overlap_job *j, int streams, bool pinned) {
  probe_figure *f =
      probe_add(p, pinned ? "pinned" : "pageable", streams, PROBE_GBS, "%d stream%s, %s", streams,
                streams > 1 ? "s" : "", pinned ? "pinned" : "pageable");
  if (!f) return NULL;
  j->streams = streams;
  memset(j->to, 0, (size_t)(PIECES * j->piece) * sizeof *j->to);
  f->bytes = 2.0 * sizeof(float) * PIECES * (double)j->piece; /* over the bus */
  probe_time_whole(p, f, run_pieces, j);
  if (!p->status) check(f, j);
  return f;
}

void probe_overlap_kernels(probe *p) {
  const int64_t all = probe_elements(p, p->info.kind == QN_DEVICE_CPU ? ELEMENTS / 16 : ELEMENTS);
  overlap_job j = {.piece = all / PIECES};
  const size_t bytes = (size_t)all * sizeof(float);
  j.kernel = probe_kernel(p, probe_divergence_source, "straight_long", "-DWIDTH=1");
  j.grid = qn_grid_1d((uint64_t)j.piece, (uint32_t)p->settings.block);
  for (int s = 0; s < STREAMS_MOST; s++) j.stream[s] = probe_stream(p);
  for (int i = 0; i < PIECES; i++) {
    j.x[i] = probe_buffer(p, (size_t)j.piece * sizeof(float));
    j.y[i] = probe_buffer(p, (size_t)j.piece * sizeof(float));
  }
  float *noise = probe_random(p, (uint32_t)all, 1), *plain = probe_host(p, bytes);
  qn_buffer *from = probe_pinned(p, bytes), *to = probe_pinned(p, bytes);
  const probe_figure *single = NULL, *last = NULL;
  for (int pinned = 0; pinned < 2 && !p->status; pinned++) {
    j.from = pinned ? qn_buffer_host(from) : noise;
    j.to = pinned ? qn_buffer_host(to) : plain;
    if (pinned) memcpy(j.from, noise, bytes);
    for (int streams = 1; streams <= STREAMS_MOST; streams *= 2) {
      last = one(p, &j, streams, pinned);
      if (streams == 1) single = last;
    }
  }
  probe_say(p, "from pinned memory %d streams take 1/%.3g of the time of one", STREAMS_MOST,
            probe_gain(p, single, last));
}
