/* The thread pool: workers that sleep on one word which says which job runs and how wide it is. */
#include "backends/cpu/threads.h"
#include "backends/cpu/core_place.h"
#include "core/core.h"
#include <quern/device.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

/* How long a thread waits before it sleeps: longer than a program takes between two calls, as to
 * wake a thread costs tens of microseconds. */
static const double WAIT_SECONDS = 1e-3;

/* Turns of waiting before a thread begins to let others run, and between two times of that. */
enum { PATIENCE = 128, TURNS = 16, WIDTH_BITS = 16 };

/* Flops below which one thread is faster than waking a second, and that each further one needs. */
static const double FLOPS_PER_THREAD = 1.5e6;

static struct {
  atomic_flag busy; /* held by the caller whose job runs */
  int workers;      /* started; changed by the holder of `busy` alone */

  /* The job: its number in the upper bits, its width below, so that a worker learns in one load
   * whether it takes part. fn, arg and core hold still until `running` is zero. */
  atomic_uint job;
  qn_team_fn *fn;
  void *arg;
  int core;           /* the caller's, when it began; -1 where not known */
  atomic_int running; /* workers that still have a part to do */

  atomic_int arrived; /* the barrier */
  atomic_uint phase;

  pthread_mutex_t lock; /* for sleeping alone */
  pthread_cond_t wake, done;
  atomic_int asleep;         /* workers */
  atomic_bool caller_asleep; /* the holder of `busy` */
  struct sleeper {           /* worker t at t - 1 */
    int thread, core;        /* where it fell asleep; -1 while it is awake */
    int shunned;             /* the core that its waker keeps it from, else -1 */
  } sleepers[QN_MAX_THREADS];
} pool = {.busy = ATOMIC_FLAG_INIT,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One turn of waiting; false when it has taken too long. On a busy machine the thread that is
 * waited for may need this very core. */
static bool wait_a_turn(unsigned turn, double *start) {
  relax();
  if (turn < PATIENCE || turn % TURNS) return true;
  if (turn == PATIENCE) *start = now();
  sched_yield();
  return now() - *start < WAIT_SECONDS;
}

static unsigned width_of(unsigned job) {
  return job & ((1u << WIDTH_BITS) - 1);
}

/* Waits for a job after `seen`. Sleeping: `asleep` goes up before the job is looked at once more,
 * and the caller publishes the job before it looks at `asleep`, so that one sees the other. */
static unsigned next_job(struct sleeper *me, unsigned seen) {
  double start;
  unsigned job, turn = 0;
  do {
    job = atomic_load(&pool.job);
    if (job != seen) return job;
  } while (wait_a_turn(turn++, &start));
  pthread_mutex_lock(&pool.lock);
  atomic_fetch_add(&pool.asleep, 1);
  *me = (struct sleeper){qn_core_thread(), qn_core_here(), -1};
  while ((job = atomic_load(&pool.job)) == seen) pthread_cond_wait(&pool.wake, &pool.lock);
  int shunned = me->shunned;
  me->core = me->shunned = -1;
  atomic_fetch_sub(&pool.asleep, 1);
  pthread_mutex_unlock(&pool.lock);
  if (shunned >= 0) qn_core_readmit(shunned);
  return job;
}

/* The caller works on `core`: to share it with a worker would halve both. */
static void leave_core(int core) {
  if (core >= 0 && core == qn_core_here() && qn_core_shun(0, core)) qn_core_readmit(core);
}

typedef struct start {
  int thread;
  unsigned seen;
} start;

static void *work(void *arg) {
  start s = *(start *)arg;
  qn_host_free(arg, sizeof s);
  for (unsigned job = s.seen;;) {
    job = next_job(&pool.sleepers[s.thread - 1], job);
    if ((unsigned)s.thread >= width_of(job)) continue;
    leave_core(pool.core);
    pool.fn(pool.arg, s.thread, (int)width_of(job));
    if (atomic_fetch_sub(&pool.running, 1) == 1 && atomic_load(&pool.caller_asleep)) {
      pthread_mutex_lock(&pool.lock);
      pthread_cond_signal(&pool.done);
      pthread_mutex_unlock(&pool.lock);
    }
  }
  return NULL;
}

/* A child has none of its parent's threads, and the locks may have been held. */
static void reset_in_child(void) {
  static const pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pool.lock = lock;
  pool.wake = pool.done = condition;
  pool.workers = 0;
  atomic_store(&pool.running, 0);
  atomic_store(&pool.arrived, 0);
  atomic_store(&pool.asleep, 0);
  atomic_store(&pool.caller_asleep, false);
  atomic_flag_clear(&pool.busy);
}

static void register_fork(void) {
  pthread_atfork(NULL, NULL, reset_in_child);
}

/* Workers are detached and take no signals, which belong to the host program's threads. */
static bool start_worker(int thread) {
  start *s = qn_host_alloc(sizeof *s);
  if (!s) return false;
  *s = (start){thread, atomic_load(&pool.job)};
  pthread_attr_t attributes;
  sigset_t all, old;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t id;
  bool started = pthread_create(&id, &attributes, work, s) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  if (!started) {
    qn_host_free(s, sizeof *s);
    qn_log(QN_LOG_WARNING, "a worker thread could not be started; going on with %d", thread);
  }
  return started;
}

static int grow(int wanted) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_fork);
  if (wanted > QN_MAX_THREADS) wanted = QN_MAX_THREADS;
  while (pool.workers < wanted - 1) {
    pool.sleepers[pool.workers].core = -1;
    if (!start_worker(pool.workers + 1)) break;
    pool.workers++;
  }
  return pool.workers + 1 < wanted ? pool.workers + 1 : wanted;
}

