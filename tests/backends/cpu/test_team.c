/* The thread pool, and the cpu's products on it: every part runs once, the bits do not depend on
 * the number of threads, and many callers at once do not disturb one another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gemm_check.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/threads.h"
#include <quern/device.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, ROUNDS = 50, CALLERS = 16 };

typedef struct count_job {
  atomic_int ran[MOST];
  atomic_int width;
  atomic_int before[ROUNDS]; /* how many came to each barrier */
  atomic_bool passed_early;
} count_job;

static void count_part(void *arg, int thread, int threads) {
  count_job *job = arg;
  atomic_fetch_add(&job->ran[thread], 1);
  atomic_store(&job->width, threads);
  for (int r = 0; r < ROUNDS; r++) {
    atomic_fetch_add(&job->before[r], 1);
    qn_team_barrier(threads);
    if (atomic_load(&job->before[r]) != threads) atomic_store(&job->passed_early, true);
  }
}

static void every_part_runs_once(void **unused) {
  (void)unused;
  for (int turn = 0; turn < 40; turn++) {
    count_job job = {0};
    int wanted = 1 + turn % MOST;
    qn_team_run(wanted, count_part, &job);
    int width = atomic_load(&job.width);
    assert_int_equal(width, wanted);
    for (int t = 0; t < MOST; t++) assert_int_equal(atomic_load(&job.ran[t]), t < width);
    assert_false(atomic_load(&job.passed_early));
  }
}

/* A job inside a job: the pool is busy, the inner one runs alone and nothing waits. */
static void inner_part(void *arg, int thread, int threads) {
  atomic_int *sum = arg;
  assert_int_equal(thread, 0);
  assert_int_equal(threads, 1);
  atomic_fetch_add(sum, 1);
}
static void outer_part(void *arg, int thread, int threads) {
  (void)thread;
  (void)threads;
  qn_team_run(4, inner_part, arg);
}
static void jobs_nest(void **unused) {
  (void)unused;
  atomic_int sum = 0;
  qn_team_run(3, outer_part, &sum);
  assert_int_equal(atomic_load(&sum), 3);
}

static const gemm_shape shapes[] = {
    {QN_F32, QN_F32, 301, 277, 190, 'N', 'T', {1, 0}, {0.5, 0}, QN_REGION_ALL, 2},
    {QN_F64, QN_F64, 40, 900, 301, 'T', 'N', {-1, 0}, {0, 0}, QN_REGION_ALL, 0},
    {QN_C64, QN_C64, 150, 150, 150, 'C', 'N', {1, 2}, {1, 0}, QN_REGION_LOWER, 1},
    {QN_BF16, QN_BF16, 260, 250, 140, 'N', 'N', {1, 0}, {1, 0}, QN_REGION_UPPER, 3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static gemm_problem problems[SHAPES];
static char *expected[SHAPES]; /* C as one thread makes it */

static int make_problems(void **unused) {
  (void)unused;
  qn_set_num_threads(1);
  for (int i = 0; i < SHAPES; i++) {
    gemm_problem_init(&problems[i], &shapes[i], FAMILY_UNIFORM);
    if (qn_cpu_ops_get()->gemm(&problems[i].call) != QN_OK) return -1;
    expected[i] = malloc(problems[i].c_bytes);
    memcpy(expected[i], problems[i].call.c.data, problems[i].c_bytes);
  }
  return 0;
}

static int free_problems(void **unused) {
  (void)unused;
  for (int i = 0; i < SHAPES; i++) {
    gemm_problem_free(&problems[i]);
    free(expected[i]);
  }
  return 0;
}

/* Runs problem i on a fresh copy of C; true when the bits are one thread's. */
static bool same_bits(int i) {
  const gemm_problem *p = &problems[i];
  qn_cpu_gemm call = p->call;
  call.c.data = malloc(p->c_bytes);
  memcpy(call.c.data, p->c0, p->c_bytes);
  bool same =
      qn_cpu_ops_get()->gemm(&call) == QN_OK && memcmp(call.c.data, expected[i], p->c_bytes) == 0;
  free(call.c.data);
  return same;
}

static void bits_do_not_depend_on_threads(void **unused) {
  (void)unused;
  for (int threads = 1; threads <= MOST; threads++) {
    assert_int_equal(qn_set_num_threads(threads), QN_OK);
    for (int i = 0; i < SHAPES; i++) assert_true(same_bits(i));
  }
}

static void *caller(void *arg) {
  atomic_int *good = arg;
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < SHAPES; i++) atomic_fetch_add(good, same_bits(i));
  }
  return NULL;
}

static void many_callers(void **unused) {
  (void)unused;
  qn_set_num_threads(3);
  pthread_t ids[CALLERS];
  atomic_int good = 0;
  for (int i = 0; i < CALLERS; i++)
    assert_int_equal(pthread_create(&ids[i], NULL, caller, &good), 0);
  for (int i = 0; i < CALLERS; i++) pthread_join(ids[i], NULL);
  assert_int_equal(atomic_load(&good), CALLERS * 3 * SHAPES);
}

static void the_setting(void **unused) {
  (void)unused;
  assert_int_equal(qn_set_num_threads(-1), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "threads is -1"));
  assert_int_equal(qn_set_num_threads(5), QN_OK);
  assert_int_equal(qn_num_threads(), 5);
  assert_int_equal(qn_team_size(1e12), 5);
  assert_int_equal(qn_team_size(1000), 1);
  assert_int_equal(qn_set_num_threads(0), QN_OK);
  setenv("QUERN_THREADS", "7", 1);
  assert_int_equal(qn_num_threads(), 7);
  setenv("QUERN_THREADS", "some", 1);
  assert_true(qn_num_threads() >= 1 && qn_num_threads() != 7);
  unsetenv("QUERN_THREADS");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_part_runs_once),
      cmocka_unit_test(jobs_nest),
      cmocka_unit_test(bits_do_not_depend_on_threads),
      cmocka_unit_test(many_callers),
      cmocka_unit_test(the_setting),
  };
  return cmocka_run_group_tests(tests, make_problems, free_problems);
}
