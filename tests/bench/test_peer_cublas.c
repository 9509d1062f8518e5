/* cuBLAS as a peer, over stand-ins for the driver and for it. */
#include "bench/operands.h"
#include "bench/peer.h"
#include "bench/placement.h"
#include "bench/residual.h"
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

/* Both know what the letters and the leading dimensions mean. */
static void check_result(const bench_peer *peer, qn_stream *stream, const bench_problem *p) {
  bench_operands o;
  bench_sample sample;
  bench_residual residual;
  qn_matrix a, b = {0}, c;
  assert_true(bench_operands_make(&o, p));
  assert_true(bench_sample_take(&sample, p, &o.c0, 100));
  assert_int_equal(bench_place(stream, &o.a, p->dtype, &a), QN_OK);
  if (o.b.data) assert_int_equal(bench_place(stream, &o.b, p->dtype, &b), QN_OK);
  assert_int_equal(bench_place(stream, &o.c0, p->dtype, &c), QN_OK);
  assert_true(bench_peer_enqueue(peer, p, a, b, c));
  assert_int_equal(bench_fetch(stream, &o.c, c), QN_OK);
  assert_true(bench_residual_of(&residual, &sample, p, &o.a, &o.b, &o.c));
  assert_true(bench_residual_ok(&residual));
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
  qn_buffer_free(c.buffer);
  bench_sample_free(&sample);
  bench_operands_free(&o);
}

static void check_product(const bench_peer *peer, qn_stream *stream, qn_trans ta, qn_trans tb) {
  bench_problem p = bench_problem_make(BENCH_GEMM, QN_F64);
  p.m = 9, p.n = 7, p.k = 5, p.alpha = qn_real(-1.5);
  p.transa = ta, p.transb = tb;
  check_result(peer, stream, &p);
}

/* Sixteen cases by their bits, of a solve and of a product. */
static void check_triangle(const bench_peer *peer, qn_stream *stream, bench_routine routine,
                           int bits) {
  bench_problem p = bench_problem_make(routine, QN_F64);
  p.m = 8, p.n = 5, p.alpha = qn_real(-1.5);
  p.side = bits & 1 ? QN_RIGHT : QN_LEFT;
  p.uplo = bits & 2 ? QN_UPPER : QN_LOWER;
  p.transa = bits & 4 ? QN_TRANS : QN_NOTRANS;
  p.diag = bits & 8 ? QN_UNIT : QN_NONUNIT;
  check_result(peer, stream, &p);
}

static void its_results_are_right(void **state) {
  (void)state;
  static const qn_trans transes[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  bench_peer *peer = bench_peer_open("cublas", device, message, sizeof message);
  assert_non_null(peer);
  qn_stream *stream;
  assert_int_equal(qn_stream_wrap(device, bench_peer_stream(peer), &stream), QN_OK);
  for (int letters = 0; letters < 9; letters++)
    check_product(peer, stream, transes[letters % 3], transes[letters / 3]);
  for (int bits = 0; bits < 16; bits++) {
    check_triangle(peer, stream, BENCH_TRSM, bits);
    check_triangle(peer, stream, BENCH_TRMM, bits);
  }
  qn_stream_free(stream);
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
