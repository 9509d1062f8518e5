/* Solves and products in lanes: qn_set_num_streams and QUERN_STREAMS, results that agree with those
 * of one stream, and every backend call made to fail in turn. On the device that QUERN_TEST_DEVICE
 * names, the first of OpenCL by default: the cpu has no lanes. */
#include "blas3/workload.h"
#include "backends/faults/faults.h"
#include "device/device.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 300 };

static const char *device_name = "opencl:0";

/* One routine with that many streams; its result, to be freed, or NULL. */
static float *result_of(const char *name, int kind, int streams, qn_status *status) {
  qn_device *device;
  qn_stream *stream;
  workload w;
  assert_int_equal(qn_set_num_streams(streams), QN_OK);
  *status = qn_device_open(name, &device);
  if (*status) return NULL;
  *status = qn_stream_create(device, &stream);
  qn_device_close(device);
  if (*status) return NULL;
  float *result = NULL;
  *status = workload_open(&w, stream, kind, ORDER);
  if (!*status) {
    result = malloc(workload_bytes(&w));
    assert_non_null(result);
    *status = workload_fill(&w, stream);
    if (!*status) *status = workload_run(&w, stream);
    if (!*status) *status = workload_read(&w, stream, result);
    int lanes = 1;
    while (lanes < QN_LANES_MOST && stream->lanes[lanes - 1]) lanes++;
    /* 300 columns are two parts; on CUDA a product is one launch, which takes no lane */
    const bool alone = streams < 2 || (kind == WORK_TRMM && strstr(name, "cuda"));
    if (!*status) assert_int_equal(lanes, alone ? 1 : 2);
    workload_close(&w);
  }
  qn_stream_free(stream);
  assert_int_equal(qn_set_num_streams(0), QN_OK);
  return result;
}

static void assert_alike(const float *x, const float *y) {
  double largest = 0, worst = 0;
  for (int i = 0; i < ORDER * ORDER; i++) {
    largest = fmax(largest, fabs(x[i]));
    worst = fmax(worst, fabs((double)x[i] - y[i]));
  }
  assert_true(largest > 0 && worst <= 1e-5 * largest);
}

static void agree(void **state) {
  (void)state;
  static const int kinds[] = {WORK_TRSM, WORK_TRMM};
  for (int i = 0; i < 2; i++) {
    qn_status status;
    float *one = result_of(device_name, kinds[i], 1, &status);
    assert_int_equal(status, QN_OK);
    for (int streams = 2; streams <= 3; streams++) {
      float *several = result_of(device_name, kinds[i], streams, &status);
      assert_int_equal(status, QN_OK);
      assert_alike(one, several);
      free(several);
    }
    free(one);
  }
}

static void each_call_fails(void **state) {
  (void)state;
  char name[64];
  snprintf(name, sizeof name, "faults+%s", device_name);
  qn_status status;
  float *right = result_of(device_name, WORK_TRSM, 2, &status);
  qn_faults_arm(0, QN_FAULT_ANY, QN_OK);
  free(result_of(name, WORK_TRSM, 2, &status));
  assert_int_equal(status, QN_OK);
  const int64_t calls = qn_faults_calls();
  assert_true(calls > 20);
  for (int64_t n = 1; n <= calls; n++) {
    qn_faults_arm(n, QN_FAULT_ANY, QN_OK);
    free(result_of(name, WORK_TRSM, 2, &status));
    if (status) assert_non_null(strstr(qn_last_error(), "made to fail"));
    qn_faults_arm(0, QN_FAULT_ANY, QN_OK);
  }
  float *again = result_of(name, WORK_TRSM, 2, &status);
  assert_int_equal(status, QN_OK);
  assert_memory_equal(again, right, sizeof *right * ORDER * ORDER);
  free(again);
  free(right);
}

static void setting(void **state) {
  (void)state;
  assert_int_equal(qn_num_streams(), 1);
  assert_int_equal(setenv("QUERN_STREAMS", "3", 1), 0);
  assert_int_equal(qn_num_streams(), 3);
  assert_int_equal(qn_set_num_streams(2), QN_OK);
  assert_int_equal(qn_num_streams(), 2);
  assert_int_equal(qn_set_num_streams(9), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "streams is 9, not within 0..8"));
  assert_int_equal(qn_set_num_streams(-1), QN_EINVAL);
  assert_int_equal(qn_num_streams(), 2);
  assert_int_equal(qn_set_num_streams(0), QN_OK);
  assert_int_equal(unsetenv("QUERN_STREAMS"), 0);
  assert_int_equal(qn_num_streams(), 1);
}

int main(void) {
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (name && strchr(name, ':')) device_name = name;
  qn_device *device;
  if (qn_device_open(device_name, &device)) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  qn_device_close(device);
  const struct CMUnitTest tests[] = {cmocka_unit_test(setting), cmocka_unit_test(agree),
                                     cmocka_unit_test(each_call_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
