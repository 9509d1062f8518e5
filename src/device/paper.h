/* Streams and events of a device that only compiles: there is nothing that they could order, so
 * each is its device. */
#ifndef QN_DEVICE_PAPER_H
#define QN_DEVICE_PAPER_H

#include "device/backend.h"

qn_status qn_paper_stream_new(qn_bdev *dev, void *native, qn_bstream **stream);
void qn_paper_stream_free(qn_bstream *stream);
qn_status qn_paper_sync(qn_bstream *stream);
qn_status qn_paper_event_new(qn_bdev *dev, qn_bevent **event);
void qn_paper_event_free(qn_bevent *event);
qn_status qn_paper_event_on(qn_bevent *event, qn_bstream *stream);
qn_status qn_paper_event_sync(qn_bevent *event);
qn_status qn_paper_event_query(qn_bevent *event, bool *done);
qn_status qn_paper_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds);

/* The slots of a backend's table that they fill. */
#define QN_PAPER_SLOTS                                                                             \
  .stream_new = qn_paper_stream_new, .stream_free = qn_paper_stream_free, .sync = qn_paper_sync,   \
  .event_new = qn_paper_event_new, .event_free = qn_paper_event_free,                              \
  .event_record = qn_paper_event_on, .event_wait = qn_paper_event_on,                              \
  .event_sync = qn_paper_event_sync, .event_query = qn_paper_event_query,                          \
  .event_elapsed = qn_paper_event_elapsed

#endif
