/* The pool: freed blocks wait here for their next life, for any backend.
 *
 * Sizes. A block is up to its class: powers of two from 512 B in four sub-steps, and from 8 MiB on
 * multiples of 2 MiB. Up to there each class has a list; larger blocks share one, in which a block
 * serves a request of at least four fifths of it. Lists are last in, first out: warm memory first.
 *
 * Time. On a device that works in the background a block may be freed while work on it is still
 * enqueued, and a buffer is allocated before anyone knows on which stream it will be used. So:
 *
 *   - qn_buffer.used has one bit for each stream that has used the buffer in this life; every
 *     function that enqueues sets it first (qn_buffer_use).
 *   - At its free the block takes along the streams that may still be at work on it (`pending`)
 *     and the time by the device's clock. That costs no driver call.
 *   - In the next life the first use by a stream T makes T wait, by an event enqueued on each other
 *     pending stream at that moment: the host never waits. Same stream: nothing to do. A stream
 *     that was synced since the free has nothing pending.
 *   - Where the host will touch the memory, or the driver gets it back, the host waits.
 *
 *       stream S  --[ work on X ]--[ other ]---(event)------
 *       free X         ^used={S}  ^pending={S}    \
 *       stream T  ---------------------------------(wait)--[ work on X, next life ]--
 *
 * The event stands at S's end when T first uses X, not where X was freed: T may wait longer than it
 * must, but a free costs nothing. Blocks that need no wait are preferred, so that in the steady
 * state each stream finds its own again.
 *
 * More than 63 streams: the later ones share the last bit. Waiting for a shared bit means waiting
 * for all of its streams, and such a stream looks at `pending` at every use.
 *
 * All state is guarded by the device's lock. A device that works inline (the cpu) has no pending
 * work ever: `used` stays 0 and none of this runs. */
#include "device/device.h"
#include <limits.h>

enum {
  SMALLEST_SHIFT = 9,
  LARGE_SHIFT = 23, /* above 8 MiB the sub-steps are 2 MiB */
  SUB_STEPS = 4,
  CLASSES = (LARGE_SHIFT - SMALLEST_SHIFT) * SUB_STEPS + 1,
  LARGE = CLASSES, /* the list of all larger blocks */
  LISTS,
  KINDS = QN_MEMORY_PINNED + 1,
  LOOKED_AT = 64 /* blocks of a list that a request considers */
};

struct qn_pool {
  qn_buffer *lists[KINDS][LISTS];
  qn_pool_stats stats;
};

/* The list that serves `bytes`, and the size of its blocks. False when no object can be so large.
 */
static bool size_class(size_t bytes, unsigned *list, size_t *capacity) {
  const size_t smallest = (size_t)1 << SMALLEST_SHIFT;
  if (bytes <= smallest) {
    *list = 0;
    *capacity = smallest;
    return true;
  }
  /* 2^top < bytes <= 2^(top + 1) */
  unsigned top = (unsigned)(sizeof(unsigned long) * CHAR_BIT) - 1 -
                 (unsigned)__builtin_clzl((unsigned long)bytes - 1);
  unsigned shift = (top < LARGE_SHIFT ? top : LARGE_SHIFT) - 2;
  size_t step = (size_t)1 << shift;
  if (bytes > PTRDIFF_MAX - step) return false;
  *capacity = (bytes + step - 1) / step * step;
  *list = LARGE;
  if (top < LARGE_SHIFT)
    *list = (top - SMALLEST_SHIFT) * SUB_STEPS + (unsigned)(*capacity >> shift) - SUB_STEPS;
  return true;
}

/* ---- what may still be at work on a block ---- */

static bool stream_may_use(const qn_stream *stream, const qn_buffer *block) {
  return atomic_load_explicit(&stream->synced, memory_order_relaxed) < block->freed;
}

/* The pending streams less those that were synced, or freed, since. */
static uint64_t still_pending(const qn_buffer *block) {
  uint64_t pending = atomic_load_explicit(&block->pending, memory_order_relaxed), left = 0;
  for (; pending; pending &= pending - 1) {
    unsigned slot = (unsigned)__builtin_ctzll(pending);
    for (const qn_stream *s = block->device->streams[slot]; s; s = s->next)
      if (stream_may_use(s, block)) left |= UINT64_C(1) << slot;
  }
  return left;
}

/* The host waits until no stream is at work on the block. A stream that fails is at rest too. */
static void settle(qn_buffer *block) {
  uint64_t pending = still_pending(block);
  for (; pending; pending &= pending - 1)
    for (qn_stream *s = block->device->streams[__builtin_ctzll(pending)]; s; s = s->next)
      if (stream_may_use(s, block)) block->device->ops->sync(s->handle);
  atomic_store(&block->pending, 0);
}

