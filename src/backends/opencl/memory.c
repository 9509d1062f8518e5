/* OpenCL memory: buffers, mapped host memory, copies of bytes and of rectangles. */
#include "backends/opencl/cl.h"

static qn_status new_buffer(qn_bdev *dev, cl_mem_flags flags, size_t bytes, cl_mem *mem) {
  cl_context context;
  qn_status status = qn_cl_context(dev, &context);
  if (status) return status;
  cl_int code;
  *mem = qn_cl.clCreateBuffer(context, CL_MEM_READ_WRITE | flags, bytes ? bytes : 1, NULL, &code);
  return qn_cl_check(code, "clCreateBuffer");
}

/* The queue that maps, made on first use; called with the device locked. */
static qn_status map_queue(qn_bdev *dev) {
  if (dev->maps) return QN_OK;
  cl_int code;
  cl_command_queue queue = qn_cl.clCreateCommandQueue(dev->context, dev->device.id, 0, &code);
  if (code == CL_SUCCESS) dev->maps = queue;
  return qn_cl_check(code, "clCreateCommandQueue");
}

static qn_status map_pinned(qn_bdev *dev, qn_cl_pinned *pinned) {
  pthread_mutex_lock(&dev->lock);
  qn_status status = map_queue(dev);
  if (!status) {
    cl_int code;
    pinned->host =
        qn_cl.clEnqueueMapBuffer(dev->maps, pinned->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                 pinned->size, 0, NULL, NULL, &code);
    status = qn_cl_check(code, "clEnqueueMapBuffer");
  }
  if (!status) {
    pinned->next = dev->pinned;
    dev->pinned = pinned;
  }
  pthread_mutex_unlock(&dev->lock);
  return status;
}

static qn_status alloc_pinned(qn_bdev *dev, size_t bytes, qn_mem *mem) {
  qn_cl_pinned *pinned = qn_host_zalloc(sizeof *pinned);
  if (!pinned) return qn_fail(QN_ENOMEM, "opencl", "no host memory for a buffer's record");
  pinned->size = bytes ? bytes : 1;
  qn_status status = new_buffer(dev, CL_MEM_ALLOC_HOST_PTR, bytes, &pinned->mem);
  if (!status) {
    status = map_pinned(dev, pinned);
    if (status) qn_cl.clReleaseMemObject(pinned->mem);
  }
  if (status) {
    qn_host_free(pinned, sizeof *pinned);
    return status;
  }
  *mem = (qn_mem)pinned->mem;
  return QN_OK;
}

qn_status qn_cl_alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem) {
  if (kind == QN_MEMORY_PINNED) return alloc_pinned(dev, bytes, mem);
  cl_mem buffer;
  qn_status status = new_buffer(dev, 0, bytes, &buffer);
  if (!status) *mem = (qn_mem)buffer;
  return status;
}

/* Takes the record of `mem` off the list, unmapping it; NULL when there is none. */
static qn_cl_pinned *take_pinned(qn_bdev *dev, cl_mem mem) {
  pthread_mutex_lock(&dev->lock);
  qn_cl_pinned **link = &dev->pinned;
  while (*link && (*link)->mem != mem) link = &(*link)->next;
  qn_cl_pinned *found = *link;
  if (found) {
    *link = found->next;
    qn_cl.clEnqueueUnmapMemObject(dev->maps, mem, found->host, 0, NULL, NULL);
    qn_cl.clFinish(dev->maps);
  }
  pthread_mutex_unlock(&dev->lock);
  return found;
}

void qn_cl_free(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  if (!mem) return;
  if (kind == QN_MEMORY_PINNED) {
    qn_cl_pinned *pinned = take_pinned(dev, (cl_mem)mem);
    qn_host_free(pinned, sizeof *pinned);
  }
  qn_cl.clReleaseMemObject((cl_mem)mem);
}

void *qn_cl_host(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  if (kind != QN_MEMORY_PINNED) return NULL;
  pthread_mutex_lock(&dev->lock);
  qn_cl_pinned *pinned = dev->pinned;
  while (pinned && pinned->mem != (cl_mem)mem) pinned = pinned->next;
  void *host = pinned ? pinned->host : NULL;
  pthread_mutex_unlock(&dev->lock);
  return host;
}

static bool is_pinned(qn_bdev *dev, const char *pointer) {
  pthread_mutex_lock(&dev->lock);
  qn_cl_pinned *pinned = dev->pinned;
  while (pinned && !(pointer >= pinned->host && pointer < pinned->host + pinned->size))
    pinned = pinned->next;
  pthread_mutex_unlock(&dev->lock);
  return pinned != NULL;
}

/* Where a rectangle begins in a buffer, as whole rows and a rest where the rest leaves it room:
 * some drivers refuse a first row that runs past its pitch. */
static void origin_of(size_t offset, size_t pitch, size_t width, size_t origin[3]) {
  origin[0] = offset;
  origin[1] = origin[2] = 0;
  if (pitch && offset % pitch + width <= pitch) {
    origin[0] = offset % pitch;
    origin[1] = offset / pitch;
  }
}

static bool is_flat(const qn_rect *r) {
  return r->height == 1 || (r->src_pitch == r->width && r->dst_pitch == r->width);
}

static bool is_empty(const qn_rect *r) {
  return r->width == 0 || r->height == 0;
}

static const size_t zero_origin[3] = {0, 0, 0};

