/* The mock backend: memory is the host's, queues are arrays. */
#include "mock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUEUE = 64, STREAMS = 128 };

typedef enum action { COPY, FILL, RECORD, WAIT } action;

typedef struct work {
  action action;
  char *dst;
  const char *src;
  char *owned; /* what copy_in read, to be freed when it has run */
  qn_rect rect;
  uint32_t pattern;
  unsigned width;
  qn_bevent *event;
  unsigned mark; /* RECORD, WAIT: which record of the event */
} work;

struct qn_bdev {
  char unused;
};
struct qn_bstream {
  work queue[QUEUE];
  unsigned first, count;
};
/* Kept until the device closes, as drivers keep what queues still need. */
struct qn_bevent {
  unsigned recorded, passed;
  qn_bstream *stream; /* of the latest record */
  qn_bevent *next;
};

mock_state mock;
static qn_bdev the_device;
static qn_bstream *streams[STREAMS];
static qn_bevent *all_events;

void mock_reset(void) {
  mock = (mock_state){.room = SIZE_MAX};
}

/* ---- running ---- */

static void run(qn_bstream *stream);

static void run_until(const qn_bevent *event, unsigned mark) {
  while (event->passed < mark) run(event->stream);
}

/* Runs the stream's oldest work, and first what it waits for. */
static void run(qn_bstream *stream) {
  if (!stream->count) abort();
  work w = stream->queue[stream->first];
  if (w.action == WAIT) run_until(w.event, w.mark);
  stream->first = (stream->first + 1) % QUEUE;
  stream->count--;
  if (w.action == RECORD) w.event->passed = w.mark;
  if (w.action == COPY)
    for (size_t i = 0; i < w.rect.height; i++)
      memcpy(w.dst + i * w.rect.dst_pitch, w.src + i * w.rect.src_pitch, w.rect.width);
  if (w.action == FILL)
    for (size_t i = 0; i < w.rect.width; i += w.width) memcpy(w.dst + i, &w.pattern, w.width);
  free(w.owned);
}

static qn_status enqueue(qn_bstream *stream, work w) {
  if (stream->count == QUEUE) abort();
  stream->queue[(stream->first + stream->count++) % QUEUE] = w;
  return QN_OK;
}

static qn_status mock_sync(qn_bstream *stream) {
  mock.syncs++;
  while (stream->count) run(stream);
  return QN_OK;
}

/* ---- devices and memory ---- */

static qn_status mock_probe(unsigned *count, char *message, size_t size) {
  *count = 2;
  snprintf(message, size, "two mock devices");
  return QN_OK;
}

static qn_status mock_query(unsigned index, qn_device_info *info) {
  memset(info, 0, sizeof *info);
  snprintf(info->id, sizeof info->id, "mock:%u", index);
  snprintf(info->backend, sizeof info->backend, "mock");
  info->kind = QN_DEVICE_GPU;
  info->dtypes = 1u << QN_F32;
  return QN_OK;
}

static qn_status mock_open(unsigned index, qn_bdev **dev) {
  (void)index;
  atomic_store(&mock.opening, true);
  nanosleep(&(struct timespec){0, mock.open_milliseconds * 1000000L}, NULL);
  mock.devices++;
  *dev = &the_device;
  return QN_OK;
}

static void mock_close(qn_bdev *dev) {
  (void)dev;
  mock.devices--;
  for (qn_bevent *event; !mock.devices && (event = all_events);) {
    all_events = event->next;
    free(event);
  }
}

static qn_status mock_alloc(qn_bdev *dev, qn_memory kind, size_t bytes, qn_mem *mem) {
  (void)dev;
  (void)kind;
  if (bytes > mock.room) return qn_fail(QN_EDEVMEM, "mock", "full");
  char *base = malloc(sizeof bytes + bytes);
  if (!base) return qn_fail(QN_EDEVMEM, "mock", "malloc");
  memcpy(base, &bytes, sizeof bytes);
  mock.room -= bytes;
  mock.allocs++;
  *mem = (qn_mem)(base + sizeof bytes);
  return QN_OK;
}

static char *at(qn_mem mem, size_t offset) {
  return (char *)mem + offset; // NOLINT(performance-no-int-to-ptr)
}

static bool inside(const char *p, const char *begin, size_t bytes) {
  return p >= begin && p < begin + bytes;
}

static void mock_free(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev;
  (void)kind;
  char *begin = at(mem, 0);
  size_t bytes;
  memcpy(&bytes, begin - sizeof bytes, sizeof bytes);
  for (int s = 0; s < STREAMS; s++)
    for (unsigned i = 0; streams[s] && i < streams[s]->count; i++) {
      const work *w = &streams[s]->queue[(streams[s]->first + i) % QUEUE];
      if (inside(w->dst, begin, bytes) || inside(w->src, begin, bytes)) mock.touched_after_free++;
    }
  mock.room += bytes;
  mock.frees++;
  free(begin - sizeof bytes);
}

