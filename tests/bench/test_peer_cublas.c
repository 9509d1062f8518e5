/* cuBLAS as a peer, over stand-ins for the driver and for it. */
#include "peer_results.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static qn_device *device;
static char message[512];

static int open_device(void **state) {
  (void)state;
  return qn_device_open("cuda:0", &device);
}

static int close_device(void **state) {
  (void)state;
  qn_device_close(device);
  return 0;
}

static void it_is_found_and_named(void **state) {
  (void)state;
  bench_peer *peer = bench_peer_open("cublas", device, message, sizeof message);
  assert_non_null(peer);
  assert_string_equal(bench_peer_text(peer), "cuBLAS 99.8.7");
  assert_non_null(bench_peer_stream(peer));
  assert_true(bench_peer_set_threads(peer, 3)); /* which mean nothing to it */
  bench_problem p = bench_problem_make(BENCH_GEMM, QN_F64);
  assert_true(bench_peer_has(peer, &p));
  p.k = (int64_t)1 << 31;
  assert_false(bench_peer_has(peer, &p));
  p = bench_problem_make(BENCH_GEMM, QN_F32);
  assert_false(bench_peer_has(peer, &p));
  p = bench_problem_make(BENCH_TRSM, QN_F64);
  assert_true(bench_peer_has(peer, &p));
  bench_peer_close(peer);
}

static void what_lacks_is_told(void **state) {
  (void)state;
  qn_device *cpu;
  assert_int_equal(qn_device_open("cpu", &cpu), QN_OK);
  assert_null(bench_peer_open("cublas", cpu, message, sizeof message));
  assert_non_null(strstr(message, "cuda devices alone"));
  qn_device_close(cpu);
  setenv("FAKE_CUBLAS_BROKEN", "1", 1);
  assert_null(bench_peer_open("cublas", device, message, sizeof message));
  assert_non_null(strstr(message, BENCH_PEER_CUBLAS));
  unsetenv("FAKE_CUBLAS_BROKEN");
}

static void its_results_are_right(void **state) {
  (void)state;
  bench_peer *peer = bench_peer_open("cublas", device, message, sizeof message);
  assert_non_null(peer);
  check_peer_results(peer, device, QN_F64);
  bench_peer_close(peer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_found_and_named),
      cmocka_unit_test(what_lacks_is_told),
      cmocka_unit_test(its_results_are_right),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
