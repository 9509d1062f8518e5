/* Whether a peer on a device does what ours does. */
#include "peer_results.h"
#include "bench/operands.h"
#include "bench/placement.h"
#include "bench/residual.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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

static void check_product(const bench_peer *peer, qn_stream *stream, qn_dtype dtype, qn_trans ta,
                          qn_trans tb) {
  bench_problem p = bench_problem_make(BENCH_GEMM, dtype);
  p.m = 9, p.n = 7, p.k = 5, p.alpha = qn_real(-1.5);
  p.transa = ta, p.transb = tb;
  check_result(peer, stream, &p);
}

/* Sixteen cases by their bits, of a solve and of a product. */
static void check_triangle(const bench_peer *peer, qn_stream *stream, bench_routine routine,
                           qn_dtype dtype, int bits) {
  bench_problem p = bench_problem_make(routine, dtype);
  p.m = 8, p.n = 5, p.alpha = qn_real(-1.5);
  p.side = bits & 1 ? QN_RIGHT : QN_LEFT;
  p.uplo = bits & 2 ? QN_UPPER : QN_LOWER;
  p.transa = bits & 4 ? QN_TRANS : QN_NOTRANS;
  p.diag = bits & 8 ? QN_UNIT : QN_NONUNIT;
  check_result(peer, stream, &p);
}

static qn_stream *stream_of(const bench_peer *peer, qn_device *device) {
  qn_stream *stream;
  assert_int_equal(qn_stream_wrap(device, bench_peer_stream(peer), &stream), QN_OK);
  return stream;
}

void check_peer_product(const bench_peer *peer, qn_device *device, qn_dtype dtype) {
  qn_stream *stream = stream_of(peer, device);
  bench_problem p = bench_problem_make(BENCH_GEMM, dtype);
  const bool complex = dtype == QN_C64 || dtype == QN_C128;
  p.m = 9, p.n = 7, p.k = 5;
  p.alpha = (qn_scalar){-1.5, complex ? 0.75 : 0.0};
  check_result(peer, stream, &p);
  qn_stream_free(stream);
}

void check_peer_results(const bench_peer *peer, qn_device *device, qn_dtype dtype) {
  static const qn_trans transes[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  qn_stream *stream = stream_of(peer, device);
  for (int letters = 0; letters < 9; letters++)
    check_product(peer, stream, dtype, transes[letters % 3], transes[letters / 3]);
  for (int bits = 0; bits < 16; bits++) {
    check_triangle(peer, stream, BENCH_TRSM, dtype, bits);
    check_triangle(peer, stream, BENCH_TRMM, dtype, bits);
  }
  qn_stream_free(stream);
}
