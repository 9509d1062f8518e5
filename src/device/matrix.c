/* Matrix views: their checks, and copies of rectangles between host and device. */
#include "device/device.h"

/* Whether the buffer begins where elements may, as far as it is told. The cpu reads a complex
 * element by its parts, kernels whole; a misaligned read would cost the device's context. */
static bool begins_aligned(const qn_buffer *b, qn_dtype dtype) {
  const size_t element = qn_dtype_size(dtype);
  const bool parts = b->device->cpu && qn_dtype_is_complex(dtype);
  uintptr_t begin = b->device->ops->addresses ? b->mem : 0;
  if (b->host) begin = (uintptr_t)b->host;
  return (begin & ((parts ? element / 2 : element) - 1)) == 0;
}

/* Why a view is refused: NULL when it is right. */
static const char *fault_of(qn_matrix m) {
  if (m.rows < 0 || m.cols < 0) return "has a negative size";
  if (m.ld < qn_max64(1, m.rows)) return "has an ld below max(1, rows)";
  if (m.offset < 0) return "has a negative offset";
  size_t element = qn_dtype_size(m.dtype); /* a power of two */
  if (!begins_aligned(m.buffer, m.dtype)) return "is not aligned to its elements";
  if (m.rows == 0 || m.cols == 0) return NULL;
  int64_t end;
  if (__builtin_mul_overflow(m.cols - 1, m.ld, &end) ||
      __builtin_add_overflow(end, m.offset, &end) || __builtin_add_overflow(end, m.rows, &end))
    return "has a size beyond 64 bits";
  if ((uint64_t)end > m.buffer->size >> __builtin_ctzll(element)) return "reaches past its buffer";
  return NULL;
}

qn_status qn_matrix_check(qn_stream *stream, qn_matrix m, const char *function,
                          const char *argument) {
  if (!m.buffer) return qn_fail(QN_EINVAL, function, "%s has no buffer", argument);
  if (m.buffer->device != stream->device)
    return qn_fail(QN_EINVAL, function, "%s is of device %s, the stream of %s", argument,
                   m.buffer->device->info.id, stream->device->info.id);
  if (!qn_dtype_size(m.dtype))
    return qn_fail(QN_EINVAL, function, "%s has dtype %d", argument, (int)m.dtype);
  const char *fault = fault_of(m);
  if (fault)
    return qn_fail(QN_EINVAL, function,
                   "%s %s: %lld x %lld, ld %lld, offset %lld, %s, in a buffer of %zu bytes",
                   argument, fault, (long long)m.rows, (long long)m.cols, (long long)m.ld,
                   (long long)m.offset, qn_dtype_name(m.dtype), m.buffer->size);
  return qn_buffer_use(m.buffer, stream);
}

qn_status qn_matrix_alloc(qn_device *device, qn_dtype dtype, int64_t rows, int64_t cols,
                          qn_matrix *m) {
  static const char function[] = "qn_matrix_alloc";
  if (!m) return qn_fail(QN_EINVAL, function, "m is NULL");
  *m = (qn_matrix){0};
  size_t element = qn_dtype_size(dtype), bytes;
  if (!element) return qn_fail(QN_EINVAL, function, "dtype is %d", (int)dtype);
  if (rows < 0 || cols < 0)
    return qn_fail(QN_EINVAL, function, "%lld x %lld", (long long)rows, (long long)cols);
  if (!qn_mul_size((size_t)rows, (size_t)cols, &bytes) || !qn_mul_size(bytes, element, &bytes))
    return qn_fail(QN_EDEVMEM, function, "%lld x %lld %s is beyond 64 bits", (long long)rows,
                   (long long)cols, qn_dtype_name(dtype));
  qn_buffer *buffer;
  qn_status status = qn_buffer_alloc(device, QN_MEMORY_DEVICE, bytes, &buffer);
  if (status == QN_OK) *m = qn_matrix_of(buffer, dtype, rows, cols, qn_max64(1, rows));
  return status;
}

