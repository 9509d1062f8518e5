/* EP on a device: rows by the launches of kernels/ep.cl, in slices of whole rows. */
#include "core/core.h"
#include "npb/ep.h"
#include <math.h>
#include <string.h>

extern const char npb_ep_source[];

/* As in kernels/ep.cl. */
enum {
  LINE = 16,
  GROUP_LOG2 = 8,
  STEPS = 64,
  OCTAVES = 16,
  TABLE = (OCTAVES + 1) * STEPS,
  SLICE_GROUPS_LOG2 = 16 /* groups of a launch, at most: 8 MiB of lines, and a step of the bar */
};

typedef struct device_state {
  qn_stream *stream;
  qn_kernel *pairs, *rows;
  qn_buffer *table, *lines, *sums;
  qn_event *made[2]; /* the last two slices */
  int run_log2;      /* pairs an item */
  int a_row;         /* groups */
  int slice;         /* rows a launch */
} device_state;

/* ---- the table of logarithms ---- */

/* The polynomial of the kernel at r = -1, in the same steps: what cancels it there. */
static double rejected(void) {
  double p = fma(0x1.55555p-2, -1.0, -0x1.99999p-2);
  p = fma(p, -1.0, 0.5);
  p = fma(p, -1.0, -2.0 / 3.0);
  p = fma(p, -1.0, 1.0);
  return fma(p, -1.0, -2.0);
}

static void make_table(double table[TABLE][2]) {
  for (int i = 0; i < TABLE; i++) {
    const int octave = i / STEPS, step = i % STEPS;
    const bool last = octave == OCTAVES - 1 && step == STEPS - 1;
    const double middle = ldexp(1.0 + (step + 0.5) / STEPS, octave - OCTAVES);
    if (octave == OCTAVES) {
      table[i][0] = 0.0;
      table[i][1] = rejected();
    } else {
      /* next to 1, where the logarithm has to vanish with r */
      table[i][0] = last ? 1.0 : 1.0 / middle;
      table[i][1] = last ? 0.0 : (double)(2.0L * logl((long double)table[i][0]));
    }
  }
}

/* ---- preparing ---- */

static void close(ep_engine *engine) {
  device_state *d = engine->state.device;
  qn_event_free(d->made[0]);
  qn_event_free(d->made[1]);
  qn_buffer_free(d->table);
  qn_buffer_free(d->lines);
  qn_buffer_free(d->sums);
  qn_kernel_free(d->pairs);
  qn_kernel_free(d->rows);
  qn_host_free(d, sizeof *d);
  *engine = (ep_engine){0};
}

/* Runs short enough for 2^14 groups or more, long enough to hide where they begin. */
static void cut(const ep_share *share, device_state *d) {
  const int run = share->m - 22;
  d->run_log2 = run < 8 ? 8 : run > 12 ? 12 : run;
  const int a_row_log2 = share->m - EP_ROWS_LOG2 - d->run_log2 - GROUP_LOG2;
  d->a_row = 1 << a_row_log2;
  d->slice = a_row_log2 < SLICE_GROUPS_LOG2 ? 1 << (SLICE_GROUPS_LOG2 - a_row_log2) : 1;
  if (d->slice > share->count) d->slice = share->count > 0 ? share->count : 1;
}

static qn_status compile(device_state *d, const qn_device_info *info) {
  qn_device *device = qn_stream_device(d->stream);
  /* NVIDIA's OpenCL takes inline PTX as CUDA does */
  const bool nvidia = strncmp(info->arch, "sm_", 3) == 0;
  const char *options = nvidia ? "-DEP_NVIDIA=1" : "-DEP_NVIDIA=0";
  qn_status status = qn_kernel_create(device, "ep_pairs", npb_ep_source, options, &d->pairs);
  if (!status) status = qn_kernel_create(device, "ep_rows", npb_ep_source, options, &d->rows);
  return status;
}

static qn_status allocate(device_state *d, ep_engine *engine) {
  qn_device *device = qn_stream_device(d->stream);
  const size_t table = sizeof(double[TABLE][2]);
  const size_t lines = (size_t)d->slice * (size_t)d->a_row * LINE * sizeof(double);
  const size_t sums = (size_t)EP_ROWS * LINE * sizeof(double);
  engine->memory = table + lines + sums;
  qn_status status = qn_buffer_alloc(device, QN_MEMORY_DEVICE, table, &d->table);
  if (!status) status = qn_buffer_alloc(device, QN_MEMORY_DEVICE, lines, &d->lines);
  if (!status) status = qn_buffer_alloc(device, QN_MEMORY_DEVICE, sums, &d->sums);
  if (!status) status = qn_event_create(device, &d->made[0]);
  if (!status) status = qn_event_create(device, &d->made[1]);
  return status;
}