static void *mock_host(qn_bdev *dev, qn_memory kind, qn_mem mem) {
  (void)dev;
  return kind == QN_MEMORY_PINNED ? at(mem, 0) : NULL;
}

/* ---- streams ---- */

static qn_status mock_stream_new(qn_bdev *dev, void *native, qn_bstream **stream) {
  (void)dev;
  (void)native;
  int place = 0;
  while (place < STREAMS && streams[place]) place++;
  if (place == STREAMS) return qn_fail(QN_EBACKEND, "mock", "%d streams", STREAMS);
  streams[place] = *stream = calloc(1, sizeof **stream);
  mock.streams++;
  return QN_OK;
}

static void mock_stream_free(qn_bstream *stream) {
  for (int s = 0; s < STREAMS; s++)
    if (streams[s] == stream) streams[s] = NULL;
  mock.streams--;
  free(stream);
}

static qn_status copy(qn_bstream *stream, char *dst, const char *src, char *owned,
                      const qn_rect *rect) {
  if (mock.lose_next_copy) {
    mock.lose_next_copy = false;
    free(owned);
    return qn_fail(QN_ELOST, "mock", "the device fell off the bus");
  }
  return enqueue(stream,
                 (work){.action = COPY, .dst = dst, .src = src, .owned = owned, .rect = *rect});
}

/* As the table promises, `src` has been read when it returns. */
static qn_status mock_copy_in(qn_bstream *stream, qn_mem dst, size_t dst_offset, const void *src,
                              const qn_rect *rect) {
  size_t bytes = (rect->height - 1) * rect->src_pitch + rect->width;
  char *owned = malloc(bytes);
  memcpy(owned, src, bytes);
  return copy(stream, at(dst, dst_offset), owned, owned, rect);
}

static qn_status mock_copy_out(qn_bstream *stream, void *dst, qn_mem src, size_t src_offset,
                               const qn_rect *rect) {
  return copy(stream, dst, at(src, src_offset), NULL, rect);
}

static qn_status mock_copy(qn_bstream *stream, qn_mem dst, size_t dst_offset, qn_mem src,
                           size_t src_offset, const qn_rect *rect) {
  return copy(stream, at(dst, dst_offset), at(src, src_offset), NULL, rect);
}

static qn_status mock_fill(qn_bstream *stream, qn_mem dst, size_t offset, size_t bytes,
                           uint32_t pattern, unsigned width) {
  return enqueue(stream, (work){.action = FILL,
                                .dst = at(dst, offset),
                                .rect = {.width = bytes},
                                .pattern = pattern,
                                .width = width});
}

/* ---- events ---- */

static qn_status mock_event_new(qn_bdev *dev, qn_bevent **event) {
  (void)dev;
  *event = calloc(1, sizeof **event);
  (*event)->next = all_events;
  all_events = *event;
  mock.events++;
  return QN_OK;
}

static void mock_event_free(qn_bevent *event) {
  (void)event;
  mock.events--;
}

static qn_status mock_event_record(qn_bevent *event, qn_bstream *stream) {
  event->stream = stream;
  return enqueue(stream, (work){.action = RECORD, .event = event, .mark = ++event->recorded});
}

static qn_status mock_event_wait(qn_bevent *event, qn_bstream *stream) {
  mock.waits++;
  if (mock.fail_next_wait) {
    mock.fail_next_wait = false;
    return qn_fail(QN_EBACKEND, "mock", "the wait was refused");
  }
  return enqueue(stream, (work){.action = WAIT, .event = event, .mark = event->recorded});
}

static qn_status mock_event_sync(qn_bevent *event) {
  mock.syncs++;
  run_until(event, event->recorded);
  return QN_OK;
}

static qn_status mock_event_query(qn_bevent *event, bool *done) {
  *done = event->passed == event->recorded;
  return QN_OK;
}

static qn_status mock_event_elapsed(qn_bevent *start, qn_bevent *stop, double *seconds) {
  (void)start;
  (void)stop;
  *seconds = 1.0;
  return QN_OK;
}

const qn_backend_ops mock_backend = {
    .abi = QN_BACKEND_ABI,
    .name = "mock",
    .addresses = true,
    .probe = mock_probe,
    .query = mock_query,
    .open = mock_open,
    .close = mock_close,
    .alloc = mock_alloc,
    .free = mock_free,
    .host = mock_host,
    .stream_new = mock_stream_new,
    .stream_free = mock_stream_free,
    .sync = mock_sync,
    .copy_in = mock_copy_in,
    .copy_out = mock_copy_out,
    .copy = mock_copy,
    .fill = mock_fill,
    .event_new = mock_event_new,
    .event_free = mock_event_free,
    .event_record = mock_event_record,
    .event_wait = mock_event_wait,
    .event_sync = mock_event_sync,
    .event_query = mock_event_query,
    .event_elapsed = mock_event_elapsed,
};
