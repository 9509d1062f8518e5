/* The table of the decorator: each slot counts, fails if it is its turn, and else passes on. */
#include "backends/faults/faults.h"
#include "backends/faults/inner.h"
#include "device/device.h"
#include <stdio.h>
#include <string.h>

/* Each object stands before the real one. */
struct qn_bdev {
  const qn_backend_ops *ops;
  qn_bdev *real;
};
struct qn_bstream {
  const qn_backend_ops *ops;
  qn_bstream *real;
};
struct qn_bevent {
  const qn_backend_ops *ops;
  qn_bevent *real;
};
struct qn_bmodule {
  const qn_backend_ops *ops;
  qn_bmodule *real;
};

static const qn_backend_ops *inner_of(unsigned index) {
  unsigned backend = index / QN_FAULTS_STRIDE;
  return backend < qn_backend_count ? qn_backend_list[backend] : NULL;
}

/* Makes the object that stands before a real one; both begin alike. */
#define WRAP(object, inner_ops)                                                                    \
  ((object) = qn_host_zalloc(sizeof *(object)),                                                    \
   (object) ? ((object)->ops = (inner_ops), QN_OK)                                                 \
            : qn_fail(QN_ENOMEM, "faults", "no memory for the wrapper"))

static qn_status faults_probe(unsigned *count, char *message, size_t message_size) {
  *count = 0;
  snprintf(message, message_size, "opened by name alone: faults+NAME");
  return QN_OK;
}

static qn_status faults_query(unsigned index, qn_device_info *info) {
  const qn_backend_ops *ops = inner_of(index);
  if (!ops) return qn_fail(QN_ENODEVICE, "faults", "no backend %u", index / QN_FAULTS_STRIDE);
  qn_status status = ops->query(index % QN_FAULTS_STRIDE, info);
  if (status != QN_OK) return status;
  char id[sizeof info->id];
  memcpy(id, info->id, sizeof id);
  snprintf(info->id, sizeof info->id, "faults+%.*s", (int)sizeof info->id - 8, id);
  return QN_OK;
}

static qn_status faults_open(unsigned index, qn_bdev **out) {
  qn_faults_environment();
  const qn_backend_ops *ops = inner_of(index);
  if (!ops) return qn_fail(QN_ENODEVICE, "faults", "no backend %u", index / QN_FAULTS_STRIDE);
  qn_status status = qn_fault(QN_FAULT_OTHER, "open");
  if (status != QN_OK) return status;
  qn_bdev *dev;
  status = WRAP(dev, ops);
  if (status != QN_OK) return status;
  status = ops->open(index % QN_FAULTS_STRIDE, &dev->real);
  if (status != QN_OK)
    qn_host_free(dev, sizeof *dev);
  else
    *out = dev;
  return status;
}

static void faults_close(qn_bdev *dev) {
  dev->ops->close(dev->real);
  qn_host_free(dev, sizeof *dev);
}

/* ---- memory ---- */

static qn_status faults_alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem) {
  qn_status status = qn_fault(QN_FAULT_ALLOC, "alloc");
  return status == QN_OK ? dev->ops->alloc(dev->real, kind, bytes, mem) : status;
}

static void faults_free(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  dev->ops->free(dev->real, kind, mem);
}

static void *faults_host(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  return dev->ops->host(dev->real, kind, mem);
}

/* ---- streams ---- */

static qn_status faults_stream_new(qn_bdev *dev, void *native, qn_bstream **out) {
  qn_status status = qn_fault(QN_FAULT_OTHER, "stream_new");
  if (status != QN_OK) return status;
  qn_bstream *stream;
  status = WRAP(stream, dev->ops);
  if (status != QN_OK) return status;
  status = dev->ops->stream_new(dev->real, native, &stream->real);
  if (status != QN_OK)
    qn_host_free(stream, sizeof *stream);
  else
    *out = stream;
  return status;
}

static void faults_stream_free(qn_bstream *stream) {
  stream->ops->stream_free(stream->real);
  qn_host_free(stream, sizeof *stream);
}

static qn_status faults_sync(qn_bstream *stream) {
  qn_status status = stream->ops->sync(stream->real);
  qn_status fault = qn_fault(QN_FAULT_SYNC, "sync");
  return status == QN_OK ? fault : status;
}

static qn_status faults_copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                                const qn_rect *rect) {
  qn_status status = qn_fault(QN_FAULT_COPY, "copy_in");
  return status == QN_OK ? stream->ops->copy_in(stream->real, dst, dst_offset, src, rect) : status;
}

static qn_status faults_copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                                 const qn_rect *rect) {
  qn_status status = qn_fault(QN_FAULT_COPY, "copy_out");
  return status == QN_OK ? stream->ops->copy_out(stream->real, dst, src, src_offset, rect) : status;
}

static qn_status faults_copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                             size_t src_offset, const qn_rect *rect) {
  qn_status status = qn_fault(QN_FAULT_COPY, "copy");
  if (status != QN_OK) return status;
  return stream->ops->copy(stream->real, dst, dst_offset, src, src_offset, rect);
}

static qn_status faults_fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes,
                             uint32_t pattern, unsigned width) {
  qn_status status = qn_fault(QN_FAULT_COPY, "fill");
  if (status != QN_OK) return status;
  return stream->ops->fill(stream->real, dst, offset, bytes, pattern, width);
}

/* ---- events ---- */

static qn_status faults_event_new(qn_bdev *dev, qn_bevent **out) {
  qn_status status = qn_fault(QN_FAULT_OTHER, "event_new");
  if (status != QN_OK) return status;
  qn_bevent *event;
  status = WRAP(event, dev->ops);
  if (status != QN_OK) return status;
  status = dev->ops->event_new(dev->real, &event->real);
  if (status != QN_OK)
    qn_host_free(event, sizeof *event);
  else
    *out = event;
  return status;
}