static void wait_for_workers(void) {
  double start;
  unsigned turn = 0;
  do {
    if (atomic_load(&pool.running) == 0) return;
  } while (wait_a_turn(turn++, &start));
  pthread_mutex_lock(&pool.lock);
  atomic_store(&pool.caller_asleep, true);
  while (atomic_load(&pool.running) != 0) pthread_cond_wait(&pool.done, &pool.lock);
  atomic_store(&pool.caller_asleep, false);
  pthread_mutex_unlock(&pool.lock);
}

/* Wakes all that sleep, none of them on the caller's core. Where there are few, none is left to the
 * system: on a virtual machine a core that idles counts as taken, and one that slept elsewhere is
 * woken here too. More than FEW would keep the caller longer than it wins. */
static void wake_workers(void) {
  enum { FEW = 4 };
  pthread_mutex_lock(&pool.lock);
  for (int i = 0; i < pool.workers && pool.core >= 0; i++) {
    struct sleeper *s = &pool.sleepers[i];
    bool near = s->core == pool.core || (s->core >= 0 && pool.workers <= FEW);
    if (near && s->shunned < 0 && qn_core_shun(s->thread, pool.core)) s->shunned = pool.core;
  }
  pthread_cond_broadcast(&pool.wake);
  pthread_mutex_unlock(&pool.lock);
}

void qn_team_run(int wanted, qn_team_fn *fn, void *arg) {
  if (wanted <= 1 || atomic_flag_test_and_set(&pool.busy)) {
    fn(arg, 0, 1);
    return;
  }
  int threads = grow(wanted);
  if (threads > 1) {
    pool.fn = fn;
    pool.arg = arg;
    pool.core = qn_core_here();
    atomic_store(&pool.running, threads - 1);
    unsigned number = (atomic_load(&pool.job) >> WIDTH_BITS) + 1;
    atomic_store(&pool.job, number << WIDTH_BITS | (unsigned)threads);
    if (atomic_load(&pool.asleep) > 0) wake_workers();
    fn(arg, 0, threads);
    wait_for_workers();
  } else {
    fn(arg, 0, 1);
  }
  atomic_flag_clear(&pool.busy);
}

void qn_team_barrier(int threads) {
  if (threads <= 1) return;
  unsigned phase = atomic_load(&pool.phase);
  if (atomic_fetch_add(&pool.arrived, 1) == threads - 1) {
    atomic_store(&pool.arrived, 0);
    atomic_fetch_add(&pool.phase, 1);
    return;
  }
  double start;
  for (unsigned turn = 0; atomic_load(&pool.phase) == phase; turn++) wait_a_turn(turn, &start);
}

int qn_team_size(double flops) {
  if (flops < 2 * FLOPS_PER_THREAD) return 1;
  double most = flops / FLOPS_PER_THREAD;
  int threads = qn_num_threads();
  return threads < most ? threads : (int)most;
}
