/* The table of the cpu: memory is the host's, work runs inline in the call that asks for it.
 *
 * So a stream has no state, a wait is already over, and an event is the time of day. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/host_info.h"
#include "device/device.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Objects without state: one of each serves everybody. */
struct qn_bdev {
  char unused;
};
struct qn_bstream {
  char unused;
};
struct qn_bevent {
  struct timespec time;
};

static qn_bdev the_device;
static qn_bstream the_stream;

static qn_status cpu_probe(unsigned *count, char *message, size_t message_size) {
  *count = 1;
  qn_host_cpu_name(message, message_size);
  return QN_OK;
}

static qn_status cpu_query(unsigned index, qn_device_info *info) {
  if (index != 0) return qn_fail(QN_ENODEVICE, "cpu query", "no device cpu:%u", index);
  memset(info, 0, sizeof *info);
  snprintf(info->id, sizeof info->id, "cpu");
  snprintf(info->backend, sizeof info->backend, "cpu");
  qn_host_cpu_name(info->name, sizeof info->name);
  snprintf(info->arch, sizeof info->arch, "%s", qn_cpu_ops_get()->isa);
  info->kind = QN_DEVICE_CPU;
  info->dtypes = (1u << QN_DTYPE_COUNT) - 1;
  info->compute_units = (unsigned)qn_cores();
  info->clock_mhz = qn_host_clock_mhz();
  info->memory = qn_host_memory();
  info->memory_max = info->memory;
  info->cache = qn_host_last_cache();
  return QN_OK;
}

static qn_status cpu_open(unsigned index, qn_bdev **dev) {
  (void)index;
  *dev = &the_device;
  return QN_OK;
}

static void cpu_close(qn_bdev *dev) {
  (void)dev;
}

/* The host's allocator wants the size back at the free: it stands before the block.
 *
 *   |<- QN_HOST_ALIGN ->|
 *   +------+------------+-----------------
 *   | size |            | the block ...
 *   +------+------------+----------------- */
static qn_status cpu_alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem) {
  (void)dev;
  (void)kind;
  size_t whole;
  char *base = qn_add_size(bytes, QN_HOST_ALIGN, &whole) ? qn_host_alloc(whole) : NULL;
  if (!base) return qn_fail(QN_EDEVMEM, "qn_buffer_alloc", "no host memory for %zu bytes", bytes);
  memcpy(base, &whole, sizeof whole);
  *mem = (qn_mem)(base + QN_HOST_ALIGN);
  return QN_OK;
}

static char *at(qn_mem mem, size_t offset) {
  return (char *)mem + offset; // NOLINT(performance-no-int-to-ptr): made from a pointer above
}

static void cpu_free(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev;
  (void)kind;
  char *base = at(mem, 0) - QN_HOST_ALIGN;
  size_t whole;
  memcpy(&whole, base, sizeof whole);
  qn_host_free(base, whole);
}

static void *cpu_host(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev;
  (void)kind;
  return at(mem, 0);
}

static qn_status cpu_stream_new(qn_bdev *dev, void *native, qn_bstream **stream) {
  (void)dev;
  if (native) return qn_fail(QN_EUNSUPPORTED, "qn_stream_wrap", "the cpu has no native streams");
  *stream = &the_stream;
  return QN_OK;
}

static void cpu_stream_free(qn_bstream *stream) {
  (void)stream;
}

static qn_status cpu_sync(qn_bstream *stream) {
  (void)stream;
  return QN_OK;
}

static void copy_rect(char *dst, const char *src, const qn_rect *rect) {
  for (size_t i = 0; i < rect->height; i++)
    memcpy(dst + i * rect->dst_pitch, src + i * rect->src_pitch, rect->width);
}

static qn_status cpu_copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                             const qn_rect *rect) {
  (void)stream;
  copy_rect(at(dst, dst_offset), src, rect);
  return QN_OK;
}

static qn_status cpu_copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                              const qn_rect *rect) {
  (void)stream;
  copy_rect(dst, at(src, src_offset), rect);
  return QN_OK;
}

static qn_status cpu_copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                          size_t src_offset, const qn_rect *rect) {
  (void)stream;
  copy_rect(at(dst, dst_offset), at(src, src_offset), rect);
  return QN_OK;
}

/* Writes the pattern once, then doubles what is written. */
static qn_status cpu_fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes,
                          uint32_t pattern, unsigned width) {
  (void)stream;
  char *to = at(dst, offset);
  if (width == 1) {
    memset(to, (int)(pattern & 0xff), bytes);
    return QN_OK;
  }
  const uint16_t half = (uint16_t)pattern;
  memcpy(to, width == 2 ? (const void *)&half : (const void *)&pattern, width);
  for (size_t done = width; done < bytes; done *= 2)
    memcpy(to + done, to, done < bytes - done ? done : bytes - done);
  return QN_OK;
}

static qn_status cpu_event_new(qn_bdev *dev, qn_bevent **event) {
  (void)dev;
  *event = qn_host_zalloc(sizeof **event);
  return *event ? QN_OK : qn_fail(QN_ENOMEM, "qn_event_create", "no memory for the event");
}

static void cpu_event_free(qn_bevent *event) {
  qn_host_free(event, sizeof *event);
}

static qn_status cpu_event_record(qn_bevent *event, qn_bstream *stream) {
  (void)stream;
  clock_gettime(CLOCK_MONOTONIC, &event->time);
  return QN_OK;
}

static qn_status cpu_event_wait(qn_bevent *event, qn_bstream *stream) {
  (void)event;
  (void)stream;
  return QN_OK;
}

static qn_status cpu_event_sync(qn_bevent *event) {
  (void)event;
  return QN_OK;
}

static qn_status cpu_event_query(qn_bevent *event, bool *done) {
  (void)event;
  *done = true;
  return QN_OK;
}

static qn_status cpu_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds) {
  *seconds = (double)(stop->time.tv_sec - start->time.tv_sec) +
             1e-9 * (double)(stop->time.tv_nsec - start->time.tv_nsec);
  return QN_OK;
}

static const void *cpu_proc(qn_bdev *dev, const char *name) {
  (void)dev;
  if (strcmp(name, QN_PROC_CPU_OPS) != 0) return NULL;
  return qn_cpu_ops_get();
}

const qn_backend_ops qn_cpu_backend = {
    .abi = QN_BACKEND_ABI,
    .name = "cpu",
    .probe = cpu_probe,
    .query = cpu_query,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .host = cpu_host,
    .stream_new = cpu_stream_new,
    .stream_free = cpu_stream_free,
    .sync = cpu_sync,
    .copy_in = cpu_copy_in,
    .copy_out = cpu_copy_out,
    .copy = cpu_copy,
    .fill = cpu_fill,
    .event_new = cpu_event_new,
    .event_free = cpu_event_free,
    .event_record = cpu_event_record,
    .event_wait = cpu_event_wait,
    .event_sync = cpu_event_sync,
    .event_query = cpu_event_query,
    .event_elapsed = cpu_event_elapsed,
    .proc = cpu_proc,
};
