/* Without an OpenCL loader (the environment names one that is not there) the backend reports no
 * device and says what is missing; nothing fails. */
#include "device/backend.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

extern const qn_backend_ops qn_opencl_backend;

static void test_absent(void **state) {
  (void)state;
  for (int again = 0; again < 2; again++) {
    unsigned count = 7;
    char message[256] = "";
    assert_int_equal(qn_opencl_backend.probe(&count, message, sizeof message), QN_OK);
    assert_int_equal(count, 0);
    assert_non_null(strstr(message, "QUERN_OPENCL_LIBRARY: /nonexistent/libOpenCL.so.1: "));
    assert_non_null(strstr(message, "No such file"));
  }
  qn_bdev *dev;
  assert_int_equal(qn_opencl_backend.open(0, &dev), QN_ENODEVICE);
  assert_non_null(strstr(qn_last_error(), "/nonexistent/libOpenCL.so.1"));
  qn_device_info info;
  assert_int_equal(qn_opencl_backend.query(3, &info), QN_ENODEVICE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_absent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
