/* Events: marks in a stream's work. */
#include "device/device.h"

qn_status qn_event_create(qn_device *device, qn_event **out) {
  static const char function[] = "qn_event_create";
  if (!out) return qn_fail(QN_EINVAL, function, "event is NULL");
  *out = NULL;
  qn_status status = qn_device_check(device, function);
  if (status != QN_OK) return status;
  qn_event *event = qn_host_zalloc(sizeof *event);
  if (!event) return qn_fail(QN_ENOMEM, function, "no memory for the event");
  status = qn_device_result(device, device->ops->event_new(device->handle, &event->handle));
  if (status != QN_OK) {
    qn_host_free(event, sizeof *event);
    return status;
  }
  event->device = device;
  qn_device_retain(device);
  *out = event;
  return QN_OK;
}

void qn_event_free(qn_event *event) {
  if (!event) return;
  qn_device *device = event->device;
  device->ops->event_free(event->handle);
  qn_host_free(event, sizeof *event);
  qn_device_release(device);
}

static qn_status check(const char *function, const qn_event *event, const qn_stream *stream) {
  if (!event) return qn_fail(QN_EINVAL, function, "event is NULL");
  qn_status status = qn_stream_check(stream, function);
  if (status != QN_OK) return status;
  if (event->device != stream->device)
    return qn_fail(QN_EINVAL, function, "event is of device %s, stream of %s",
                   event->device->info.id, stream->device->info.id);
  return QN_OK;
}

qn_status qn_event_record(qn_event *event, qn_stream *stream) {
  qn_status status = check("qn_event_record", event, stream);
  if (status != QN_OK) return status;
  status =
      qn_stream_result(stream, stream->device->ops->event_record(event->handle, stream->handle));
  if (status == QN_OK) atomic_store(&event->recorded, true);
  return status;
}

qn_status qn_event_wait(qn_event *event, qn_stream *stream) {
  qn_status status = check("qn_event_wait", event, stream);
  if (status != QN_OK || !atomic_load(&event->recorded)) return status;
  return qn_stream_result(stream, stream->device->ops->event_wait(event->handle, stream->handle));
}

qn_status qn_event_sync(qn_event *event) {
  if (!event) return qn_fail(QN_EINVAL, "qn_event_sync", "event is NULL");
  qn_status status = qn_device_check(event->device, "qn_event_sync");
  if (status != QN_OK || !atomic_load(&event->recorded)) return status;
  return qn_device_result(event->device, event->device->ops->event_sync(event->handle));
}

qn_status qn_event_elapsed(qn_event *start, qn_event *stop, double *seconds) {
  static const char function[] = "qn_event_elapsed";
  if (!start || !stop || !seconds)
    return qn_fail(QN_EINVAL, function, "%s is NULL",
                   !start  ? "start"
                   : !stop ? "stop"
                           : "seconds");
  if (start->device != stop->device)
    return qn_fail(QN_EINVAL, function, "start is of device %s, stop of %s", start->device->info.id,
                   stop->device->info.id);
  if (!atomic_load(&start->recorded) || !atomic_load(&stop->recorded))
    return qn_fail(QN_EINVAL, function, "%s was never recorded",
                   atomic_load(&start->recorded) ? "stop" : "start");
  qn_status status = qn_event_sync(start);
  if (status == QN_OK) status = qn_event_sync(stop);
  if (status != QN_OK) return status;
  const qn_backend_ops *ops = start->device->ops;
  return qn_device_result(start->device, ops->event_elapsed(start->handle, stop->handle, seconds));
}
