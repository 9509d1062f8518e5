/* Sixteen threads on sixteen streams of one device get the bits that one thread gets; a child
 * forked in mid-use of the cpu computes too. On the device that QUERN_TEST_DEVICE names, the cpu by
 * default. */
#include "blas3/workload.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 16, ROUNDS = 6, ORDER = 200 };

static qn_device *device;
static unsigned char *want[WORKLOADS];

static qn_status compute(int kind, unsigned char *result) {
  qn_stream *stream;
  qn_status status = qn_stream_create(device, &stream);
  if (status != QN_OK) return status;
  workload w;
  status = workload_open(&w, stream, kind, ORDER);
  if (status == QN_OK) {
    status = workload_fill(&w, stream);
    if (status == QN_OK) status = workload_run(&w, stream);
    if (status == QN_OK) status = workload_read(&w, stream, result);
    workload_close(&w);
  }
  qn_stream_free(stream);
  return status;
}

static size_t bytes_of(int kind) {
  return (size_t)ORDER * ORDER * (kind == WORK_TRSM_HALF || kind == WORK_TRMM_HALF ? 2 : 4);
}

static int prepare(void **state) {
  (void)state;
  qn_device_set_trsm_block(device, 48);
  qn_device_set_trmm_block(device, 48);
  qn_set_num_threads(1);
  for (int kind = 0; kind < WORKLOADS; kind++) {
    want[kind] = malloc(bytes_of(kind));
    if (!want[kind] || compute(kind, want[kind]) != QN_OK) return -1;
  }
  qn_set_num_threads(2);
  return 0;
}

static int finish(void **state) {
  (void)state;
  for (int kind = 0; kind < WORKLOADS; kind++) free(want[kind]);
  qn_set_num_threads(0);
  qn_device_close(device);
  return 0;
}

/* Counts results that are not as one thread had them. */
static void *work(void *argument) {
  size_t wrong = 0;
  unsigned char *result = malloc(bytes_of(WORK_GEMM));
  if (!result) return (void *)(size_t)1;
  for (int i = 0; i < ROUNDS; i++) {
    int kind = (int)((size_t)argument + (size_t)i) % WORKLOADS;
    if (compute(kind, result) != QN_OK || memcmp(result, want[kind], bytes_of(kind)) != 0) wrong++;
  }
  free(result);
  return (void *)wrong;
}

static void many_threads(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(threads + i, NULL, work, (void *)i), 0);
  size_t wrong = 0;
  for (int i = 0; i < THREADS; i++) {
    void *result;
    assert_int_equal(pthread_join(threads[i], &result), 0);
    wrong += (size_t)result;
  }
  assert_int_equal(wrong, 0);
}

/* The pool's threads are not in the child: it must neither wait for them nor use their work. */
static void forked(void **state) {
  (void)state;
  assert_ptr_equal(work((void *)0), NULL);
  pthread_t other;
  assert_int_equal(pthread_create(&other, NULL, work, (void *)1), 0);
  for (int i = 0; i < 4; i++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      alarm(60); /* a hang becomes a failure */
      _exit(work((void *)(size_t)i) ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  void *result;
  assert_int_equal(pthread_join(other, &result), 0);
  assert_ptr_equal(result, NULL);
  assert_ptr_equal(work((void *)2), NULL);
}

int main(int argc, char **argv) {
  const struct CMUnitTest threads[] = {cmocka_unit_test(many_threads)};
  const struct CMUnitTest forks[] = {cmocka_unit_test(forked)};
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (qn_device_open(name ? name : "cpu", &device)) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  if (argc > 1 && strcmp(argv[1], "fork") == 0)
    return cmocka_run_group_tests(forks, prepare, finish);
  return cmocka_run_group_tests(threads, prepare, finish);
}
