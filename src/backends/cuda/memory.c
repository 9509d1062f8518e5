/* CUDA memory: the card's own and pinned host memory, copies of bytes and of rectangles. */
#include "backends/cuda/cuda.h"

qn_status qn_cu_alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem) {
  qn_status status = qn_cu_enter(dev);
  if (status) return status;
  if (bytes == 0) bytes = 1;
  if (kind == QN_MEMORY_PINNED) {
    void *host = NULL;
    status =
        qn_cu_check(qn_cu.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
    if (status == QN_EDEVMEM) status = QN_ENOMEM; /* the host's memory it is that ran out */
    *mem = (qn_mem)host;
  } else {
    CUdeviceptr memory = 0;
    status = qn_cu_check(qn_cu.cuMemAlloc_v2(&memory, bytes), "cuMemAlloc");
    *mem = (qn_mem)memory;
  }
  return qn_cu_leave(status);
}

void qn_cu_free(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  if (!mem || qn_cu_enter(dev) != QN_OK) return;
  if (kind == QN_MEMORY_PINNED)
    qn_cu.cuMemFreeHost((void *)mem);
  else
    qn_cu.cuMemFree_v2(mem);
  qn_cu_leave(QN_OK);
}

/* Pinned memory has one address for host and card. */
void *qn_cu_host(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev;
  return kind == QN_MEMORY_PINNED ? (void *)mem : NULL;
}

static bool is_empty(const qn_rect *r) {
  return r->width == 0 || r->height == 0;
}

static bool is_flat(const qn_rect *r) {
  return r->height == 1 || (r->src_pitch == r->width && r->dst_pitch == r->width);
}

typedef enum direction { IN, OUT, WITHIN } direction;

static qn_status copy_flat(direction way, qn_bstream *s, uintptr_t dst, uintptr_t src,
                           size_t bytes) {
  switch (way) {
  case IN:
    return qn_cu_check(qn_cu.cuMemcpyHtoDAsync_v2(dst, (const void *)src, bytes, s->stream),
                       "cuMemcpyHtoDAsync");
  case OUT:
    return qn_cu_check(qn_cu.cuMemcpyDtoHAsync_v2((void *)dst, src, bytes, s->stream),
                       "cuMemcpyDtoHAsync");
  default:
    return qn_cu_check(qn_cu.cuMemcpyDtoDAsync_v2(dst, src, bytes, s->stream), "cuMemcpyDtoDAsync");
  }
}

static qn_status copy_rect(direction way, qn_bstream *s, uintptr_t dst, uintptr_t src,
                           const qn_rect *r) {
  CUDA_MEMCPY2D c = {.srcPitch = r->src_pitch,
                     .dstPitch = r->dst_pitch,
                     .WidthInBytes = r->width,
                     .Height = r->height,
                     .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                     .srcDevice = src,
                     .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                     .dstDevice = dst};
  if (way == IN) c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = (const void *)src;
  if (way == OUT) c.dstMemoryType = CU_MEMORYTYPE_HOST, c.dstHost = (void *)dst;
  return qn_cu_check(qn_cu.cuMemcpy2DAsync_v2(&c, s->stream), "cuMemcpy2DAsync");
}

static qn_status copy(direction way, qn_bstream *s, uintptr_t dst, uintptr_t src,
                      const qn_rect *r) {
  atomic_store(&s->ends_in_kernel, false);
  if (is_flat(r)) return copy_flat(way, s, dst, src, r->width * r->height);
  if (r->src_pitch <= s->dev->max_pitch && r->dst_pitch <= s->dev->max_pitch)
    return copy_rect(way, s, dst, src, r);
  /* pitches of 2 GiB and more are beyond the driver: row by row */
  qn_status status = QN_OK;
  for (size_t row = 0; row < r->height && !status; row++)
    status = copy_flat(way, s, dst + row * r->dst_pitch, src + row * r->src_pitch, r->width);
  return status;
}

/* Memory that the driver knows about; ordinary memory gives an error, which is no failure. */
static bool is_known(const void *host) {
  unsigned type = 0;
  return qn_cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                     (CUdeviceptr)(uintptr_t)host) == CUDA_SUCCESS;
}

qn_status qn_cu_copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                        const qn_rect *rect) {
  if (is_empty(rect)) return QN_OK;
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  status = copy(IN, stream, dst + dst_offset, (uintptr_t)src, rect);
  /* The driver has staged ordinary memory when it returns, except where the card reads it itself.
   */
  if (!status && stream->dev->reads_pageable && !is_known(src))
    status = qn_cu_check(qn_cu.cuStreamSynchronize(stream->stream), "cuStreamSynchronize");
  return qn_cu_leave(status);
}

qn_status qn_cu_copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                         const qn_rect *rect) {
  if (is_empty(rect)) return QN_OK;
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  return qn_cu_leave(copy(OUT, stream, (uintptr_t)dst, src + src_offset, rect));
}

qn_status qn_cu_copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                     size_t src_offset, const qn_rect *rect) {
  if (is_empty(rect)) return QN_OK;
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  return qn_cu_leave(copy(WITHIN, stream, dst + dst_offset, src + src_offset, rect));
}

static CUresult fill(qn_bstream *s, CUdeviceptr dst, size_t count, uint32_t pattern,
                     unsigned width) {
  if (width == 1) return qn_cu.cuMemsetD8Async(dst, (unsigned char)pattern, count, s->stream);
  if (width == 2) return qn_cu.cuMemsetD16Async(dst, (unsigned short)pattern, count, s->stream);
  return qn_cu.cuMemsetD32Async(dst, pattern, count, s->stream);
}

qn_status qn_cu_fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes, uint32_t pattern,
                     unsigned width) {
  if (bytes == 0) return QN_OK;
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  atomic_store(&stream->ends_in_kernel, false);
  return qn_cu_leave(
      qn_cu_check(fill(stream, dst + offset, bytes / width, pattern, width), "cuMemsetAsync"));
}
