/* Streams and events that order nothing. */
#include "device/paper.h"

qn_status qn_paper_stream_new(qn_bdev *dev, void *native, qn_bstream **stream) {
  (void)native;
  *stream = (qn_bstream *)dev;
  return QN_OK;
}
void qn_paper_stream_free(qn_bstream *stream) {
  (void)stream;
}
qn_status qn_paper_sync(qn_bstream *stream) {
  (void)stream;
  return QN_OK;
}
qn_status qn_paper_event_new(qn_bdev *dev, qn_bevent **event) {
  *event = (qn_bevent *)dev;
  return QN_OK;
}
void qn_paper_event_free(qn_bevent *event) {
  (void)event;
}
qn_status qn_paper_event_on(qn_bevent *event, qn_bstream *stream) {
  (void)event, (void)stream;
  return QN_OK;
}
qn_status qn_paper_event_sync(qn_bevent *event) {
  (void)event;
  return QN_OK;
}
qn_status qn_paper_event_query(qn_bevent *event, bool *done) {
  (void)event;
  *done = true;
  return QN_OK;
}
qn_status qn_paper_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds) {
  (void)start, (void)stop;
  *seconds = 0.0;
  return QN_OK;
}