void qn_buffer_settle(qn_buffer *buffer) {
  pthread_mutex_lock(&buffer->device->lock);
  settle(buffer);
  pthread_mutex_unlock(&buffer->device->lock);
}

qn_status qn_stream_wait_for(qn_stream *stream, qn_stream *waiter) {
  const qn_backend_ops *ops = stream->device->ops;
  qn_status status = QN_OK;
  if (!stream->mark) status = ops->event_new(stream->device->handle, &stream->mark);
  if (status == QN_OK) status = ops->event_record(stream->mark, stream->handle);
  if (status == QN_OK) status = ops->event_wait(stream->mark, waiter->handle);
  return status;
}

qn_status qn_buffer_join(qn_buffer *buffer, qn_stream *stream) {
  qn_device *device = stream->device;
  qn_status status = QN_OK;
  pthread_mutex_lock(&device->lock);
  uint64_t pending = still_pending(buffer);
  for (; pending && status == QN_OK; pending &= pending - 1)
    for (qn_stream *s = device->streams[__builtin_ctzll(pending)]; s && status == QN_OK;
         s = s->next)
      if (s != stream && stream_may_use(s, buffer)) status = qn_stream_wait_for(s, stream);
  if (status == QN_OK) atomic_fetch_or(&buffer->used, UINT64_C(1) << stream->slot);
  pthread_mutex_unlock(&device->lock);
  return qn_stream_result(stream, status);
}

/* ---- the driver's side ---- */

static void release_block(qn_buffer *block) {
  qn_device *device = block->device;
  settle(block);
  device->ops->free(device->handle, block->kind, block->mem);
  device->pool->stats.held -= block->capacity;
  qn_host_free(block, sizeof *block);
}

/* Gives cached blocks back, large ones first, until no more than `target` bytes are held. */
static void trim(qn_pool *pool, uint64_t target) {
  for (unsigned list = LISTS; list-- > 0;)
    for (unsigned kind = 0; kind < KINDS; kind++)
      for (qn_buffer *block; pool->stats.held > target && (block = pool->lists[kind][list]);) {
        pool->lists[kind][list] = block->next;
        release_block(block);
      }
}

/* Makes room for `capacity` more under the limit. Without one the cpu's pool keeps to half of the
 * memory while it can: the system would overcommit, and kill, where a driver refuses. */
static qn_status make_room(qn_device *device, size_t bytes, size_t capacity) {
  qn_pool *pool = device->pool;
  uint64_t limit = pool->stats.limit, target = limit;
  if (!limit && device->cpu) target = device->info.memory / 2;
  if (!target) return QN_OK;
  if (pool->stats.held + capacity > target) trim(pool, target > capacity ? target - capacity : 0);
  if (!limit || pool->stats.held + capacity <= limit) return QN_OK;
  return qn_fail(QN_EDEVMEM, "qn_buffer_alloc",
                 "%zu bytes asked for, %llu in use, limit %llu (QUERN_POOL_LIMIT)", bytes,
                 (unsigned long long)pool->stats.in_use, (unsigned long long)limit);
}

static qn_status new_block(qn_device *device, qn_memory kind, size_t bytes, size_t capacity,
                           unsigned list, qn_buffer **out) {
  qn_pool *pool = device->pool;
  qn_status status = make_room(device, bytes, capacity);
  if (status != QN_OK) return status;

  qn_buffer *block = qn_host_zalloc(sizeof *block);
  if (!block) return qn_fail(QN_ENOMEM, "qn_buffer_alloc", "no memory for the buffer");
  const qn_backend_ops *ops = device->ops;
  pool->stats.driver_calls++;
  status = ops->alloc(device->handle, kind, capacity, &block->mem);
  if (status == QN_EDEVMEM && pool->stats.held > pool->stats.in_use) {
    trim(pool, 0);
    pool->stats.driver_calls++;
    status = ops->alloc(device->handle, kind, capacity, &block->mem);
  }
  if (status != QN_OK) {
    qn_host_free(block, sizeof *block);
    if (status == QN_EDEVMEM)
      qn_error_prefix("%s: %zu bytes asked for, %llu in use: ", device->info.id, bytes,
                      (unsigned long long)pool->stats.in_use);
    return qn_device_result(device, status);
  }
  block->device = device;
  block->kind = kind;
  block->capacity = capacity;
  block->list = list;
  block->host = ops->host(device->handle, kind, block->mem);
  pool->stats.held += capacity;
  *out = block;
  return QN_OK;
}

