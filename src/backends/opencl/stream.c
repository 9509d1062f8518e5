/* OpenCL streams and events: in-order queues with profiling, and markers. */
#include "backends/opencl/cl.h"

/* A caller's queue brings its context. The device takes it over while it has none of its own;
 * afterwards the two must be the same, for buffers and kernels do not cross contexts. */
static qn_status adopt_context(qn_bdev *dev, cl_command_queue queue) {
  cl_context context;
  cl_device_id id;
  cl_int code =
      qn_cl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
  if (code == CL_SUCCESS)
    code = qn_cl.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
  if (code != CL_SUCCESS) return qn_cl_check(code, "clGetCommandQueueInfo");
  if (id != dev->device.id)
    return qn_fail(QN_EINVAL, "qn_stream_wrap", "the queue belongs to another device");
  qn_status status = QN_OK;
  pthread_mutex_lock(&dev->lock);
  if (!dev->context) {
    status = qn_cl_check(qn_cl.clRetainContext(context), "clRetainContext");
    if (!status) dev->context = context;
  } else if (dev->context != context) {
    status = qn_fail(QN_EINVAL, "qn_stream_wrap",
                     "the queue belongs to another cl_context than the device already uses: wrap "
                     "it before anything else is made on the device");
  }
  pthread_mutex_unlock(&dev->lock);
  return status;
}

static qn_status make_queue(qn_bdev *dev, void *native, cl_command_queue *queue) {
  cl_int code;
  if (native) {
    qn_status status = adopt_context(dev, native);
    if (status) return status;
    *queue = native;
    return qn_cl_check(qn_cl.clRetainCommandQueue(native), "clRetainCommandQueue");
  }
  cl_context context;
  qn_status status = qn_cl_context(dev, &context);
  if (status) return status;
  *queue = qn_cl.clCreateCommandQueue(context, dev->device.id, CL_QUEUE_PROFILING_ENABLE, &code);
  return qn_cl_check(code, "clCreateCommandQueue");
}

qn_status qn_cl_stream_new(qn_bdev *dev, void *native, qn_bstream **stream) {
  qn_bstream *s = qn_host_zalloc(sizeof *s);
  if (!s) return qn_fail(QN_ENOMEM, "opencl", "no host memory for a stream");
  s->dev = dev;
  qn_status status = make_queue(dev, native, &s->queue);
  if (status) {
    qn_host_free(s, sizeof *s);
    return status;
  }
  *stream = s;
  return QN_OK;
}

void qn_cl_stream_free(qn_bstream *stream) {
  if (!stream) return;
  qn_cl.clReleaseCommandQueue(stream->queue);
  qn_host_free(stream, sizeof *stream);
}

qn_status qn_cl_sync(qn_bstream *stream) {
  cl_int code = qn_cl.clFinish(stream->queue);
  /* At this point drivers report so that a kernel died, and with it the context. */
  if (code == CL_OUT_OF_RESOURCES)
    return qn_fail(QN_ELOST, "clFinish", "%s: a kernel faulted", qn_cl_error_name(code));
  return qn_cl_check(code, "clFinish");
}

qn_status qn_cl_event_new(qn_bdev *dev, qn_bevent **event) {
  (void)dev;
  *event = qn_host_zalloc(sizeof **event);
  return *event ? QN_OK : qn_fail(QN_ENOMEM, "opencl", "no host memory for an event");
}

void qn_cl_event_free(qn_bevent *event) {
  if (!event) return;
  if (event->event) qn_cl.clReleaseEvent(event->event);
  qn_host_free(event, sizeof *event);
}

qn_status qn_cl_event_record(qn_bevent *event, qn_bstream *stream) {
  cl_event mark;
  cl_int code = qn_cl.clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &mark);
  if (code != CL_SUCCESS) return qn_cl_check(code, "clEnqueueMarkerWithWaitList");
  if (event->event) qn_cl.clReleaseEvent(event->event);
  event->event = mark;
  /* Another queue that waits for the mark would hang if the driver still held it back. */
  return qn_cl_check(qn_cl.clFlush(stream->queue), "clFlush");
}

qn_status qn_cl_event_wait(qn_bevent *event, qn_bstream *stream) {
  if (!event->event) return QN_OK;
  return qn_cl_check(qn_cl.clEnqueueBarrierWithWaitList(stream->queue, 1, &event->event, NULL),
                     "clEnqueueBarrierWithWaitList");
}

qn_status qn_cl_event_sync(qn_bevent *event) {
  if (!event->event) return QN_OK;
  return qn_cl_check(qn_cl.clWaitForEvents(1, &event->event), "clWaitForEvents");
}

qn_status qn_cl_event_query(qn_bevent *event, bool *done) {
  cl_int state = CL_COMPLETE;
  *done = true;
  if (!event->event) return QN_OK;
  cl_int code = qn_cl.clGetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
                                     &state, NULL);
  if (code != CL_SUCCESS) return qn_cl_check(code, "clGetEventInfo");
  if (state < 0) return qn_cl_check(state, "the event's command");
  *done = state == CL_COMPLETE;
  return QN_OK;
}

static qn_status end_time(qn_bevent *event, cl_ulong *nanoseconds) {
  if (!event->event) return qn_fail(QN_EINVAL, "qn_event_elapsed", "an event was never recorded");
  qn_status status = qn_cl_event_sync(event);
  if (status) return status;
  cl_int code = qn_cl.clGetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_END,
                                              sizeof *nanoseconds, nanoseconds, NULL);
  if (code == CL_PROFILING_INFO_NOT_AVAILABLE)
    return qn_fail(QN_EUNSUPPORTED, "qn_event_elapsed",
                   "the wrapped queue was made without CL_QUEUE_PROFILING_ENABLE");
  return qn_cl_check(code, "clGetEventProfilingInfo");
}

qn_status qn_cl_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds) {
  cl_ulong begin, end;
  qn_status status = end_time(start, &begin);
  if (!status) status = end_time(stop, &end);
  if (!status) *seconds = ((double)end - (double)begin) * 1e-9;
  return status;
}
