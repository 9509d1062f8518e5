/* What the rows are written with.
 *
 * The first failure sticks: after it every function here does nothing and returns NULL or zero, so
 * that a row reads as the experiment it is; probe_run reports the failure. Buffers, kernels and
 * host memory that a row asks for are given back when it ends. */
#ifndef PROBE_WORK_H
#define PROBE_WORK_H

#include "probe/probe.h"

enum { PROBE_TURNS_MOST = 16, PROBE_ARGS_MOST = 8 };

struct probe {
  qn_device *device;
  qn_stream *stream;
  qn_device_info info;
  probe_settings settings; /* no field is 0 but `elements` */
  probe_ceilings ceilings;
  probe_result *result; /* of the row that runs */
  qn_status status;
  qn_event *start, *stop;
  struct probe_held *held; /* to be given back; the last first */
};

/* ---- things that a row holds ---- */

/* Gives them all back, after all work. */
void probe_release(probe *p);

qn_buffer *probe_buffer(probe *p, size_t bytes);
qn_buffer *probe_pinned(probe *p, size_t bytes);
void *probe_host(probe *p, size_t bytes);
/* `count` uniform f32 in (-1, 1): probe_noise(i, seed). */
float *probe_random(probe *p, uint32_t count, uint32_t seed);
qn_buffer *probe_upload(probe *p, const void *data, size_t bytes);
/* What a buffer holds after all work. */
void *probe_fetch(probe *p, const qn_buffer *buffer, size_t bytes);
/* The kernel `entry` of a source of src/probe/kernels. */
qn_kernel *probe_kernel(probe *p, const char *source, const char *entry, const char *options);
qn_stream *probe_stream(probe *p);

/* ---- turns: the buffers of consecutive runs differ, so that no run finds its data in a cache ----
 *
 * So many sets that together they are four times the last cache, 16 at most. */
unsigned probe_turns(const probe *p, double bytes);

/* ---- figures ---- */

/* A new figure of the row, with a formatted variant. NULL after a failure. */
probe_figure *probe_add(probe *p, const char *series, double x, probe_unit unit, const char *format,
                        ...) __attribute__((format(printf, 5, 6)));
/* The row's lesson. */
void probe_say(probe *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* gain := the first's time over the second's; returns it. */
double probe_gain(probe *p, const probe_figure *slow, const probe_figure *fast);

/* ---- timing ---- */

typedef struct probe_launch {
  qn_kernel *kernel;
  const char *entry;
  qn_grid grid;
  unsigned count, turns;
  qn_kernel_arg args[PROBE_TURNS_MOST][PROBE_ARGS_MOST];
} probe_launch;

/* Enqueues run number `turn`. */
typedef qn_status (*probe_work)(probe *p, void *user, unsigned turn);

/* Times launches on the device's clock: samples of a batch that lasts at least a fiftieth of the
 * figure's seconds, after one untimed run of each turn. Fills in the figure, the compiler's report
 * and the verdict. */
void probe_time(probe *p, probe_figure *figure, const probe_launch *launch);
/* Samples of a function that runs its experiment once and tells the seconds it took. */
typedef double (*probe_clocked)(void *user);
void probe_time_clocked(probe *p, probe_figure *figure, probe_clocked run, void *user);
/* Times `work` likewise. */
void probe_time_work(probe *p, probe_figure *figure, probe_work work, void *user);
/* On the host's clock, from an idle device until it is idle again: for what spans streams. */
void probe_time_whole(probe *p, probe_figure *figure, probe_work work, void *user);
/* The verdict of a figure whose seconds, bytes and flops are filled in. */
void probe_judge(probe *p, probe_figure *figure);

/* ---- checks: they mark the figure; both sides are f32 ---- */

void probe_check(probe_figure *figure, bool right);
/* |got - want| <= bound (1 + |want|) everywhere */
void probe_check_near(probe *p, probe_figure *figure, const float *got, const float *want,
                      size_t count, double bound);

static inline bool probe_on_cpu(const probe *p) {
  return p->info.backend[0] == 'c' && p->info.backend[1] == 'p';
}
/* NVIDIA's cards, by CUDA or OpenCL, name their architecture sm_NN. */
int probe_nvidia_arch(const probe *p);

/* Of matrices that naive kernels multiply: a processor would take long with the default. */
static inline int64_t probe_order(const probe *p) {
  const int64_t most = p->info.kind == QN_DEVICE_CPU ? 512 : p->settings.order;
  return p->settings.order < most ? p->settings.order : most;
}

typedef struct probe_text {
  char text[24];
} probe_text;
/* "64 KiB" */
probe_text probe_size_text(double bytes);

static inline int64_t probe_elements(const probe *p, int64_t usual) {
  return p->settings.elements ? p->settings.elements : usual;
}

#endif
