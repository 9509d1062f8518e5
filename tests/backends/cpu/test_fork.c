/* A forked child computes with threads of its own, whatever its parent's were doing, and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gemm_check.h"
#include "backends/cpu/cpu.h"
#include <quern/device.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const gemm_shape shape = {QN_F64, QN_F64, 300,    300,           200, 'N',
                                 'N',    {1, 0}, {0, 0}, QN_REGION_ALL, 0};
static gemm_problem problem;
static char *expected;

static bool right(void) {
  qn_cpu_gemm call = problem.call;
  call.c.data = malloc(problem.c_bytes);
  memcpy(call.c.data, problem.c0, problem.c_bytes);
  bool good =
      qn_cpu_ops_get()->gemm(&call) == QN_OK && memcmp(call.c.data, expected, problem.c_bytes) == 0;
  free(call.c.data);
  return good;
}

static int make(void **unused) {
  (void)unused;
  qn_set_num_threads(4);
  gemm_problem_init(&problem, &shape, FAMILY_UNIFORM);
  if (qn_cpu_ops_get()->gemm(&problem.call) != QN_OK) return -1;
  expected = malloc(problem.c_bytes);
  memcpy(expected, problem.call.c.data, problem.c_bytes);
  return 0;
}

static int unmake(void **unused) {
  (void)unused;
  gemm_problem_free(&problem);
  free(expected);
  return 0;
}

/* The child has 60 s; a hang ends it by SIGALRM. It leaves by exit(), as a program would. */
static void expect_good_child(void) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(60);
    bool good = right() && right();
    exit(good ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void between_calls(void **unused) {
  (void)unused;
  for (int i = 0; i < 5; i++) {
    assert_true(right());
    expect_good_child();
    assert_true(right());
  }
}

static atomic_bool stop;
static atomic_int wrong;

static void *keep_busy(void *unused) {
  (void)unused;
  while (!atomic_load(&stop)) atomic_fetch_add(&wrong, !right());
  return NULL;
}

static void while_another_thread_computes(void **unused) {
  (void)unused;
  pthread_t ids[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&ids[i], NULL, keep_busy, NULL), 0);
  for (int i = 0; i < 20; i++) expect_good_child();
  atomic_store(&stop, true);
  for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
  assert_int_equal(atomic_load(&wrong), 0);
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: this sanitizer does not follow threads of a forked child");
  return 77;
#endif
  const struct CMUnitTest tests[] = {cmocka_unit_test(between_calls),
                                     cmocka_unit_test(while_another_thread_computes)};
  return cmocka_run_group_tests(tests, make, unmake);
}
