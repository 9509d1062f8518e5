/* The table of forms: one kernel a form, whatever the threads; forms that share a text differ by
 * their values; what fails stays out; more forms than slots still work. */
#include "fake_compiler.h"
#include "jit/form.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 8 };

static fake_compiler *fake;
static const qn_kernel_text text = {"portable/prelude.cl", "QN_LID", "-DX", {"A", "B"}};
static const qn_kernel_text other = {"portable/prelude.cl", "QN_WGID", "-DX", {"A", "B"}};

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

static void test_find(void **state) {
  (void)state;
  const qn_form form = {.text = &text, .value = {1, 2}}, second = {.text = &text, .value = {1, 3}},
                third = {.text = &other, .value = {1, 2}};
  const qn_jit_entry *kernel, *again, *direct;
  assert_null(qn_form_find(&fake->device, &form));
  assert_int_equal(qn_form_kernel(&fake->device, &form, &kernel), QN_OK);
  assert_ptr_equal(qn_form_find(&fake->device, &form), kernel);
  assert_null(qn_form_find(&fake->device, &second));
  assert_null(qn_form_find(&fake->device, &third));
  assert_int_equal(fake->compiles, 1);
  /* the options are the text's and the values' */
  assert_int_equal(
      qn_jit_kernel(&fake->device, text.source, text.entry, "-DX -DA=1 -DB=2", &direct), QN_OK);
  assert_ptr_equal(direct, kernel);
  assert_int_equal(fake->compiles, 1);
  /* another entry of the same module, another module */
  assert_int_equal(qn_form_kernel(&fake->device, &third, &again), QN_OK);
  assert_ptr_not_equal(again, kernel);
  assert_int_equal(fake->compiles, 1);
  assert_int_equal(qn_form_kernel(&fake->device, &second, &again), QN_OK);
  assert_int_equal(fake->compiles, 2);
  assert_ptr_equal(qn_form_find(&fake->device, &form), kernel);
}

/* Forms that replace a file are told apart by what they put there; the compiler sees it. */
static void test_replacement(void **state) {
  (void)state;
  static const qn_replacement one = {"portable/prelude.cl", "int QN_LID;\n"},
                              two = {"portable/prelude.cl", "int QN_LID, more;\n"};
  const qn_form plain = {.text = &text, .value = {5, 5}};
  qn_form first = plain, second = plain;
  first.replacement = &one;
  second.replacement = &two;
  const qn_jit_entry *kernel[3], *again;
  const int before = fake->compiles;
  assert_int_equal(qn_form_kernel(&fake->device, &plain, &kernel[0]), QN_OK);
  assert_int_equal(qn_form_kernel(&fake->device, &first, &kernel[1]), QN_OK);
  assert_int_equal(qn_form_kernel(&fake->device, &second, &kernel[2]), QN_OK);
  assert_int_equal(fake->compiles, before + 3);
  assert_ptr_not_equal(kernel[0], kernel[1]);
  assert_ptr_not_equal(kernel[1], kernel[2]);
  assert_ptr_equal(qn_form_find(&fake->device, &first), kernel[1]);
  assert_int_equal(qn_form_kernel(&fake->device, &second, &again), QN_OK);
  assert_ptr_equal(again, kernel[2]);
  assert_int_equal(fake->compiles, before + 3);
}

static void test_batch(void **state) {
  (void)state;
  enum { COUNT = 20 };
  fake->milliseconds = 20;
  qn_form forms[COUNT];
  for (int i = 0; i < COUNT; i++) forms[i] = (qn_form){.text = &text, .value = {(uint8_t)i, 9}};
  qn_jit_cost cost;
  assert_int_equal(qn_form_kernels(&fake->device, forms, COUNT, &cost), QN_OK);
  assert_int_equal(cost.compiled, COUNT);
  assert_true(fake->most_at_once > 1);
  for (int i = 0; i < COUNT; i++) assert_non_null(qn_form_find(&fake->device, &forms[i]));
  assert_int_equal(qn_form_kernels(&fake->device, forms, COUNT, &cost), QN_OK);
  assert_int_equal(cost.compiled + cost.loaded, 0);
}

static void test_failure(void **state) {
  (void)state;
  const qn_form form = {.text = &text, .value = {7, 7}};
  const qn_jit_entry *kernel;
  fake->failure = QN_ECOMPILE;
  assert_int_equal(qn_form_kernel(&fake->device, &form, &kernel), QN_ECOMPILE);
  assert_null(qn_form_find(&fake->device, &form));
  qn_jit_cost cost;
  assert_int_equal(qn_form_kernels(&fake->device, &form, 1, &cost), QN_ECOMPILE);
  fake->failure = QN_OK;
}

/* 1600 forms where the table has room for 1024. */
static void test_full(void **state) {
  (void)state;
  const qn_jit_entry *kernel[2];
  for (int pass = 0; pass < 2; pass++)
    for (int a = 0; a < 40; a++)
      for (int b = 0; b < 40; b++) {
        const qn_form form = {.text = &text, .value = {(uint8_t)a, (uint8_t)b}};
        assert_int_equal(qn_form_kernel(&fake->device, &form, &kernel[pass]), QN_OK);
      }
  assert_ptr_equal(kernel[0], kernel[1]);
  assert_int_equal(fake->compiles, 1600);
}

static void *ask(void *user) {
  const qn_jit_entry *kernel = NULL;
  for (int i = 0; i < 200; i++) {
    const qn_form form = {.text = &text, .value = {(uint8_t)(i % 50), 1}};
    if (qn_form_kernel(&fake->device, &form, &kernel)) return user;
    if (qn_form_find(&fake->device, &form) != kernel) return user;
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  void *failed;
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, ask, threads), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_int_equal(fake->compiles, 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_find, setup, teardown),
      cmocka_unit_test_setup_teardown(test_replacement, setup, teardown),
      cmocka_unit_test_setup_teardown(test_batch, setup, teardown),
      cmocka_unit_test_setup_teardown(test_failure, setup, teardown),
      cmocka_unit_test_setup_teardown(test_full, setup, teardown),
      cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
