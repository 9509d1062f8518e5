/* The cache in memory: one compilation whatever the threads, side by side where modules differ. */
#include "fake_compiler.h"
#include "jit/jit.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 10 };

static fake_compiler *fake;

static int setup(void **state) {
  (void)state;
  setenv("QUERN_CACHE_LIMIT", "0", 1); /* nothing on disk */
  fake = fake_new("fake 1");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  return fake_free(fake);
}

static void *ask(void *user) {
  const qn_jit_entry *kernel = NULL;
  qn_status status = qn_jit_kernel(&fake->device, "portable/prelude.cl", user, "-DA=1", &kernel);
  return status ? NULL : (void *)kernel;
}

static void test_threads_compile_once(void **state) {
  (void)state;
  fake->milliseconds = 50;
  pthread_t threads[THREADS];
  void *kernels[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, ask, i % 2 ? "QN_LID" : "QN_WGID"), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], &kernels[i]);
  assert_int_equal(fake->compiles, 1);
  assert_int_equal(fake->loads, 1);
  for (int i = 0; i < THREADS; i++) {
    assert_non_null(kernels[i]);
    assert_ptr_equal(kernels[i], kernels[i % 2]);
  }
  assert_ptr_not_equal(kernels[0], kernels[1]);
}

static void test_keys(void **state) {
  (void)state;
  const qn_jit_entry *a, *b;
  const char *file = "portable/prelude.cl";
  assert_int_equal(qn_jit_kernel(&fake->device, file, "QN_LID", "-DA=1", &a), QN_OK);
  assert_int_equal(qn_jit_kernel(&fake->device, file, "QN_LID", "-DA=2", &b), QN_OK);
  assert_int_equal(fake->compiles, 2);
  assert_ptr_not_equal(a, b);
  assert_int_equal(qn_jit_kernel(&fake->device, file, "QN_LID", "-DA=1", &b), QN_OK);
  assert_int_equal(fake->compiles, 2);
  assert_ptr_equal(a, b);
  assert_int_equal(qn_jit_kernel(&fake->device, file, "no_such_word", "-DA=1", &b), QN_EINVAL);
  assert_int_equal(qn_jit_kernel(&fake->device, "no/such.cl", "f", NULL, &b), QN_EINVAL);
  assert_int_equal(fake->compiles, 2);
}

static void test_side_by_side(void **state) {
  (void)state;
  enum { COUNT = 6 };
  fake->milliseconds = 60;
  char options[COUNT][16];
  qn_jit_request requests[COUNT + 1];
  const qn_jit_entry *kernels[COUNT + 1];
  for (int i = 0; i < COUNT; i++) {
    snprintf(options[i], sizeof options[i], "-DN=%d", i);
    requests[i] = (qn_jit_request){"portable/prelude.cl", NULL, options[i], "QN_LID", NULL};
  }
  requests[COUNT] = requests[0];
  requests[COUNT].entry = "QN_GID"; /* another kernel of the first module */
  qn_jit_cost cost;
  assert_int_equal(qn_jit_kernels(&fake->device, requests, COUNT + 1, kernels, &cost), QN_OK);
  assert_int_equal(fake->compiles, COUNT);
  assert_int_equal(cost.compiled, COUNT);
  assert_int_equal(fake->most_at_once, COUNT);
  assert_true(cost.seconds >= 0.06);
  for (int i = 0; i <= COUNT; i++) assert_non_null(kernels[i]);
  assert_int_equal(qn_jit_kernels(&fake->device, requests, COUNT + 1, kernels, &cost), QN_OK);
  assert_int_equal(cost.compiled + cost.loaded, 0);
  assert_int_equal(fake->compiles, COUNT);
}

static void test_failures(void **state) {
  (void)state;
  const qn_jit_entry *kernel;
  const char *file = "portable/halves.cl";
  /* the text is wrong: it stays wrong, and is not compiled again */
  fake->failure = QN_ECOMPILE;
  for (int again = 0; again < 2; again++) {
    assert_int_equal(qn_jit_kernel(&fake->device, file, "qn_f16", "", &kernel), QN_ECOMPILE);
    assert_non_null(strstr(qn_last_error(), "no code for portable/halves.cl"));
    assert_int_equal(fake->compiles, 1);
  }
  /* the machine was out of memory: the next one tries again */
  fake->failure = QN_ENOMEM;
  assert_int_equal(qn_jit_kernel(&fake->device, file, "qn_f16", "-DB", &kernel), QN_ENOMEM);
  fake->failure = QN_OK;
  assert_int_equal(qn_jit_kernel(&fake->device, file, "qn_f16", "-DB", &kernel), QN_OK);
  assert_int_equal(fake->compiles, 3);
  /* one of several fails */
  fake->failure = QN_ECOMPILE;
  const qn_jit_request requests[] = {{file, NULL, "-DB", "qn_f16", NULL},
                                     {file, NULL, "-DC", "qn_f16", NULL}};
  const qn_jit_entry *kernels[2];
  assert_int_equal(qn_jit_kernels(&fake->device, requests, 2, kernels, NULL), QN_ECOMPILE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_threads_compile_once, setup, teardown),
      cmocka_unit_test_setup_teardown(test_keys, setup, teardown),
      cmocka_unit_test_setup_teardown(test_side_by_side, setup, teardown),
      cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
