/* EP's port on a device: passes over the problem, x in global memory. */
#include "npb/ep_port.h"
#include "core/core.h"
#include <string.h>

extern const char npb_ep_port_source[];

/* As in kernels/ep_port.cl. */
enum { LINE = 16, LINES = 64, COLLECT_GROUP = 256, COUNT_BYTES = EP_BINS * 8 };

typedef struct port_state {
  qn_stream *stream;
  qn_kernel *batch, *collect;
  qn_buffer *x, *q, *sums, *lines;
  ep_port port;
  int64_t batches; /* a pass */
} port_state;

/* ---- names ---- */

static const char *const steps[] = {"use_sm", "coalesced", "coalesced_block", "q_coalesced"};
enum { STEPS = sizeof steps / sizeof *steps };

static bool *flag_of(ep_port *port, int step) {
  bool *const flags[STEPS] = {&port->use_sm, &port->coalesced, &port->coalesced_block,
                              &port->q_coalesced};
  return flags[step];
}

bool ep_port_parse(const char *name, ep_port *port) {
  if (strcmp(name, "port") == 0) return true;
  for (const char *at = name;; at++) {
    const size_t length = strcspn(at, ",");
    int step = 0;
    while (step < STEPS && (strlen(steps[step]) != length || strncmp(at, steps[step], length) != 0))
      step++;
    if (step == STEPS) return false;
    *flag_of(port, step) = true;
    at += length;
    if (!*at) break;
  }
  return !(port->coalesced && port->coalesced_block);
}

void ep_port_name(const ep_port *port, char *name, size_t size) {
  ep_port copy = *port;
  size_t length = 0;
  snprintf(name, size, "port");
  for (int step = 0; step < STEPS; step++)
    if (*flag_of(&copy, step) && length < size)
      length +=
          (size_t)snprintf(name + length, size - length, "%s%s", length ? "," : "", steps[step]);
}

/* ---- memory and limits ---- */

/* x is laid out in whole groups where it is transposed within them. */
static uint64_t bytes_of_x(const ep_port *port, uint64_t batches) {
  const uint64_t block = port->coalesced_block ? (uint64_t)port->block : 1;
  return (batches + block - 1) / block * block * (UINT64_C(16) << port->mk);
}

uint64_t ep_port_memory(const ep_port *port, int m, uint64_t *x) {
  const uint64_t batches = UINT64_C(1) << (m - port->mk - port->mi);
  *x = bytes_of_x(port, batches);
  return *x + batches * (COUNT_BYTES + 4 * sizeof(double)) + sizeof(double[LINES][LINE]);
}

static double gib(uint64_t bytes) {
  return (double)bytes / (double)(UINT64_C(1) << 30);
}

/* 48 KiB is what CUDA gives to arrays that a kernel declares, whatever the card has. */
static uint64_t local_bytes(const qn_device_info *info) {
  const uint64_t declared = UINT64_C(48) << 10;
  const bool capped = strcmp(info->backend, "cuda") == 0 && info->local_memory > declared;
  return capped ? declared : info->local_memory;
}

static qn_status check_block(const ep_port *port, const qn_device_info *info) {
  const uint64_t bytes = local_bytes(info);
  const int most = (int)(bytes / COUNT_BYTES);
  if (!port->use_sm || port->block <= most) return QN_OK;
  return qn_fail(
      QN_EUNSUPPORTED, "ep_port_open",
      "a block of %d needs %d bytes of shared memory for the counts of use_sm; %s has %llu, "
      "so a block of %d at most",
      port->block, port->block * COUNT_BYTES, info->id, (unsigned long long)bytes, most);
}

static qn_status too_large(const ep_port *port, int m, const char *where) {
  uint64_t x;
  const uint64_t need = ep_port_memory(port, m, &x);
  return qn_fail(
      QN_EUNSUPPORTED, "ep_port_open",
      "x takes 16 x 2^(%d - %d) bytes = %.2f GiB, counts and sums %.2f MiB more, and %s; "
      "each step of --mi halves it",
      m, port->mi, gib(x), 1024.0 * gib(need - x), where);
}

