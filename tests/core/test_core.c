/* Core: error text, environment, allocator, dtypes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core/core.h"

static void every_status_has_its_own_text(void **state) {
  (void)state;
  const int codes[] = {0, -1, -2, -3, -4, -16, -17, -18, -19, -20, -21};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(qn_status_string((qn_status)codes[i]),
                              qn_status_string((qn_status)codes[j]));
  assert_string_equal(qn_status_string((qn_status)-999), "unknown status");
}

static void *fail_elsewhere(void *arg) {
  qn_fail(QN_EINVAL, "elsewhere", "another thread's");
  return arg;
}

static void last_error_names_and_stays_in_its_thread(void **state) {
  (void)state;
  assert_int_equal(qn_fail(QN_EINVAL, "qn_gemm", "k is %d", -3), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_gemm: k is -3");
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
  pthread_join(thread, NULL);
  assert_string_equal(qn_last_error(), "qn_gemm: k is -3");
  qn_error_prefix("%s: ", "a.npy");
  assert_string_equal(qn_last_error(), "a.npy: qn_gemm: k is -3");
}

static void long_error_texts_are_cut_not_overrun(void **state) {
  (void)state;
  char text[10000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  qn_fail(QN_EFORMAT, "qn_io", "%s", text);
  size_t length = strlen(qn_last_error());
  assert_true(length > 1000 && length < sizeof text);
  qn_error_prefix("%s", text);
  assert_true(strlen(qn_last_error()) < sizeof text);
}

static int messages;
static void count_message(void *user, qn_log_level level, const char *text) {
  (void)level;
  assert_ptr_equal(user, &messages);
  assert_null(strchr(text, '\n'));
  messages++;
}

static void the_environment_is_read_strictly(void **state) {
  (void)state;
  qn_set_log(count_message, &messages);
  messages = 0;
  unsetenv("QUERN_X");
  assert_int_equal(qn_env_int("QUERN_X", 7, 0, 100), 7);
  setenv("QUERN_X", "42", 1);
  assert_int_equal(qn_env_int("QUERN_X", 7, 0, 100), 42);
  assert_int_equal(messages, 0);
  const char *bad[] = {"101", "-1", "4x", "x", " ", "99999999999999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    setenv("QUERN_X", bad[i], 1);
    assert_int_equal(qn_env_int("QUERN_X", 7, 0, 100), 7);
    assert_int_equal(messages, (int)i + 1);
  }
  setenv("QUERN_X", "4G", 1);
  assert_true(qn_env_bytes("QUERN_X", 1) == UINT64_C(4) << 30);
  setenv("QUERN_X", "300", 1);
  assert_true(qn_env_bytes("QUERN_X", 1) == 300);
  setenv("QUERN_X", "99999999999T", 1);
  assert_true(qn_env_bytes("QUERN_X", 1) == 1);
  setenv("QUERN_X", "-4G", 1);
  assert_true(qn_env_bytes("QUERN_X", 1) == 1);
  setenv("QUERN_X", "", 1);
  assert_true(qn_env_bytes("QUERN_X", 5) == 5);
  qn_set_log(NULL, NULL);
}

static size_t held;
static void *counting_alloc(void *user, size_t size, size_t alignment) {
  (void)user;
  void *p = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (p) held += size;
  return p;
}
static void counting_free(void *user, void *p, size_t size) {
  (void)user;
  held -= size;
  free(p);
}

static void the_allocator_sees_every_byte(void **state) {
  (void)state;
  const qn_allocator mine = {counting_alloc, counting_free, NULL};
  qn_set_allocator(&mine);
  unsigned char *p = qn_host_zalloc(1000);
  assert_non_null(p);
  assert_true((uintptr_t)p % QN_HOST_ALIGN == 0);
  for (int i = 0; i < 1000; i++) assert_int_equal(p[i], 0);
  char *text = qn_host_strdup("word");
  assert_true(held == 1005);
  qn_host_free(p, 1000);
  qn_host_strfree(text);
  qn_host_free(NULL, 5);
  assert_true(held == 0);
  qn_set_allocator(NULL);
  assert_null(qn_host_alloc(SIZE_MAX - 8));
}

static void dtypes_have_names_and_sizes(void **state) {
  (void)state;
  const char *names[] = {"f16", "bf16", "f32", "f64", "c64", "c128"};
  const size_t sizes[] = {2, 2, 4, 8, 8, 16};
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    qn_dtype parsed;
    assert_string_equal(qn_dtype_name((qn_dtype)t), names[t]);
    assert_int_equal(qn_dtype_size((qn_dtype)t), sizes[t]);
    assert_int_equal(qn_dtype_parse(names[t], &parsed), QN_OK);
    assert_int_equal(parsed, t);
  }
  qn_dtype parsed;
  assert_int_equal(qn_dtype_parse("F64", &parsed), QN_OK);
  assert_int_equal(parsed, QN_F64);
  assert_int_equal(qn_dtype_parse("f65", &parsed), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "f65"));
  assert_int_equal(qn_dtype_size((qn_dtype)17), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(last_error_names_and_stays_in_its_thread),
      cmocka_unit_test(long_error_texts_are_cut_not_overrun),
      cmocka_unit_test(the_environment_is_read_strictly),
      cmocka_unit_test(the_allocator_sees_every_byte),
      cmocka_unit_test(dtypes_have_names_and_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
