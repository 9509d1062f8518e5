/* Our routines or a peer's. */
#include "conformance/judged.h"
#include "bench/peer.h"
#include <stdio.h>
#include <stdlib.h>

static bench_peer *peer;

bool judged_open(qn_device *device, qn_stream **stream) {
  const char *name = getenv("QUERN_TEST_PEER");
  if (!name || !*name) return qn_stream_create(device, stream) == QN_OK;
  char message[256];
  peer = bench_peer_open(name, device, message, sizeof message);
  if (!peer) {
    printf("skipped: QUERN_TEST_PEER=%s: %s\n", name, message);
    exit(77);
  }
  printf("judged: %s\n", bench_peer_text(peer));
  void *native = bench_peer_stream(peer);
  return (native ? qn_stream_wrap(device, native, stream) : qn_stream_create(device, stream)) ==
         QN_OK;
}

void judged_close(void) {
  if (peer) bench_peer_close(peer);
  peer = NULL;
}

bool peer_judged(void) {
  return peer != NULL;
}

bool judged_has(qn_dtype dtype) {
  const bench_problem p = bench_problem_make(BENCH_TRSM, dtype);
  return !peer || bench_peer_has(peer, &p);
}

static bench_matrix on_host(qn_matrix m) {
  char *first = qn_buffer_native(m.buffer);
  return (bench_matrix){first + m.offset * (int64_t)qn_dtype_size(m.dtype), m.rows, m.cols, m.ld};
}

/* c is always what is written. */
static qn_status call_peer(qn_stream *stream, const bench_problem *p, qn_matrix a, qn_matrix b,
                           qn_matrix c) {
  if (bench_peer_stream(peer))
    return bench_peer_enqueue(peer, p, a, b, c) ? QN_OK : QN_EUNSUPPORTED;
  const qn_status status = qn_stream_sync(stream);
  if (status != QN_OK) return status;
  const bench_matrix host_a = on_host(a), host_b = on_host(b), host_c = on_host(c);
  int64_t info;
  bench_peer_call(peer, p, &host_a, &host_b, &host_c, &info);
  return QN_OK;
}

qn_status judged_gemm(qn_stream *stream, qn_trans transa, qn_trans transb, qn_scalar alpha,
                      qn_matrix a, qn_matrix b, qn_scalar beta, qn_matrix c) {
  if (!peer) return qn_gemm(stream, transa, transb, alpha, a, b, beta, c);
  bench_problem p = bench_problem_make(BENCH_GEMM, a.dtype);
  p.m = c.rows, p.n = c.cols, p.k = transa == QN_NOTRANS ? a.cols : a.rows;
  p.transa = transa, p.transb = transb, p.alpha = alpha, p.beta = beta;
  return call_peer(stream, &p, a, b, c);
}

static qn_status call_triangular(qn_stream *stream, bench_routine routine, qn_side side,
                                 qn_uplo uplo, qn_trans trans, qn_diag diag, qn_scalar alpha,
                                 qn_matrix a, qn_matrix b) {
  bench_problem p = bench_problem_make(routine, a.dtype);
  p.m = b.rows, p.n = b.cols, p.side = side, p.uplo = uplo, p.diag = diag;
  p.transa = trans, p.alpha = alpha;
  return call_peer(stream, &p, a, a, b);
}

qn_status judged_trmm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                      qn_scalar alpha, qn_matrix a, qn_matrix b) {
  if (!peer) return qn_trmm(stream, side, uplo, trans, diag, alpha, a, b);
  return call_triangular(stream, BENCH_TRMM, side, uplo, trans, diag, alpha, a, b);
}

qn_status judged_trsm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                      qn_scalar alpha, qn_matrix a, qn_matrix b) {
  if (!peer) return qn_trsm(stream, side, uplo, trans, diag, alpha, a, b);
  return call_triangular(stream, BENCH_TRSM, side, uplo, trans, diag, alpha, a, b);
}

qn_status judged_potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t *info) {
  if (!peer) return qn_potrf(stream, uplo, a, info);
  bench_problem p = bench_problem_make(BENCH_POTRF, a.dtype);
  p.m = p.n = a.rows, p.uplo = uplo;
  if (info) *info = 0;
  return call_peer(stream, &p, a, a, a);
}
