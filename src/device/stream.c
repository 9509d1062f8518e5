/* Streams: lifetimes, faults that stay, the math mode, traces.
 *
 * Each live stream of a device has a slot, the number of its bit in qn_buffer.used. The first 63
 * have one of their own; further ones share the last (pool.c tells what that costs). */
#include "device/device.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Under the device's lock. */
static void enlist(qn_stream *stream) {
  qn_device *device = stream->device;
  unsigned slot = 0;
  while (slot < QN_STREAM_SLOTS - 1 && device->streams[slot]) slot++;
  stream->slot = slot;
  stream->next = device->streams[slot];
  device->streams[slot] = stream;
}

static void delist(qn_stream *stream) {
  qn_stream **link = &stream->device->streams[stream->slot];
  while (*link != stream) link = &(*link)->next;
  *link = stream->next;
}

static qn_status stream_new(const char *function, qn_device *device, void *native,
                            qn_stream **out) {
  if (!out) return qn_fail(QN_EINVAL, function, "stream is NULL");
  *out = NULL;
  qn_status status = qn_device_check(device, function);
  if (status != QN_OK) return status;
  qn_stream *stream = qn_host_zalloc(sizeof *stream);
  if (!stream) return qn_fail(QN_ENOMEM, function, "no memory for the stream");
  stream->device = device;
  status =
      qn_device_result(device, device->ops->stream_new(device->handle, native, &stream->handle));
  if (status != QN_OK) {
    qn_host_free(stream, sizeof *stream);
    return status;
  }
  qn_device_retain(device);
  pthread_mutex_lock(&device->lock);
  enlist(stream);
  pthread_mutex_unlock(&device->lock);
  *out = stream;
  return QN_OK;
}

qn_status qn_stream_create(qn_device *device, qn_stream **stream) {
  return stream_new("qn_stream_create", device, NULL, stream);
}

qn_status qn_stream_wrap(qn_device *device, void *native, qn_stream **stream) {
  if (!native) return qn_fail(QN_EINVAL, "qn_stream_wrap", "native is NULL");
  return stream_new("qn_stream_wrap", device, native, stream);
}

/* Its work is done before it leaves its slot, so that whoever gets the slot next inherits nothing.
 */
void qn_stream_free(qn_stream *stream) {
  if (!stream) return;
  for (int lane = 0; lane < QN_LANES_MOST - 1; lane++) qn_stream_free(stream->lanes[lane]);
  qn_device *device = stream->device;
  qn_deliver(stream, device->ops->sync(stream->handle) == QN_OK);
  qn_buffer_free(stream->twin.buffer);
  pthread_mutex_lock(&device->lock);
  delist(stream);
  pthread_mutex_unlock(&device->lock);
  if (stream->mark) device->ops->event_free(stream->mark);
  device->ops->stream_free(stream->handle);
  qn_host_free(stream, sizeof *stream);
  qn_device_release(device);
}

qn_status qn_stream_check(const qn_stream *stream, const char *function) {
  if (!stream) return qn_fail(QN_EINVAL, function, "stream is NULL");
  if (stream->sticky != QN_OK)
    return qn_fail(stream->sticky, function, "the stream failed before: %s", stream->fault);
  return qn_device_check(stream->device, function);
}

qn_status qn_stream_result(qn_stream *stream, qn_status status) {
  if (status == QN_ELOST || status == QN_EBACKEND) {
    qn_device_result(stream->device, status);
    if (stream->sticky == QN_OK) {
      stream->sticky = status;
      snprintf(stream->fault, sizeof stream->fault, "%s", qn_last_error());
    }
  }
  return status;
}

static qn_status sync_alone(qn_stream *stream) {
  uint64_t clock = atomic_load(&stream->device->clock);
  qn_status status = qn_stream_result(stream, stream->device->ops->sync(stream->handle));
  if (status == QN_OK) atomic_store(&stream->synced, clock);
  qn_deliver(stream, status == QN_OK);
  return status;
}

/* The stream waits for its lanes anyway; a fault of theirs is told here too. However it ends,
 * nothing is delivered later: what was to be written may be gone by then. */
qn_status qn_stream_sync(qn_stream *stream) {
  qn_status status = qn_stream_check(stream, "qn_stream_sync");
  if (status != QN_OK) {
    if (stream) qn_deliver(stream, false);
    return status;
  }
  status = sync_alone(stream);
  for (int lane = 0; lane < QN_LANES_MOST - 1 && stream->lanes[lane] && status == QN_OK; lane++)
    status = qn_stream_result(stream, sync_alone(stream->lanes[lane]));
  return status;
}

qn_status qn_stream_set_math(qn_stream *stream, qn_math math) {
  if (!stream) return qn_fail(QN_EINVAL, "qn_stream_set_math", "stream is NULL");
  if (math != QN_MATH_DEFAULT && math != QN_MATH_PLAIN && math != QN_MATH_FAST)
    return qn_fail(QN_EINVAL, "qn_stream_set_math", "math is %d", (int)math);
  stream->math = math;
  return QN_OK;
}

qn_math qn_stream_math(const qn_stream *stream) {
  return stream ? stream->math : QN_MATH_DEFAULT;
}

qn_device *qn_stream_device(const qn_stream *stream) {
  return stream ? stream->device : NULL;
}

qn_status qn_stream_set_trace(qn_stream *stream, qn_trace_fn fn, void *user) {
  if (!stream) return qn_fail(QN_EINVAL, "qn_stream_set_trace", "stream is NULL");
  stream->trace = fn;
  stream->trace_user = user;
  return QN_OK;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double qn_trace_begin(qn_stream *stream) {
  if (!stream->trace) return 0.0;
  qn_stream_sync(stream); /* a fault stays on the stream and is told by the step itself */
  return now();
}

qn_status qn_trace_end(qn_stream *stream, double begun, qn_trace_step step) {
  if (!stream->trace) return QN_OK;
  qn_status status = qn_stream_sync(stream);
  step.seconds = now() - begun;
  stream->trace(stream->trace_user, &step);
  return status;
}