/* Whether the last row's pitch, too, is within the buffer: some drivers refuse a rectangle at its
 * end where it is not. Then the last row goes by itself. */
static bool has_room(qn_mem mem, size_t offset, size_t pitch, size_t height) {
  size_t size;
  return qn_cl.clGetMemObjectInfo((cl_mem)mem, CL_MEM_SIZE, sizeof size, &size, NULL) ==
             CL_SUCCESS &&
         offset <= size && pitch <= (size - offset) / height;
}

static qn_rect rows_above_last(const qn_rect *r) {
  return (qn_rect){r->width, r->height - 1, r->src_pitch, r->dst_pitch};
}

static qn_rect last_row(const qn_rect *r) {
  return (qn_rect){r->width, 1, r->width, r->width};
}

qn_status qn_cl_copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                        const qn_rect *r) {
  if (is_empty(r)) return QN_OK;
  cl_bool blocking = is_pinned(stream->dev, src) ? CL_FALSE : CL_TRUE;
  if (is_flat(r))
    return qn_cl_check(qn_cl.clEnqueueWriteBuffer(stream->queue, (cl_mem)dst, blocking, dst_offset,
                                                  r->width * r->height, src, 0, NULL, NULL),
                       "clEnqueueWriteBuffer");
  const qn_rect above = rows_above_last(r), last = last_row(r);
  if (!has_room(dst, dst_offset, r->dst_pitch, r->height)) {
    QN_TRY(qn_cl_copy_in(stream, dst, dst_offset, src, &above));
    return qn_cl_copy_in(stream, dst, dst_offset + above.height * r->dst_pitch,
                         (const char *)src + above.height * r->src_pitch, &last);
  }
  size_t origin[3], region[3] = {r->width, r->height, 1};
  origin_of(dst_offset, r->dst_pitch, r->width, origin);
  return qn_cl_check(qn_cl.clEnqueueWriteBufferRect(stream->queue, (cl_mem)dst, blocking, origin,
                                                    zero_origin, region, r->dst_pitch, 0,
                                                    r->src_pitch, 0, src, 0, NULL, NULL),
                     "clEnqueueWriteBufferRect");
}

qn_status qn_cl_copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                         const qn_rect *r) {
  if (is_empty(r)) return QN_OK;
  if (is_flat(r))
    return qn_cl_check(qn_cl.clEnqueueReadBuffer(stream->queue, (cl_mem)src, CL_FALSE, src_offset,
                                                 r->width * r->height, dst, 0, NULL, NULL),
                       "clEnqueueReadBuffer");
  const qn_rect above = rows_above_last(r), last = last_row(r);
  if (!has_room(src, src_offset, r->src_pitch, r->height)) {
    QN_TRY(qn_cl_copy_out(stream, dst, src, src_offset, &above));
    return qn_cl_copy_out(stream, (char *)dst + above.height * r->dst_pitch, src,
                          src_offset + above.height * r->src_pitch, &last);
  }
  size_t origin[3], region[3] = {r->width, r->height, 1};
  origin_of(src_offset, r->src_pitch, r->width, origin);
  return qn_cl_check(qn_cl.clEnqueueReadBufferRect(stream->queue, (cl_mem)src, CL_FALSE, origin,
                                                   zero_origin, region, r->src_pitch, 0,
                                                   r->dst_pitch, 0, dst, 0, NULL, NULL),
                     "clEnqueueReadBufferRect");
}

qn_status qn_cl_copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                     size_t src_offset, const qn_rect *r) {
  if (is_empty(r)) return QN_OK;
  if (is_flat(r))
    return qn_cl_check(qn_cl.clEnqueueCopyBuffer(stream->queue, (cl_mem)src, (cl_mem)dst,
                                                 src_offset, dst_offset, r->width * r->height, 0,
                                                 NULL, NULL),
                       "clEnqueueCopyBuffer");
  const qn_rect above = rows_above_last(r), last = last_row(r);
  if (!has_room(src, src_offset, r->src_pitch, r->height) ||
      !has_room(dst, dst_offset, r->dst_pitch, r->height)) {
    QN_TRY(qn_cl_copy(stream, dst, dst_offset, src, src_offset, &above));
    return qn_cl_copy(stream, dst, dst_offset + above.height * r->dst_pitch, src,
                      src_offset + above.height * r->src_pitch, &last);
  }
  size_t from[3], to[3], region[3] = {r->width, r->height, 1};
  origin_of(src_offset, r->src_pitch, r->width, from);
  origin_of(dst_offset, r->dst_pitch, r->width, to);
  return qn_cl_check(qn_cl.clEnqueueCopyBufferRect(stream->queue, (cl_mem)src, (cl_mem)dst, from,
                                                   to, region, r->src_pitch, 0, r->dst_pitch, 0, 0,
                                                   NULL, NULL),
                     "clEnqueueCopyBufferRect");
}

qn_status qn_cl_fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes, uint32_t pattern,
                     unsigned width) {
  if (bytes == 0) return QN_OK;
  unsigned char low[4] = {(unsigned char)pattern, (unsigned char)(pattern >> 8),
                          (unsigned char)(pattern >> 16), (unsigned char)(pattern >> 24)};
  return qn_cl_check(qn_cl.clEnqueueFillBuffer(stream->queue, (cl_mem)dst, low, width, offset,
                                               bytes, 0, NULL, NULL),
                     "clEnqueueFillBuffer");
}