static void faults_event_free(qn_bevent *event) {
  event->ops->event_free(event->real);
  qn_host_free(event, sizeof *event);
}

static qn_status faults_event_record(qn_bevent *event, qn_bstream *stream) {
  qn_status status = qn_fault(QN_FAULT_SYNC, "event_record");
  return status == QN_OK ? event->ops->event_record(event->real, stream->real) : status;
}

static qn_status faults_event_wait(qn_bevent *event, qn_bstream *stream) {
  qn_status status = qn_fault(QN_FAULT_SYNC, "event_wait");
  return status == QN_OK ? event->ops->event_wait(event->real, stream->real) : status;
}

static qn_status faults_event_sync(qn_bevent *event) {
  qn_status status = event->ops->event_sync(event->real);
  qn_status fault = qn_fault(QN_FAULT_SYNC, "event_sync");
  return status == QN_OK ? fault : status;
}

static qn_status faults_event_query(qn_bevent *event, bool *done) {
  qn_status status = qn_fault(QN_FAULT_SYNC, "event_query");
  return status == QN_OK ? event->ops->event_query(event->real, done) : status;
}

static qn_status faults_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds) {
  qn_status status = qn_fault(QN_FAULT_SYNC, "event_elapsed");
  return status == QN_OK ? start->ops->event_elapsed(start->real, stop->real, seconds) : status;
}

/* ---- kernels ---- */

static qn_status no_kernels(const qn_backend_ops *ops) {
  return qn_fail(QN_EUNSUPPORTED, "faults", "the %s backend has no kernels", ops->name);
}

static qn_status faults_identity(qn_bdev *dev, char *text, size_t size) {
  if (!dev->ops->identity) return no_kernels(dev->ops);
  return dev->ops->identity(dev->real, text, size);
}

static qn_status faults_compile(qn_bdev *dev, const qn_source *source, qn_blob *binary,
                                char **log) {
  if (!dev->ops->compile) return no_kernels(dev->ops);
  qn_status status = qn_fault(QN_FAULT_OTHER, "compile");
  return status == QN_OK ? dev->ops->compile(dev->real, source, binary, log) : status;
}

static qn_status faults_module_load(qn_bdev *dev, const qn_blob *binary, qn_bmodule **out) {
  if (!dev->ops->module_load) return no_kernels(dev->ops);
  qn_status status = qn_fault(QN_FAULT_OTHER, "module_load");
  if (status != QN_OK) return status;
  qn_bmodule *module;
  status = WRAP(module, dev->ops);
  if (status != QN_OK) return status;
  status = dev->ops->module_load(dev->real, binary, &module->real);
  if (status != QN_OK)
    qn_host_free(module, sizeof *module);
  else
    *out = module;
  return status;
}

static void faults_module_free(qn_bmodule *module) {
  module->ops->module_free(module->real);
  qn_host_free(module, sizeof *module);
}

/* Kernels are the real ones: they are only ever handed back to launch. */
static qn_status faults_kernel_get(qn_bmodule *module, const char *name, qn_bkernel **kernel,
                                   qn_kernel_info *info) {
  qn_status status = qn_fault(QN_FAULT_OTHER, "kernel_get");
  return status == QN_OK ? module->ops->kernel_get(module->real, name, kernel, info) : status;
}

static qn_status faults_launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *launch,
                               const qn_arg *args, unsigned count) {
  if (!stream->ops->launch) return no_kernels(stream->ops);
  qn_status status = qn_fault(QN_FAULT_LAUNCH, "launch");
  return status == QN_OK ? stream->ops->launch(stream->real, kernel, launch, args, count) : status;
}

static qn_status faults_resources(qn_bdev *dev, qn_bkernel *kernel, qn_kernel_info *info) {
  return dev->ops->resources ? dev->ops->resources(dev->real, kernel, info) : QN_OK;
}

static qn_status faults_residency(qn_bdev *dev, qn_bkernel *kernel, uint32_t group, uint32_t *items,
                                  uint32_t *most) {
  *items = *most = 0;
  if (!dev->ops->residency) return QN_OK;
  return dev->ops->residency(dev->real, kernel, group, items, most);
}

static const void *faults_proc(qn_bdev *dev, const char *name) {
  const void *real = dev->ops->proc ? dev->ops->proc(dev->real, name) : NULL;
  return strcmp(name, QN_PROC_CPU_OPS) == 0 ? qn_faults_cpu_ops(real) : real;
}

const qn_backend_ops qn_faults_backend = {
    .abi = QN_BACKEND_ABI,
    .name = "faults",
    .probe = faults_probe,
    .query = faults_query,
    .open = faults_open,
    .close = faults_close,
    .alloc = faults_alloc,
    .free = faults_free,
    .host = faults_host,
    .stream_new = faults_stream_new,
    .stream_free = faults_stream_free,
    .sync = faults_sync,
    .copy_in = faults_copy_in,
    .copy_out = faults_copy_out,
    .copy = faults_copy,
    .fill = faults_fill,
    .event_new = faults_event_new,
    .event_free = faults_event_free,
    .event_record = faults_event_record,
    .event_wait = faults_event_wait,
    .event_sync = faults_event_sync,
    .event_query = faults_event_query,
    .event_elapsed = faults_event_elapsed,
    .identity = faults_identity,
    .compile = faults_compile,
    .module_load = faults_module_load,
    .module_free = faults_module_free,
    .kernel_get = faults_kernel_get,
    .launch = faults_launch,
    .resources = faults_resources,
    .residency = faults_residency,
    .proc = faults_proc,
};
