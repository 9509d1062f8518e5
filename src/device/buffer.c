/* Buffers: memory from the pool or of the caller, and copies between it and the host. */
#include "device/device.h"

qn_status qn_buffer_alloc(qn_device *device, qn_memory kind, size_t bytes, qn_buffer **buffer) {
  static const char function[] = "qn_buffer_alloc";
  if (!buffer) return qn_fail(QN_EINVAL, function, "buffer is NULL");
  *buffer = NULL;
  if (kind != QN_MEMORY_DEVICE && kind != QN_MEMORY_PINNED)
    return qn_fail(QN_EINVAL, function, "kind is %d", (int)kind);
  qn_status status = qn_device_check(device, function);
  return status == QN_OK ? qn_pool_take(device, kind, bytes, NULL, buffer) : status;
}

qn_status qn_buffer_wrap(qn_device *device, void *native, size_t bytes, qn_buffer **out) {
  static const char function[] = "qn_buffer_wrap";
  if (!out) return qn_fail(QN_EINVAL, function, "buffer is NULL");
  *out = NULL;
  if (!native && bytes) return qn_fail(QN_EINVAL, function, "native is NULL, bytes is %zu", bytes);
  qn_status status = qn_device_check(device, function);
  if (status != QN_OK) return status;
  qn_buffer *buffer = qn_host_zalloc(sizeof *buffer);
  if (!buffer) return qn_fail(QN_ENOMEM, function, "no memory for the buffer");
  buffer->device = device;
  buffer->mem = (qn_mem)native;
  buffer->size = bytes;
  buffer->kind = QN_MEMORY_DEVICE;
  buffer->wrapped = true;
  buffer->host = device->ops->host(device->handle, QN_MEMORY_DEVICE, buffer->mem);
  qn_device_retain(device);
  *out = buffer;
  return QN_OK;
}

void qn_buffer_free(qn_buffer *buffer) {
  if (!buffer) return;
  if (!buffer->wrapped) {
    qn_pool_give(buffer);
    return;
  }
  qn_device *device = buffer->device;
  qn_host_free(buffer, sizeof *buffer);
  qn_device_release(device);
}

size_t qn_buffer_size(const qn_buffer *buffer) {
  return buffer ? buffer->size : 0;
}

qn_device *qn_buffer_device(const qn_buffer *buffer) {
  return buffer ? buffer->device : NULL;
}

/* The library cannot order what the caller does by these: what a former life of the block left
 * pending is waited for here. The buffer is const to the caller alone. */
static void settle(const qn_buffer *buffer) {
  if (atomic_load(&buffer->pending)) qn_buffer_settle((qn_buffer *)buffer);
}

void *qn_buffer_host(const qn_buffer *buffer) {
  if (!buffer || !buffer->host) return NULL;
  settle(buffer);
  return buffer->host;
}

void *qn_buffer_native(const qn_buffer *buffer) {
  if (!buffer) return NULL;
  settle(buffer);
  return (void *)buffer->mem; // NOLINT(performance-no-int-to-ptr): handles are pointers or numbers
}

qn_status qn_scratch_alloc(qn_stream *stream, size_t bytes, qn_buffer **buffer) {
  qn_status status = qn_pool_take(stream->device, QN_MEMORY_DEVICE, bytes, stream, buffer);
  if (status != QN_OK) return status;
  status = qn_buffer_use(*buffer, stream);
  if (status == QN_OK) return QN_OK;
  qn_buffer_free(*buffer);
  *buffer = NULL;
  return status;
}

/* The stream is among those that used it: nothing else is needed to keep the order. */
void qn_scratch_free(qn_stream *stream, qn_buffer *buffer) {
  (void)stream;
  qn_buffer_free(buffer);
}

/* ---- copies ---- */

/* Checks that bytes [offset, offset + bytes) of a buffer may be used on a stream, and readies it.
 */
static qn_status check_range(const char *function, const char *argument, qn_stream *stream,
                             const qn_buffer *buffer, size_t offset, size_t bytes) {
  if (!buffer) return qn_fail(QN_EINVAL, function, "%s is NULL", argument);
  if (buffer->device != stream->device)
    return qn_fail(QN_EINVAL, function, "%s is of device %s, the stream of %s", argument,
                   buffer->device->info.id, stream->device->info.id);
  if (offset > buffer->size || bytes > buffer->size - offset)
    return qn_fail(QN_EINVAL, function, "%zu bytes at %zu of %s, which has %zu", bytes, offset,
                   argument, buffer->size);
  return bytes ? qn_buffer_use((qn_buffer *)buffer, stream) : QN_OK;
}