/* ---- lists ---- */

/* Of the blocks that fit, one that `stream` need not wait for, else the smallest; NULL if none. */
static qn_buffer *take_cached(qn_buffer **list, size_t capacity, const qn_stream *stream) {
  uint64_t own = stream ? UINT64_C(1) << stream->slot : 0;
  qn_buffer **best = NULL;
  bool best_waits = false;
  int looked = 0;
  for (qn_buffer **link = list; *link && looked < LOOKED_AT; link = &(*link)->next, looked++) {
    qn_buffer *block = *link;
    if (block->capacity < capacity || block->capacity - capacity > capacity / SUB_STEPS) continue;
    bool waits = still_pending(block) & ~own;
    bool better = !best || (best_waits && !waits) ||
                  (best_waits == waits && block->capacity < (*best)->capacity);
    if (!better) continue;
    best = link;
    best_waits = waits;
    if (!waits && block->capacity == capacity) break;
  }
  if (!best) return NULL;
  qn_buffer *block = *best;
  *best = block->next;
  return block;
}

qn_status qn_pool_take(qn_device *device, qn_memory kind, size_t bytes, const qn_stream *stream,
                       qn_buffer **out) {
  unsigned list;
  size_t capacity;
  if (!size_class(bytes, &list, &capacity))
    return qn_fail(QN_EDEVMEM, "qn_buffer_alloc", "%zu bytes asked for", bytes);

  qn_pool *pool = device->pool;
  qn_status status = QN_OK;
  pthread_mutex_lock(&device->lock);
  pool->stats.requests++;
  qn_buffer *block = take_cached(&pool->lists[kind][list], capacity, stream);
  if (!block) status = new_block(device, kind, bytes, capacity, list, &block);
  if (block) {
    pool->stats.in_use += block->capacity;
    if (pool->stats.in_use > pool->stats.peak) pool->stats.peak = pool->stats.in_use;
    block->size = bytes;
    atomic_store_explicit(&block->used, 0, memory_order_relaxed);
    atomic_store_explicit(&block->pending, still_pending(block), memory_order_relaxed);
    qn_device_retain(device);
    *out = block;
  }
  pthread_mutex_unlock(&device->lock);
  return status;
}

void qn_pool_give(qn_buffer *block) {
  qn_device *device = block->device;
  qn_pool *pool = device->pool;
  pthread_mutex_lock(&device->lock);
  /* Who used it has waited for those before: if anyone did, they alone are pending. */
  uint64_t used = atomic_load_explicit(&block->used, memory_order_relaxed);
  if (used) {
    atomic_store_explicit(&block->pending, used, memory_order_relaxed);
    block->freed = atomic_fetch_add(&device->clock, 1) + 1;
  }
  pool->stats.in_use -= block->capacity;
  block->next = pool->lists[block->kind][block->list];
  pool->lists[block->kind][block->list] = block;
  pthread_mutex_unlock(&device->lock);
  qn_device_release(device);
}

/* ---- the pool as a whole ---- */

qn_status qn_pool_new(qn_device *device) {
  device->pool = qn_host_zalloc(sizeof *device->pool);
  if (!device->pool) return qn_fail(QN_ENOMEM, "qn_device_open", "no memory for the pool");
  device->pool->stats.limit = qn_env_bytes("QUERN_POOL_LIMIT", 0);
  return QN_OK;
}

void qn_pool_delete(qn_device *device) {
  if (!device->pool) return;
  trim(device->pool, 0);
  qn_host_free(device->pool, sizeof *device->pool);
}

qn_status qn_pool_query(qn_device *device, qn_pool_stats *stats) {
  if (!device || !stats)
    return qn_fail(QN_EINVAL, "qn_pool_query", "%s is NULL", device ? "stats" : "device");
  pthread_mutex_lock(&device->lock);
  *stats = device->pool->stats;
  pthread_mutex_unlock(&device->lock);
  return QN_OK;
}

qn_status qn_pool_trim(qn_device *device) {
  if (!device) return qn_fail(QN_EINVAL, "qn_pool_trim", "device is NULL");
  pthread_mutex_lock(&device->lock);
  trim(device->pool, 0);
  pthread_mutex_unlock(&device->lock);
  return QN_OK;
}

qn_status qn_pool_set_limit(qn_device *device, uint64_t bytes) {
  if (!device) return qn_fail(QN_EINVAL, "qn_pool_set_limit", "device is NULL");
  pthread_mutex_lock(&device->lock);
  device->pool->stats.limit = bytes;
  if (bytes) trim(device->pool, bytes);
  pthread_mutex_unlock(&device->lock);
  return QN_OK;
}
