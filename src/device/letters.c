/* Small results on their way to ordinary host memory, without the host's waiting.
 *
 *   device  --copy, in the stream's order-->  pinned buffer  --by the next sync-->  its place
 *           --a kernel's own stores------->
 *
 * CUDA holds the host up in a copy to memory that is not pinned until the work before it is done.
 */
#include "device/device.h"
#include <string.h>

struct qn_letter {
  void *to;
  size_t bytes;
  qn_buffer *pinned;
  qn_letter *next;
};

static void letter_free(qn_letter *letter) {
  qn_buffer_free(letter->pinned);
  qn_host_free(letter, sizeof *letter);
}

/* NULL without memory for it. */
static qn_letter *letter_new(qn_stream *stream, void *to, size_t bytes) {
  qn_letter *letter = qn_host_zalloc(sizeof *letter);
  if (!letter) return NULL;
  *letter = (qn_letter){.to = to, .bytes = bytes};
  if (qn_pool_take(stream->device, QN_MEMORY_PINNED, bytes, stream, &letter->pinned) == QN_OK &&
      letter->pinned->host && qn_buffer_use(letter->pinned, stream) == QN_OK)
    return letter;
  letter_free(letter);
  return NULL;
}

static void enqueue(qn_stream *stream, qn_letter *letter) {
  *(stream->letters ? &stream->last_letter->next : &stream->letters) = letter;
  stream->last_letter = letter;
}

qn_buffer *qn_post_place(qn_stream *stream, void *to, size_t bytes) {
  qn_letter *letter = stream->device->cpu ? NULL : letter_new(stream, to, bytes);
  if (!letter) return NULL;
  enqueue(stream, letter);
  return letter->pinned;
}

qn_status qn_post(qn_stream *stream, void *to, const qn_buffer *src, size_t bytes) {
  qn_letter *letter = stream->device->cpu ? NULL : letter_new(stream, to, bytes);
  if (!letter) return qn_copy_out(stream, to, src, 0, bytes);
  const qn_status status = qn_copy_out(stream, letter->pinned->host, src, 0, bytes);
  if (status != QN_OK) {
    letter_free(letter);
    return status;
  }
  enqueue(stream, letter);
  return QN_OK;
}

void qn_recall(qn_stream *stream, const void *to, size_t bytes) {
  const uintptr_t begin = (uintptr_t)to, end = begin + bytes;
  for (qn_letter *letter = stream->letters; letter; letter = letter->next) {
    const uintptr_t there = (uintptr_t)letter->to;
    if (there < end && begin < there + letter->bytes) letter->bytes = 0;
  }
}

void qn_deliver(qn_stream *stream, bool arrived) {
  for (qn_letter *letter; (letter = stream->letters);) {
    stream->letters = letter->next;
    if (arrived) memcpy(letter->to, letter->pinned->host, letter->bytes);
    letter_free(letter);
  }
}
