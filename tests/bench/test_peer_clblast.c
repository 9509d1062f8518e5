/* CLBlast itself as a peer, on the first OpenCL device; skipped where either lacks. */
#include "peer_results.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static qn_device *device;
static char message[512];

static void what_lacks_is_told(void **state) {
  (void)state;
  qn_device *cpu;
  assert_int_equal(qn_device_open("cpu", &cpu), QN_OK);
  assert_null(bench_peer_open("clblast", cpu, message, sizeof message));
  assert_non_null(strstr(message, "opencl devices alone"));
  qn_device_close(cpu);
  setenv(BENCH_PEER_CLBLAST, "libm.so.6", 1); /* loads, and is no CLBlast */
  assert_null(bench_peer_open("clblast", device, message, sizeof message));
  assert_non_null(strstr(message, BENCH_PEER_CLBLAST));
  unsetenv(BENCH_PEER_CLBLAST);
}

static void it_has_what_it_has(void **state) {
  (void)state;
  bench_peer *peer = bench_peer_open("clblast", device, message, sizeof message);
  bench_problem p = bench_problem_make(BENCH_TRSM, QN_C128);
  assert_true(bench_peer_has(peer, &p));
  p = bench_problem_make(BENCH_POTRF, QN_F64);
  assert_false(bench_peer_has(peer, &p));
  p = bench_problem_make(BENCH_GEMM, QN_F16);
  assert_false(bench_peer_has(peer, &p));
  bench_peer_close(peer);
}

static void its_results_are_right(void **state) {
  (void)state;
  bench_peer *peer = bench_peer_open("clblast", device, message, sizeof message);
  check_peer_results(peer, device, QN_F32);
  bench_peer_close(peer);
}

/* How scalars are passed by value. */
static void its_scalars_arrive(void **state) {
  (void)state;
  qn_device_info info;
  bench_peer *peer = bench_peer_open("clblast", device, message, sizeof message);
  assert_int_equal(qn_device_query(device, &info), QN_OK);
  for (int dtype = QN_F64; dtype < QN_DTYPE_COUNT; dtype++)
    if (info.dtypes & 1u << dtype) check_peer_product(peer, device, (qn_dtype)dtype);
  bench_peer_close(peer);
}

int main(void) {
  enum { SKIPPED = 77 };
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_lacks_is_told), cmocka_unit_test(it_has_what_it_has),
      cmocka_unit_test(its_results_are_right), cmocka_unit_test(its_scalars_arrive)};
  if (qn_device_open("opencl:0", &device) != QN_OK) {
    printf("no OpenCL device: skipped\n");
    return SKIPPED;
  }
  bench_peer *peer = bench_peer_open("clblast", device, message, sizeof message);
  if (!peer) {
    printf("%s: skipped\n", message);
    return SKIPPED;
  }
  bench_peer_close(peer);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  qn_device_close(device);
  return failed;
}
