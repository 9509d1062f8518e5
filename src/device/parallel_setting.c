/* How many threads the cpu may use: what the program set, else QUERN_THREADS, else one a core that
 * this process may run on. How many streams a routine may: likewise, QUERN_STREAMS, else one. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "device/device.h"
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST = 4096 };

static atomic_int setting, streams_setting;

int qn_cores(void) {
  static atomic_int known;
  int count = atomic_load_explicit(&known, memory_order_relaxed);
  if (count > 0) return count;
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
#endif
  if (count <= 0) count = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (count <= 0) count = 1;
  atomic_store_explicit(&known, count, memory_order_relaxed);
  return count;
}

qn_status qn_set_num_threads(int threads) {
  if (threads < 0 || threads > MOST)
    return qn_fail(QN_EINVAL, "qn_set_num_threads", "threads is %d, not within 0..%d", threads,
                   (int)MOST);
  atomic_store_explicit(&setting, threads, memory_order_relaxed);
  return QN_OK;
}

int qn_num_threads(void) {
  int threads = atomic_load_explicit(&setting, memory_order_relaxed);
  return threads > 0 ? threads : (int)qn_env_int("QUERN_THREADS", qn_cores(), 1, MOST);
}

qn_status qn_set_num_streams(int streams) {
  if (streams < 0 || streams > QN_LANES_MOST)
    return qn_fail(QN_EINVAL, "qn_set_num_streams", "streams is %d, not within 0..%d", streams,
                   (int)QN_LANES_MOST);
  atomic_store_explicit(&streams_setting, streams, memory_order_relaxed);
  return QN_OK;
}

int qn_num_streams(void) {
  int streams = atomic_load_explicit(&streams_setting, memory_order_relaxed);
  return streams > 0 ? streams : (int)qn_env_int("QUERN_STREAMS", 1, 1, QN_LANES_MOST);
}
