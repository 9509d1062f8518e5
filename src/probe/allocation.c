/* Memory from the driver, and out of the pool. */
#include "probe/families.h"
#include "probe/noise.h"
#include <math.h>

enum { SIZES = 3 };
static const size_t sizes[SIZES] = {(size_t)64 << 10, (size_t)16 << 20, (size_t)256 << 20};

typedef struct allocation_job {
  size_t bytes;
  bool by_driver;
  uint64_t asked; /* calls of the driver so far */
} allocation_job;

/* Trimmed, the pool asks the driver next time, and gives back to it now. */
static qn_status allocate(probe *p, void *user, unsigned turn) {
  (void)turn;
  const allocation_job *j = user;
  qn_buffer *buffer;
  qn_status status = qn_buffer_alloc(p->device, QN_MEMORY_DEVICE, j->bytes, &buffer);
  if (status) return status;
  qn_buffer_free(buffer);
  return j->by_driver ? qn_pool_trim(p->device) : QN_OK;
}

static uint64_t driver_calls(probe *p) {
  qn_pool_stats stats = {0};
  if (!p->status) p->status = qn_pool_query(p->device, &stats);
  return stats.driver_calls;
}

static probe_figure *one(probe *p, allocation_job *j) {
  const char *text = j->by_driver ? "driver" : "pool";
  probe_figure *f = probe_add(p, text, (double)j->bytes, PROBE_US, "%s %s", text,
                              probe_size_text((double)j->bytes).text);
  if (!f) return NULL;
  p->status = qn_pool_trim(p->device);
  const uint64_t before = driver_calls(p);
  probe_time_whole(p, f, allocate, j);
  const uint64_t asked = driver_calls(p) - before;
  /* the pool asks once; without it every request reaches the driver */
  probe_check(f, j->by_driver ? asked >= f->seconds.count : asked <= 1);
  return f;
}

/* The same on all devices, the cpu too. */
void probe_allocation(probe *p) {
  probe_figure *f[2] = {NULL, NULL};
  for (int i = 0; i < SIZES; i++) {
    for (int pool = 0; pool < 2; pool++) {
      allocation_job j = {.bytes = sizes[i], .by_driver = !pool};
      if ((int64_t)j.bytes <= p->settings.bytes || i == 0) f[pool] = one(p, &j);
    }
  }
  if (p->status || !f[1]) return;
  probe_say(p, "memory from the driver and back takes %.3g us, out of the pool %.3g us",
            probe_value(f[0]), probe_value(f[1]));
  probe_gain(p, f[0], f[1]);
}
