/* CUDA streams and events. */
#include "backends/cuda/cuda.h"

static qn_status make_stream(qn_bdev *dev, void *native, qn_bstream *stream) {
  if (!native) {
    stream->owned = true;
    return qn_cu_check(qn_cu.cuStreamCreate(&stream->stream, CU_STREAM_NON_BLOCKING),
                       "cuStreamCreate");
  }
  CUcontext context;
  qn_status status = qn_cu_check(qn_cu.cuStreamGetCtx(native, &context), "cuStreamGetCtx");
  if (!status && context != dev->context)
    status = qn_fail(QN_EINVAL, "qn_stream_wrap",
                     "the stream belongs to another context than the device's primary one");
  stream->stream = native;
  return status;
}

qn_status qn_cu_stream_new(qn_bdev *dev, void *native, qn_bstream **stream) {
  qn_status status = qn_cu_enter(dev);
  if (status) return status;
  qn_bstream *s = qn_host_zalloc(sizeof *s);
  if (!s) return qn_cu_leave(qn_fail(QN_ENOMEM, "cuda", "no host memory for a stream"));
  s->dev = dev;
  status = qn_cu_leave(make_stream(dev, native, s));
  if (status)
    qn_host_free(s, sizeof *s);
  else
    *stream = s;
  return status;
}

void qn_cu_stream_free(qn_bstream *stream) {
  if (!stream) return;
  if (stream->owned && qn_cu_enter(stream->dev) == QN_OK) {
    qn_cu.cuStreamDestroy_v2(stream->stream);
    qn_cu_leave(QN_OK);
  }
  qn_host_free(stream, sizeof *stream);
}

qn_status qn_cu_sync(qn_bstream *stream) {
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  return qn_cu_leave(qn_cu_check(qn_cu.cuStreamSynchronize(stream->stream), "cuStreamSynchronize"));
}

qn_status qn_cu_event_new(qn_bdev *dev, qn_bevent **event) {
  qn_status status = qn_cu_enter(dev);
  if (status) return status;
  qn_bevent *e = qn_host_zalloc(sizeof *e);
  if (!e) return qn_cu_leave(qn_fail(QN_ENOMEM, "cuda", "no host memory for an event"));
  e->dev = dev;
  status =
      qn_cu_leave(qn_cu_check(qn_cu.cuEventCreate(&e->event, CU_EVENT_DEFAULT), "cuEventCreate"));
  if (status)
    qn_host_free(e, sizeof *e);
  else
    *event = e;
  return status;
}

void qn_cu_event_free(qn_bevent *event) {
  if (!event) return;
  if (qn_cu_enter(event->dev) == QN_OK) {
    qn_cu.cuEventDestroy_v2(event->event);
    qn_cu_leave(QN_OK);
  }
  qn_host_free(event, sizeof *event);
}

qn_status qn_cu_event_record(qn_bevent *event, qn_bstream *stream) {
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  atomic_store(&stream->ends_in_kernel, false);
  return qn_cu_leave(
      qn_cu_check(qn_cu.cuEventRecord(event->event, stream->stream), "cuEventRecord"));
}

qn_status qn_cu_event_wait(qn_bevent *event, qn_bstream *stream) {
  qn_status status = qn_cu_enter(stream->dev);
  if (status) return status;
  atomic_store(&stream->ends_in_kernel, false);
  return qn_cu_leave(
      qn_cu_check(qn_cu.cuStreamWaitEvent(stream->stream, event->event, 0), "cuStreamWaitEvent"));
}

qn_status qn_cu_event_sync(qn_bevent *event) {
  qn_status status = qn_cu_enter(event->dev);
  if (status) return status;
  return qn_cu_leave(qn_cu_check(qn_cu.cuEventSynchronize(event->event), "cuEventSynchronize"));
}

qn_status qn_cu_event_query(qn_bevent *event, bool *done) {
  qn_status status = qn_cu_enter(event->dev);
  if (status) return status;
  CUresult code = qn_cu.cuEventQuery(event->event);
  *done = code == CUDA_SUCCESS;
  return qn_cu_leave(code == CUDA_ERROR_NOT_READY ? QN_OK : qn_cu_check(code, "cuEventQuery"));
}

qn_status qn_cu_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds) {
  float milliseconds = 0;
  qn_status status = qn_cu_enter(start->dev);
  if (status) return status;
  status = qn_cu_check(qn_cu.cuEventSynchronize(start->event), "cuEventSynchronize");
  if (!status) status = qn_cu_check(qn_cu.cuEventSynchronize(stop->event), "cuEventSynchronize");
  if (!status)
    status = qn_cu_check(qn_cu.cuEventElapsedTime(&milliseconds, start->event, stop->event),
                         "cuEventElapsedTime");
  *seconds = (double)milliseconds * 1e-3;
  return qn_cu_leave(status);
}