static qn_status check_memory(const ep_port *port, int m, const qn_device_info *info,
                              uint64_t pool_limit) {
  char where[128];
  uint64_t x;
  const uint64_t need = ep_port_memory(port, m, &x), counts = need - x;
  const uint64_t piece = x > counts ? x : counts;
  if (pool_limit && need > pool_limit) {
    snprintf(where, sizeof where, "the pool may hold %.2f GiB (QUERN_POOL_LIMIT)", gib(pool_limit));
    return too_large(port, m, where);
  }
  if (need <= info->memory && (!info->memory_max || piece <= info->memory_max)) return QN_OK;
  snprintf(where, sizeof where, "%s has %.2f GiB, %.2f in one piece", info->id, gib(info->memory),
           gib(info->memory_max));
  return too_large(port, m, where);
}

qn_status ep_port_check(const ep_port *port, int m, const qn_device_info *info,
                        uint64_t pool_limit) {
  if (!(info->dtypes & 1u << QN_F64))
    return qn_fail(QN_EUNSUPPORTED, "ep_port_open", "%s has no f64, which EP needs", info->id);
  if (port->mk + port->mi > m)
    return qn_fail(QN_EUNSUPPORTED, "ep_port_open",
                   "2^%d pairs make no batch of 2^%d in each of 2^%d passes: lower --mk or --mi", m,
                   port->mk, port->mi);
  const qn_status status = check_block(port, info);
  return status ? status : check_memory(port, m, info, pool_limit);
}

qn_status ep_port_check_on(const ep_port *port, int m, qn_device *device) {
  qn_device_info info;
  qn_pool_stats pool;
  qn_status status = qn_device_query(device, &info);
  if (!status) status = qn_pool_query(device, &pool);
  return status ? status : ep_port_check(port, m, &info, pool.limit);
}

/* ---- preparing ---- */

static void close(ep_engine *engine) {
  port_state *p = engine->state.device;
  qn_buffer_free(p->x);
  qn_buffer_free(p->q);
  qn_buffer_free(p->sums);
  qn_buffer_free(p->lines);
  qn_kernel_free(p->batch);
  qn_kernel_free(p->collect);
  qn_host_free(p, sizeof *p);
  *engine = (ep_engine){0};
}

static qn_status compile(port_state *p) {
  const ep_port *port = &p->port;
  char options[160];
  snprintf(options, sizeof options,
           "-DEP_BLOCK=%d -DEP_LAYOUT=%d -DEP_USE_SM=%d -DEP_Q_COALESCED=%d", port->block,
           port->coalesced         ? 1
           : port->coalesced_block ? 2
                                   : 0,
           port->use_sm, port->q_coalesced);
  qn_device *device = qn_stream_device(p->stream);
  qn_status status = qn_kernel_create(device, "ep_batch", npb_ep_port_source, options, &p->batch);
  if (!status)
    status = qn_kernel_create(device, "ep_collect", npb_ep_port_source, options, &p->collect);
  return status;
}

static qn_status allocate(port_state *p) {
  qn_device *device = qn_stream_device(p->stream);
  const struct {
    qn_buffer **buffer;
    size_t bytes;
  } wanted[] = {{&p->x, (size_t)bytes_of_x(&p->port, (uint64_t)p->batches)},
                {&p->q, (size_t)p->batches * COUNT_BYTES},
                {&p->sums, (size_t)p->batches * 4 * sizeof(double)},
                {&p->lines, sizeof(double[LINES][LINE])}};
  qn_status status = QN_OK;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !status; i++)
    status = qn_buffer_alloc(device, QN_MEMORY_DEVICE, wanted[i].bytes, wanted[i].buffer);
  return status;
}