static qn_status finish(qn_stream *stream, double begun, size_t bytes, qn_status status) {
  status = qn_stream_result(stream, status);
  if (status != QN_OK) return status;
  return qn_trace_end(
      stream, begun,
      (qn_trace_step){.kind = "copy", .variant = "", .why = "", .bytes = (double)bytes});
}

static qn_rect line(size_t bytes) {
  return (qn_rect){bytes, 1, bytes, bytes};
}

qn_status qn_copy_in(qn_stream *stream, qn_buffer *dst, size_t dst_offset, const void *src,
                     size_t bytes) {
  static const char function[] = "qn_copy_in";
  qn_status status = qn_stream_check(stream, function);
  if (status == QN_OK) status = check_range(function, "dst", stream, dst, dst_offset, bytes);
  if (status != QN_OK || bytes == 0) return status;
  if (!src) return qn_fail(QN_EINVAL, function, "src is NULL");
  double begun = qn_trace_begin(stream);
  qn_rect rect = line(bytes);
  status = stream->device->ops->copy_in(stream->handle, dst->mem, dst_offset, src, &rect);
  return finish(stream, begun, bytes, status);
}

qn_status qn_copy_out(qn_stream *stream, void *dst, const qn_buffer *src, size_t src_offset,
                      size_t bytes) {
  static const char function[] = "qn_copy_out";
  qn_status status = qn_stream_check(stream, function);
  if (status == QN_OK) status = check_range(function, "src", stream, src, src_offset, bytes);
  if (status != QN_OK || bytes == 0) return status;
  if (!dst) return qn_fail(QN_EINVAL, function, "dst is NULL");
  qn_recall(stream, dst, bytes);
  double begun = qn_trace_begin(stream);
  qn_rect rect = line(bytes);
  status = stream->device->ops->copy_out(stream->handle, dst, src->mem, src_offset, &rect);
  return finish(stream, begun, bytes, status);
}

qn_status qn_copy(qn_stream *stream, qn_buffer *dst, size_t dst_offset, const qn_buffer *src,
                  size_t src_offset, size_t bytes) {
  static const char function[] = "qn_copy";
  qn_status status = qn_stream_check(stream, function);
  if (status == QN_OK) status = check_range(function, "dst", stream, dst, dst_offset, bytes);
  if (status == QN_OK) status = check_range(function, "src", stream, src, src_offset, bytes);
  if (status != QN_OK || bytes == 0) return status;
  if (dst == src && dst_offset < src_offset + bytes && src_offset < dst_offset + bytes)
    return qn_fail(QN_EINVAL, function, "dst [%zu, %zu) and src [%zu, %zu) overlap", dst_offset,
                   dst_offset + bytes, src_offset, src_offset + bytes);
  double begun = qn_trace_begin(stream);
  qn_rect rect = line(bytes);
  status =
      stream->device->ops->copy(stream->handle, dst->mem, dst_offset, src->mem, src_offset, &rect);
  return finish(stream, begun, bytes, status);
}

qn_status qn_fill(qn_stream *stream, qn_buffer *dst, size_t offset, size_t bytes, uint32_t pattern,
                  unsigned width) {
  static const char function[] = "qn_fill";
  qn_status status = qn_stream_check(stream, function);
  if (status != QN_OK) return status;
  if (width != 1 && width != 2 && width != 4)
    return qn_fail(QN_EINVAL, function, "width is %u, not 1, 2 or 4", width);
  if (offset % width || bytes % width)
    return qn_fail(QN_EINVAL, function, "offset %zu or bytes %zu is no multiple of width %u",
                   offset, bytes, width);
  status = check_range(function, "dst", stream, dst, offset, bytes);
  if (status != QN_OK || bytes == 0) return status;
  double begun = qn_trace_begin(stream);
  status = stream->device->ops->fill(stream->handle, dst->mem, offset, bytes, pattern, width);
  return finish(stream, begun, bytes, status);
}
