/* NVIDIA's cuBLASLt as a peer for halves. */
#include "bench/cublaslt.h"
#include <stdio.h>

typedef struct lt_peer {
  bench_cuda_peer base;
  bench_cublaslt *lt;
} lt_peer;

static void close_peer(bench_peer *peer) {
  lt_peer *own = (lt_peer *)peer;
  bench_cublaslt_close(own->lt);
  bench_cuda_peer_close(&own->base);
}

static bool start(bench_cuda_peer *base) {
  lt_peer *own = (lt_peer *)base;
  snprintf(base->peer.text, sizeof base->peer.text, "cuBLASLt, the fastest of %d heuristics",
           BENCH_CUBLASLT_CANDIDATES);
  own->lt = bench_cublaslt_open(&base->place);
  return own->lt != NULL;
}

static bool has(const bench_peer *peer, const bench_problem *p) {
  (void)peer;
  return bench_fits_int(p) && p->routine == BENCH_GEMM &&
         (p->dtype == QN_F16 || p->dtype == QN_BF16);
}

static bool enqueue(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                    qn_matrix c) {
  return bench_cublaslt_enqueue(((const lt_peer *)peer)->lt, p, a, b, c, NULL);
}

static const bench_peer_ops ops = {.close = close_peer, .has = has, .enqueue = enqueue};

bench_peer *bench_peer_open_cublaslt(qn_device *device, char *message, size_t message_size) {
  static const bench_cuda_kind kind = {
      &ops, "cuBLASLt", "cublasLt", BENCH_PEER_CUBLASLT, sizeof(lt_peer), start};
  return bench_cuda_peer_open(&kind, device, message, message_size);
}
