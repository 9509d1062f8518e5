/* Opening, the ceilings, and the running of one row. */
#include "probe/families.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t largest_set(const qn_device_info *info) {
  const int64_t floor_bytes = info->kind == QN_DEVICE_GPU ? (int64_t)1 << 31 : (int64_t)1 << 26;
  int64_t bytes = floor_bytes;
  while (bytes < 4 * (int64_t)info->cache) bytes *= 2;
  while (bytes > 1 << 20 && (uint64_t)bytes * 4 > info->memory) bytes /= 2;
  while (bytes > 1 << 20 && (uint64_t)bytes > info->memory_max) bytes /= 2;
  return bytes;
}

static void set_defaults(probe *p) {
  probe_settings *s = &p->settings;
  if (!s->order) s->order = 1024;
  if (!s->block) s->block = 256;
  if (!s->bytes) s->bytes = largest_set(&p->info);
  if (s->seconds <= 0.0) s->seconds = 0.05;
}

qn_status probe_open(qn_stream *stream, const probe_settings *settings, probe **out) {
  probe *p = calloc(1, sizeof *p);
  if (!p) return QN_ENOMEM;
  p->stream = stream;
  p->device = qn_stream_device(stream);
  p->settings = *settings;
  qn_status status = qn_device_query(p->device, &p->info);
  if (!status) status = qn_event_create(p->device, &p->start);
  if (!status) status = qn_event_create(p->device, &p->stop);
  if (status) {
    probe_close(p);
    return status;
  }
  set_defaults(p);
  *out = p;
  return QN_OK;
}

void probe_close(probe *p) {
  if (!p) return;
  probe_release(p);
  qn_event_free(p->start);
  qn_event_free(p->stop);
  free(p);
}

const probe_ceilings *probe_get_ceilings(const probe *p) {
  return &p->ceilings;
}

const probe_row *probe_find_row(const char *name) {
  for (const probe_row *row = probe_rows; row->name; row++)
    if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

/* Where a row that this device has no kernels for can be seen. */
static const char *where_else(bool on_cpu) {
  return on_cpu ? "the cpu device has no compiler for kernels; opencl:N shows it where OpenCL is "
                  "installed"
                : "it shows an effect of the host's processor: --device cpu";
}

/* What the row needs and the device lacks; NULL when it has all. */
static const char *what_is_missing(const probe *p, const probe_row *row) {
  if (row->needs & PROBE_NEEDS_LOCAL && p->info.local_memory == 0)
    return "the device has no local memory";
  if (row->needs & PROBE_NEEDS_F64 && !(p->info.dtypes & 1u << QN_F64))
    return "the device does not compute in f64";
  if (row->needs & PROBE_NEEDS_NVIDIA && !probe_nvidia_arch(p))
    return "the device has no tensor cores that are known here";
  return NULL;
}

qn_status probe_run(probe *p, const probe_row *row, probe_result *result) {
  *result = (probe_result){.row = row};
  const bool on_cpu = probe_on_cpu(p);
  void (*const measure)(probe *) = on_cpu ? row->on_cpu : row->on_device;
  const char *missing = !measure ? where_else(on_cpu) : on_cpu ? NULL : what_is_missing(p, row);
  if (!measure || missing) {
    snprintf(result->left_out, sizeof result->left_out, "%s", missing);
    return QN_OK;
  }
  p->result = result;
  p->status = QN_OK;
  measure(p);
  probe_release(p);
  p->result = NULL;
  /* What a driver cannot do, a timer that a queue lacks say, is no failure of the machine. */
  if (p->status != QN_EUNSUPPORTED) return p->status;
  snprintf(result->left_out, sizeof result->left_out, "%s", qn_last_error());
  return QN_OK;
}

qn_status probe_measure_ceilings(probe *p) {
  static const probe_row memory = {
      .name = "memory", .on_device = probe_memory_kernels, .on_cpu = probe_memory_cpu};
  static const probe_row local = {
      .name = "local", .needs = PROBE_NEEDS_LOCAL, .on_device = probe_local_kernels};
  static const probe_row arithmetic = {
      .name = "arithmetic", .on_device = probe_peak_kernels, .on_cpu = probe_peak_cpu};
  probe_result *r = malloc(sizeof *r);
  if (!r) return QN_ENOMEM;
  probe_ceilings *c = &p->ceilings;
  qn_status status = probe_run(p, &memory, r);
  for (unsigned i = 0; i < r->count && !status; i++)
    c->memory = fmax(c->memory, probe_best(&r->figure[i]));
  const bool banks = p->info.kind == QN_DEVICE_GPU; /* elsewhere local memory is a cache's */
  if (!status && banks) status = probe_run(p, &local, r);
  for (unsigned i = 0; banks && i < r->count && !status; i++)
    c->local = fmax(c->local, probe_best(&r->figure[i]));
  if (!status) status = probe_run(p, &arithmetic, r);
  for (unsigned i = 0; i < r->count && !status; i++) {
    double *ceiling = &c->compute[r->figure[i].arithmetic];
    *ceiling = fmax(*ceiling, probe_best(&r->figure[i]));
  }
  free(r);
  return status;
}
