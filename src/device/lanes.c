/* Lanes: made when a routine first asks for them, kept with their stream. */
#include "device/device.h"

int qn_lanes(const qn_stream *stream) {
  return stream->device->cpu || stream->trace ? 1 : qn_num_streams();
}

qn_stream *qn_lane(qn_stream *stream, int lane) {
  return lane == 0 ? stream : stream->lanes[lane - 1];
}

static qn_status order(qn_stream *first, qn_stream *second) {
  pthread_mutex_lock(&first->device->lock);
  const qn_status status = qn_stream_wait_for(first, second);
  pthread_mutex_unlock(&first->device->lock);
  return qn_stream_result(second, status);
}

qn_status qn_lanes_fork(qn_stream *stream, int count) {
  for (int lane = 0; lane < count - 1; lane++)
    if (!stream->lanes[lane]) QN_TRY(qn_stream_create(stream->device, &stream->lanes[lane]));
  for (int lane = 1; lane < count; lane++) {
    qn_stream *beside = qn_lane(stream, lane);
    QN_TRY(qn_stream_check(beside, "fork"));
    beside->math = stream->math;
    beside->rehearsal = stream->rehearsal;
    if (!stream->rehearsal) QN_TRY(order(stream, beside));
  }
  return QN_OK;
}

qn_status qn_lanes_join(qn_stream *stream, int count) {
  qn_status first = QN_OK;
  for (int lane = 1; lane < count; lane++) {
    qn_stream *beside = qn_lane(stream, lane);
    beside->rehearsal = NULL;
    if (stream->rehearsal) continue;
    const qn_status status = order(beside, stream);
    if (first == QN_OK) first = status;
  }
  return first;
}
