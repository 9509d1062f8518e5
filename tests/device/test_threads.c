/* Many threads on one device, and a fork while they work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "mock.h"

enum { THREADS = 16, ROUNDS = 100 };

static atomic_bool locked;

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) return __LINE__;                                                             \
  } while (0)

/* Opens, allocates, writes, copies, reads back and closes; a line number when something is wrong.
 * Every thread has its own pattern, so that a block in two hands shows. */
static int one_round(unsigned seed) {
  enum { WORDS = 3000 };
  static _Thread_local uint32_t in[WORDS], out[WORDS];
  size_t bytes = 4 * (1 + seed % WORDS);
  qn_device *device;
  qn_stream *stream;
  qn_event *event;
  qn_buffer *a, *b;
  qn_pool_stats stats;
  for (size_t i = 0; i < WORDS; i++) in[i] = seed * 2654435761u + (uint32_t)i;
  REQUIRE(qn_device_open("cpu", &device) == QN_OK);
  REQUIRE(qn_stream_create(device, &stream) == QN_OK);
  REQUIRE(qn_event_create(device, &event) == QN_OK);
  REQUIRE(qn_buffer_alloc(device, QN_MEMORY_DEVICE, bytes, &a) == QN_OK);
  REQUIRE(qn_scratch_alloc(stream, bytes, &b) == QN_OK);
  REQUIRE(qn_copy_in(stream, a, 0, in, bytes) == QN_OK);
  REQUIRE(qn_copy(stream, b, 0, a, 0, bytes) == QN_OK);
  REQUIRE(qn_fill(stream, a, 0, bytes, 0, 4) == QN_OK);
  REQUIRE(qn_copy_out(stream, out, b, 0, bytes) == QN_OK);
  REQUIRE(qn_event_record(event, stream) == QN_OK);
  REQUIRE(qn_event_sync(event) == QN_OK);
  REQUIRE(qn_stream_sync(stream) == QN_OK);
  REQUIRE(memcmp(in, out, bytes) == 0);
  REQUIRE(qn_pool_query(device, &stats) == QN_OK && stats.in_use <= stats.held);
  if (seed % 8 == 0) REQUIRE(qn_pool_trim(device) == QN_OK);
  qn_scratch_free(stream, b);
  qn_event_free(event);
  qn_stream_free(stream);
  qn_device_close(device);
  qn_buffer_free(a); /* the last to hold the device, perhaps */
  return 0;
}

static void *many_rounds(void *arg) {
  unsigned number = *(unsigned *)arg;
  for (unsigned round = 0; round < ROUNDS; round++) {
    int line = one_round(number * ROUNDS + round);
    if (line) return (void *)(intptr_t)line; // NOLINT(performance-no-int-to-ptr)
  }
  return NULL;
}

static void run_threads(void *(*work)(void *), void (*meanwhile)(void)) {
  pthread_t threads[THREADS];
  unsigned numbers[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    numbers[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
  }
  if (meanwhile) meanwhile();
  for (int i = 0; i < THREADS; i++) {
    void *line;
    assert_int_equal(pthread_join(threads[i], &line), 0);
    assert_null(line);
  }
}

static void threads_share_a_device(void **state) {
  (void)state;
  qn_device *device;
  assert_int_equal(qn_device_open("cpu", &device), QN_OK);
  run_threads(many_rounds, NULL);
  qn_pool_stats stats;
  assert_int_equal(qn_pool_query(device, &stats), QN_OK);
  assert_int_equal(stats.in_use, 0);
  assert_int_equal(stats.requests, 2 * THREADS * ROUNDS);
  assert_int_equal(atomic_load(&device->references), 1);
  qn_device_close(device);
}

/* Nobody holds it open: it comes and goes under the threads. */
static void a_device_comes_and_goes(void **state) {
  (void)state;
  run_threads(many_rounds, NULL);
}

/* Each child must be able to go on, whatever the other threads held when it was made. An alarm ends
 * one that hangs. */
static void fork_children(void) {
  for (int child = 0; child < 20; child++) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
      alarm(20);
      for (unsigned round = 0; round < 5; round++)
        if (one_round(1000000 + round)) _exit(1);
      _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

static void a_child_forked_in_mid_use_goes_on(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); /* gcc 12's takes none of its allocator's locks at a fork: a child may wait for ever */
#endif
  qn_device *device;
  assert_int_equal(qn_device_open("cpu", &device), QN_OK);
  run_threads(many_rounds, fork_children);
  qn_device_close(device);
}

/* Forks when a thread that runs `hold` has set `held`: a lock is taken then. `child` is what the
 * child must be able to do. */
static void fork_while_locked(void *(*hold)(void *), const atomic_bool *held, qn_device *arg,
                              bool (*child)(qn_device *)) {
  pthread_t holder;
  assert_int_equal(pthread_create(&holder, NULL, hold, arg), 0);
  while (!atomic_load(held)) sched_yield();
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    alarm(20);
    _exit(child(arg) ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(pthread_join(holder, NULL), 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void *hold_the_device(void *arg) {
  qn_device *device = arg;
  pthread_mutex_lock(&device->lock);
  atomic_store(&locked, true);
  nanosleep(&(struct timespec){0, 200000000}, NULL);
  pthread_mutex_unlock(&device->lock);
  return NULL;
}

static bool allocate(qn_device *device) {
  qn_buffer *buffer;
  return qn_buffer_alloc(device, QN_MEMORY_DEVICE, 100, &buffer) == QN_OK;
}

static void a_fork_waits_for_the_devices_lock(void **state) {
  (void)state;
  qn_device *device;
  assert_int_equal(qn_device_open("cpu", &device), QN_OK);
  fork_while_locked(hold_the_device, &locked, device, allocate);
  qn_device_close(device);
}

/* Opening holds the registry's lock, here for long. */
static void *open_slowly(void *arg) {
  (void)arg;
  qn_device *device;
  if (qn_device_acquire(&mock_backend, 0, &device) == QN_OK) qn_device_close(device);
  return NULL;
}

static bool open_and_close(qn_device *unused) {
  (void)unused;
  return one_round(5) == 0;
}

static void a_fork_waits_for_the_registrys_lock(void **state) {
  (void)state;
  mock_reset();
  mock.open_milliseconds = 200;
  fork_while_locked(open_slowly, &mock.opening, NULL, open_and_close);
}

/* A process that frees nothing ends like any other. */
static void exit_without_freeing_is_clean(void **state) {
  (void)state;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    alarm(20);
    qn_device *device;
    qn_stream *stream;
    qn_buffer *buffer;
    bool ok = qn_device_open("cpu", &device) == QN_OK &&
              qn_stream_create(device, &stream) == QN_OK &&
              qn_buffer_alloc(device, QN_MEMORY_DEVICE, 1000, &buffer) == QN_OK;
    exit(ok ? 7 : 1);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exit_without_freeing_is_clean),
      cmocka_unit_test(a_fork_waits_for_the_devices_lock),
      cmocka_unit_test(a_fork_waits_for_the_registrys_lock),
      cmocka_unit_test(threads_share_a_device),
      cmocka_unit_test(a_device_comes_and_goes),
      cmocka_unit_test(a_child_forked_in_mid_use_goes_on),
  };
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