/* The rectangle of a view, and whether the host's matrix of leading dimension `ld` can be
 * addressed; one without elements always can. The device's pitch stands in dst_pitch. A whole
 * matrix without gaps is one run. */
static bool rectangle(qn_matrix m, int64_t ld, qn_rect *rect) {
  size_t element = qn_dtype_size(m.dtype), host_pitch, span;
  *rect = (qn_rect){0};
  if (m.rows == 0 || m.cols == 0) return true;
  if (!qn_mul_size((size_t)ld, element, &host_pitch) ||
      !qn_mul_size(host_pitch, (size_t)m.cols, &span) || span > PTRDIFF_MAX)
    return false;
  *rect = (qn_rect){(size_t)m.rows * element, (size_t)m.cols, host_pitch, (size_t)m.ld * element};
  if (m.rows == m.ld && m.rows == ld) {
    rect->width *= rect->height;
    rect->height = 1;
    rect->src_pitch = rect->dst_pitch = rect->width;
  }
  return true;
}

static qn_status check_copy(const char *function, const char *view, const char *pointer,
                            qn_stream *stream, qn_matrix m, const void *host, int64_t ld,
                            qn_rect *rect) {
  qn_status status = qn_stream_check(stream, function);
  if (status == QN_OK) status = qn_matrix_check(stream, m, function, view);
  if (status != QN_OK) return status;
  if (ld < qn_max64(1, m.rows))
    return qn_fail(QN_EINVAL, function, "ld_%s is %lld, below max(1, rows) of %lld x %lld", pointer,
                   (long long)ld, (long long)m.rows, (long long)m.cols);
  if (!host && m.rows && m.cols) return qn_fail(QN_EINVAL, function, "%s is NULL", pointer);
  if (!rectangle(m, ld, rect))
    return qn_fail(QN_EINVAL, function, "ld_%s is %lld: beyond the address space", pointer,
                   (long long)ld);
  return QN_OK;
}

static qn_status finish(qn_stream *stream, double begun, qn_matrix m, qn_status status) {
  status = qn_stream_result(stream, status);
  if (status != QN_OK) return status;
  double bytes = (double)m.rows * (double)m.cols * (double)qn_dtype_size(m.dtype);
  return qn_trace_end(
      stream, begun,
      (qn_trace_step){
          .kind = "copy", .variant = "", .why = "", .m = m.rows, .n = m.cols, .bytes = bytes});
}

qn_status qn_matrix_write(qn_stream *stream, qn_matrix dst, const void *src, int64_t ld_src) {
  qn_rect rect;
  qn_status status = check_copy("qn_matrix_write", "dst", "src", stream, dst, src, ld_src, &rect);
  if (status != QN_OK || dst.rows == 0 || dst.cols == 0) return status;
  double begun = qn_trace_begin(stream);
  size_t offset = (size_t)dst.offset * qn_dtype_size(dst.dtype);
  status = stream->device->ops->copy_in(stream->handle, dst.buffer->mem, offset, src, &rect);
  return finish(stream, begun, dst, status);
}

qn_status qn_matrix_read(qn_stream *stream, void *dst, int64_t ld_dst, qn_matrix src) {
  qn_rect rect;
  qn_status status = check_copy("qn_matrix_read", "src", "dst", stream, src, dst, ld_dst, &rect);
  if (status != QN_OK || src.rows == 0 || src.cols == 0) return status;
  double begun = qn_trace_begin(stream);
  size_t offset = (size_t)src.offset * qn_dtype_size(src.dtype), device_pitch = rect.dst_pitch;
  rect.dst_pitch = rect.src_pitch;
  rect.src_pitch = device_pitch;
  for (size_t column = 0; column < rect.height && stream->letters; column++)
    qn_recall(stream, (char *)dst + column * rect.dst_pitch, rect.width);
  status = stream->device->ops->copy_out(stream->handle, dst, src.buffer->mem, offset, &rect);
  return finish(stream, begun, src, status);
}