/* One pass over batches of 2^mk pairs; `batches` fewer than those allocated warm the kernels up. */
static qn_status pass(port_state *p, int number, int mk, int64_t batches) {
  const uint64_t pairs = UINT64_C(1) << p->port.mk;
  const uint64_t before = (uint64_t)number * (uint64_t)p->batches * pairs;
  const qn_kernel_arg of_batch[] = {qn_arg_i64((int64_t)npb_lcg_skip(EP_SEED, 2 * before)),
                                    qn_arg_i64((int64_t)npb_lcg_power(2 * pairs)),
                                    qn_arg_i32(mk),
                                    qn_arg_i64(batches),
                                    qn_arg_buffer(p->x),
                                    qn_arg_buffer(p->q),
                                    qn_arg_buffer(p->sums)};
  const qn_kernel_arg of_collect[] = {qn_arg_buffer(p->q), qn_arg_buffer(p->sums),
                                      qn_arg_i64(batches), qn_arg_buffer(p->lines)};
  const qn_grid many = qn_grid_1d((uint64_t)batches, (uint32_t)p->port.block);
  const qn_grid few = {{LINES, 1, 1}, {COLLECT_GROUP, 1, 1}};
  qn_status status = qn_kernel_launch(p->stream, p->batch, many, of_batch, 7);
  if (!status) status = qn_kernel_launch(p->stream, p->collect, few, of_collect, 4);
  return status;
}

static qn_status clear(port_state *p) {
  return qn_fill(p->stream, p->lines, 0, sizeof(double[LINES][LINE]), 0, 4);
}

static qn_status warm(port_state *p) {
  qn_status status = clear(p);
  if (!status) status = pass(p, 0, 0, 1);
  return status ? status : qn_stream_sync(p->stream);
}

/* ---- running ---- */

static qn_status make(port_state *p, const npb_progress *progress) {
  enum { AT_ONCE = 16 }; /* passes in flight */
  const int passes = 1 << p->port.mi;
  qn_status status = clear(p);
  for (int i = 0; i < passes && !status; i++) {
    status = pass(p, i, p->port.mk, p->batches);
    if (!status && i % AT_ONCE == AT_ONCE - 1) status = qn_stream_sync(p->stream);
    npb_say(progress, (double)i / passes);
  }
  return status ? status : qn_stream_sync(p->stream);
}

static qn_status run(ep_engine *engine, const npb_progress *progress, ep_sums *rows,
                     double *end_seconds) {
  port_state *p = engine->state.device;
  double lines[LINES][LINE];
  qn_status status = make(p, progress);
  const double made = npb_now();
  if (!status) status = qn_copy_out(p->stream, lines, p->lines, 0, sizeof lines);
  if (!status) status = qn_stream_sync(p->stream);
  if (status) return status;
  memset(rows, 0, EP_ROWS * sizeof *rows);
  for (int i = 0; i < LINES; i++) {
    rows[i] = (ep_sums){lines[i][0], lines[i][1], lines[i][2], lines[i][3], {0}};
    for (int bin = 0; bin < EP_BINS; bin++) rows[i].count[bin] = (uint64_t)lines[i][4 + bin];
  }
  *end_seconds = npb_now() - made;
  return QN_OK;
}

qn_status ep_port_open(const ep_port *port, int m, qn_stream *stream, ep_engine *engine) {
  *engine = (ep_engine){0};
  qn_status status = ep_port_check_on(port, m, qn_stream_device(stream));
  if (status) return status;
  port_state *p = qn_host_zalloc(sizeof *p);
  if (!p) return qn_fail(QN_ENOMEM, "ep_port_open", "no host memory");
  *engine = (ep_engine){.run = run, .close = close, .share = {m, 0, EP_ROWS}};
  engine->state.device = p;
  uint64_t x;
  engine->memory = ep_port_memory(port, m, &x);
  ep_port_name(port, engine->variant, sizeof engine->variant);
  p->port = *port;
  p->stream = stream;
  p->batches = INT64_C(1) << (m - port->mk - port->mi);
  status = compile(p);
  if (!status) status = allocate(p);
  if (!status) status = warm(p);
  if (status) close(engine);
  return status;
}