static qn_status launch(device_state *d, int m, int pairs, int first_row, int rows, int place) {
  const int64_t step = (int64_t)npb_lcg_power(UINT64_C(2) << d->run_log2);
  /* groups of the whole problem are more than 2^32 items: the seed moves on instead */
  const uint64_t before = (uint64_t)first_row << (m - EP_ROWS_LOG2);
  const int64_t seed = (int64_t)npb_lcg_skip(EP_SEED, 2 * before);
  const qn_kernel_arg of_pairs[] = {qn_arg_buffer(d->table), qn_arg_i64(seed), qn_arg_i64(step),
                                    qn_arg_i32(pairs), qn_arg_buffer(d->lines)};
  const qn_kernel_arg of_rows[] = {qn_arg_buffer(d->lines), qn_arg_i32(d->a_row), qn_arg_i32(place),
                                   qn_arg_buffer(d->sums)};
  const qn_grid many = {{(uint32_t)(rows * d->a_row), 1, 1}, {1u << GROUP_LOG2, 1, 1}};
  const qn_grid few = {{(uint32_t)rows, 1, 1}, {1u << GROUP_LOG2, 1, 1}};
  qn_status status = qn_kernel_launch(d->stream, d->pairs, many, of_pairs, 5);
  if (!status) status = qn_kernel_launch(d->stream, d->rows, few, of_rows, 4);
  return status;
}

/* Sends the table and runs both kernels once on next to nothing, which is not timed. */
static qn_status warm(device_state *d, const ep_share *share) {
  double table[TABLE][2];
  make_table(table);
  qn_status status = qn_copy_in(d->stream, d->table, 0, table, sizeof table);
  if (!status) status = launch(d, share->m, 1, 0, d->slice, 0);
  if (!status) status = qn_stream_sync(d->stream);
  return status;
}

/* ---- running ---- */

/* Two slices are in flight: the host waits for the one before the last, for the bar's sake. */
static qn_status make_rows(device_state *d, const ep_share *share, const npb_progress *progress) {
  qn_status status = QN_OK;
  for (int done = 0, slice = 0; done < share->count && !status; done += d->slice, slice++) {
    const int rows = share->count - done < d->slice ? share->count - done : d->slice;
    if (slice >= 2) {
      status = qn_event_sync(d->made[slice % 2]);
      npb_say(progress, (double)(done - 2 * d->slice) / share->count);
    }
    if (!status) status = launch(d, share->m, 1 << d->run_log2, share->first + done, rows, done);
    if (!status) status = qn_event_record(d->made[slice % 2], d->stream);
  }
  return status ? status : qn_stream_sync(d->stream);
}

static ep_sums sums_of(const double *line) {
  ep_sums s = {line[0], line[1], line[2], line[3], {0}};
  for (int i = 0; i < EP_BINS; i++) s.count[i] = (uint64_t)line[4 + i];
  return s;
}

static qn_status run(ep_engine *engine, const npb_progress *progress, ep_sums *rows,
                     double *end_seconds) {
  device_state *d = engine->state.device;
  double lines[EP_ROWS][LINE] = {{0.0}};
  qn_status status = make_rows(d, &engine->share, progress);
  const double made = npb_now();
  const size_t size = (size_t)engine->share.count * sizeof lines[0];
  if (!status && size > 0) status = qn_copy_out(d->stream, lines, d->sums, 0, size);
  if (!status) status = qn_stream_sync(d->stream);
  if (status) return status;
  for (int i = 0; i < engine->share.count; i++) rows[i] = sums_of(lines[i]);
  *end_seconds = npb_now() - made;
  return QN_OK;
}

qn_status ep_device_open(ep_share share, qn_stream *stream, ep_engine *engine) {
  device_state *d = qn_host_zalloc(sizeof *d);
  if (!d) return qn_fail(QN_ENOMEM, "ep_device_open", "no host memory");
  *engine = (ep_engine){.run = run, .close = close, .share = share, .variant = "default"};
  engine->state.device = d;
  d->stream = stream;
  cut(&share, d);
  qn_device_info info;
  qn_status status = qn_device_query(qn_stream_device(stream), &info);
  if (!status && !(info.dtypes & 1u << QN_F64))
    status = qn_fail(QN_EUNSUPPORTED, "ep_device_open", "%s has no f64, which EP needs", info.id);
  if (!status) status = compile(d, &info);
  if (!status) status = allocate(d, engine);
  if (!status) status = warm(d, &share);
  if (status) close(engine);
  return status;
}
