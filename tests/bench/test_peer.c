/* The peer: how it is found, described and called. */
#include "bench/operands.h"
#include "bench/peer.h"
#include "bench/residual.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char message[512];

static void a_named_library_is_taken(void **state) {
  (void)state;
  setenv(BENCH_PEER_CBLAS, FAKE_CBLAS, 1);
  bench_peer *peer = bench_peer_open("cblas", NULL, message, sizeof message);
  assert_non_null(peer);
  assert_non_null(strstr(bench_peer_text(peer), "OpenBLAS 9.9.9, Paper kernels"));
  assert_non_null(strstr(bench_peer_text(peer), FAKE_CBLAS));
  assert_true(bench_peer_set_threads(peer, 3));
  bench_problem p = bench_problem_make(BENCH_GEMM, QN_F64);
  assert_true(bench_peer_has(peer, &p));
  p.n = (int64_t)1 << 31;
  assert_false(bench_peer_has(peer, &p));
  p = bench_problem_make(BENCH_GEMM, QN_C64);
  assert_false(bench_peer_has(peer, &p));
  p = bench_problem_make(BENCH_GEMM, QN_F16);
  assert_false(bench_peer_has(peer, &p));
  p = bench_problem_make(BENCH_TRSM, QN_F64);
  assert_false(bench_peer_has(peer, &p));
  bench_peer_close(peer);
}

static void a_wrong_name_is_told(void **state) {
  (void)state;
  setenv(BENCH_PEER_CBLAS, "/nowhere/libblas.so", 1);
  assert_null(bench_peer_open("cblas", NULL, message, sizeof message));
  assert_non_null(strstr(message, "/nowhere/libblas.so"));
  setenv(BENCH_PEER_CBLAS, "libm.so.6", 1); /* loads, and is no CBLAS */
  assert_null(bench_peer_open("cblas", NULL, message, sizeof message));
}

static void check_call(const bench_peer *peer, const bench_problem *p) {
  bench_operands o;
  bench_sample sample;
  bench_residual r;
  int64_t info = -1;
  if (!bench_peer_has(peer, p)) return;
  assert_true(bench_operands_make(&o, p));
  assert_true(bench_sample_take(&sample, p, &o.c0, 100));
  bench_operands_restore(&o, p);
  info = 0;
  bench_peer_call(peer, p, &o.a, &o.b, &o.c, &info);
  assert_int_equal(info, 0);
  assert_true(bench_residual_of(&r, &sample, p, &o.a, &o.b, &o.c));
  assert_true(bench_residual_ok(&r));
  bench_sample_free(&sample);
  bench_operands_free(&o);
}

static const qn_trans transes[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};

static void check_letters(const bench_peer *peer, bench_routine routine, qn_dtype dtype) {
  for (int letters = 0; letters < 72; letters++) {
    bench_problem p = bench_problem_make(routine, dtype);
    p.side = letters & 1 ? QN_RIGHT : QN_LEFT;
    p.uplo = letters & 2 ? QN_UPPER : QN_LOWER;
    p.diag = letters & 4 ? QN_UNIT : QN_NONUNIT;
    p.transa = transes[letters / 8 % 3];
    p.transb = transes[letters / 24];
    p.alpha = bench_is_complex(dtype) ? qn_complex(0.5, -2.0) : qn_real(-1.5);
    p.m = 19, p.n = routine == BENCH_POTRF ? 19 : 23, p.k = 17;
    check_call(peer, &p);
  }
}

/* Whatever CBLAS is here must pass the judge with all letters: both know what the letters mean. */
static void the_library_of_this_machine(void **state) {
  (void)state;
  unsetenv(BENCH_PEER_CBLAS);
  bench_peer *peer = bench_peer_open("cblas", NULL, message, sizeof message);
  if (!peer) skip();
  for (int r = 0; r < BENCH_ROUTINE_COUNT; r++)
    for (int t = QN_F32; t <= QN_C128; t++) check_letters(peer, (bench_routine)r, (qn_dtype)t);
  bench_peer_close(peer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_named_library_is_taken),
      cmocka_unit_test(a_wrong_name_is_told),
      cmocka_unit_test(the_library_of_this_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
