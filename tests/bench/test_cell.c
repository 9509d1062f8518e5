/* A measured cell: enough samples, every timed result checked, wrong ones told. */
#include "bench/cell.h"
#include "bench/timing.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static qn_device *device;
static qn_stream *stream;
static char message[512];

static int open_all(void **state) {
  (void)state;
  setenv(BENCH_PEER_CBLAS, FAKE_CBLAS, 1);
  return qn_device_open("cpu", &device) || qn_stream_create(device, &stream);
}

static int close_all(void **state) {
  (void)state;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

static bench_cell measure(bench_routine routine, const char *wrong, bool against) {
  bench_cell cell = {.problem = bench_problem_make(routine, QN_F64), .threads = 1};
  cell.problem.m = cell.problem.n = cell.problem.k = 24;
  if (wrong) setenv("FAKE_CBLAS_WRONG", wrong, 1);
  bench_peer *peer = against ? bench_peer_open("cblas", device, message, sizeof message) : NULL;
  assert_true(!against || peer);
  assert_int_equal(bench_measure(stream, peer, &cell), QN_OK);
  bench_peer_close(peer);
  unsetenv("FAKE_CBLAS_WRONG");
  return cell;
}

static void right_results(void **state) {
  (void)state;
  const bench_cell cell = measure(BENCH_GEMM, NULL, true);
  assert_true(cell.compared);
  assert_false(cell.ours.wrong);
  assert_false(cell.peer.wrong);
  assert_true(cell.ratio.count >= 5 && cell.ratio.count == cell.ours.seconds.count);
  assert_true(cell.ours.seconds.median > 0.0 && cell.peer.seconds.median > 0.0);
  assert_true(cell.ours.residual.error > 0.0); /* the operands make it round */
}

static void a_wrong_peer_is_told(void **state) {
  (void)state;
  const bench_cell cell = measure(BENCH_GEMM, "0", true);
  assert_true(cell.peer.wrong);
  assert_false(cell.ours.wrong);
}

/* Not only the first call is looked at. */
static void one_wrong_call_is_told(void **state) {
  (void)state;
  const bench_cell cell = measure(BENCH_GEMM, "9", true);
  assert_true(cell.peer.wrong);
  assert_true(cell.peer.residual.error > cell.peer.residual.limit);
}

static void each_routine_alone(void **state) {
  (void)state;
  for (int r = 0; r < BENCH_ROUTINE_COUNT; r++) {
    const bench_cell cell = measure((bench_routine)r, NULL, r != BENCH_GEMM);
    assert_false(cell.compared); /* the peer has gemm alone */
    assert_false(cell.ours.wrong);
    assert_true(cell.ours.seconds.count >= 5);
  }
}

static void settling_ends(void **state) {
  (void)state;
  const double start = bench_now();
  bench_settle(0.5);
  assert_true(bench_now() - start < 5.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_results),          cmocka_unit_test(a_wrong_peer_is_told),
      cmocka_unit_test(one_wrong_call_is_told), cmocka_unit_test(each_routine_alone),
      cmocka_unit_test(settling_ends),
  };
  return cmocka_run_group_tests(tests, open_all, close_all);
}
