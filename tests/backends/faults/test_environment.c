/* QUERN_FAULT: read once a process, so that this test is one of its own for each text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "backends/faults/faults.h"
#include <quern/device.h>

/* Allocates until it fails: the number of the allocation that did, 0 when four succeed. */
static int first_failing_allocation(void) {
  qn_device *device;
  if (qn_device_open("faults+cpu", &device) != QN_OK) return 99;
  for (int n = 1; n <= 4; n++) {
    qn_buffer *buffer;
    if (qn_buffer_alloc(device, QN_MEMORY_DEVICE, 100, &buffer) != QN_OK) return n;
  }
  return 0;
}

static int in_a_child(const char *text) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    setenv("QUERN_FAULT", text, 1);
    _exit(first_failing_allocation());
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void the_variable_arms_the_decorator(void **state) {
  (void)state;
  assert_int_equal(in_a_child("3:alloc"), 3);
  assert_int_equal(in_a_child("1:alloc"), 1);
  assert_int_equal(in_a_child("1:copy"), 0);
  assert_int_equal(in_a_child("1"), 99); /* the opening itself */
  assert_int_equal(in_a_child("3:any"), 2);
}

static void nonsense_is_ignored(void **state) {
  (void)state;
  const char *const texts[] = {"", "0", "-1", "alloc", "1:", "1:allocs", "1 alloc", "x:alloc"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    assert_int_equal(in_a_child(texts[i]), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_variable_arms_the_decorator),
      cmocka_unit_test(nonsense_is_ignored),
  };
  return cmocka_run_group_tests_name("faults_environment", tests, NULL, NULL);
}
