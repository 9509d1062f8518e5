/* NVIDIA's cuBLAS as a peer, in its default math mode: f32 by f32 arithmetic, no TF32. */
#include "bench/cuda_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *cublas_handle;
typedef int (*create_fn)(cublas_handle *handle);
typedef int (*destroy_fn)(cublas_handle handle);
typedef int (*set_stream_fn)(cublas_handle handle, void *stream);
typedef int (*get_version_fn)(cublas_handle handle, int *version);
typedef int (*gemm_fn)(cublas_handle handle, int transa, int transb, int m, int n, int k,
                       const void *alpha, const void *a, int lda, const void *b, int ldb,
                       const void *beta, void *c, int ldc);

typedef struct cublas_peer {
  bench_peer peer;
  bench_cuda_place place;
  void *library;
  cublas_handle handle;
  gemm_fn gemm[QN_DTYPE_COUNT]; /* NULL where it has none */
} cublas_peer;

static const bench_peer_ops ops;

static void find_routines(cublas_peer *peer) {
  static const char letters[QN_DTYPE_COUNT] = {
      [QN_F32] = 'S', [QN_F64] = 'D', [QN_C64] = 'C', [QN_C128] = 'Z'};
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (!letters[t]) continue;
    char name[32];
    snprintf(name, sizeof name, "cublas%cgemm_v2", letters[t]);
    peer->gemm[t] = (gemm_fn)bench_find_symbol(peer->library, name);
  }
}

/* The handle, bound to the stream. */
static bool start(cublas_peer *peer) {
  const create_fn create = (create_fn)bench_find_symbol(peer->library, "cublasCreate_v2");
  const set_stream_fn set_stream =
      (set_stream_fn)bench_find_symbol(peer->library, "cublasSetStream_v2");
  const get_version_fn get_version =
      (get_version_fn)bench_find_symbol(peer->library, "cublasGetVersion_v2");
  int version = 0;
  if (!create || !set_stream || !get_version || create(&peer->handle) != 0) return false;
  if (set_stream(peer->handle, peer->place.stream) != 0 || get_version(peer->handle, &version) != 0)
    return false;
  snprintf(peer->peer.text, sizeof peer->peer.text, "cuBLAS %d.%d.%d", version / 10000,
           version / 100 % 100, version % 100);
  return true;
}

static void close_peer(bench_peer *peer) {
  cublas_peer *own = (cublas_peer *)peer;
  if (own->handle) ((destroy_fn)bench_find_symbol(own->library, "cublasDestroy_v2"))(own->handle);
  if (own->library) dlclose(own->library);
  bench_cuda_place_close(&own->place);
  free(own);
}

bench_peer *bench_peer_open_cublas(qn_device *device, char *message, size_t message_size) {
  cublas_peer *peer = calloc(1, sizeof *peer);
  if (!peer) {
    snprintf(message, message_size, "out of host memory");
    return NULL;
  }
  peer->peer.ops = &ops;
  if (bench_cuda_place_open(&peer->place, device, message, message_size)) {
    peer->library = bench_cuda_library("cublas", BENCH_PEER_CUBLAS);
    if (peer->library && start(peer)) {
      find_routines(peer);
      peer->peer.stream = peer->place.stream;
      return &peer->peer;
    }
    snprintf(message, message_size,
             "no cuBLAS that loads and starts; NVIDIA's package libcublas "
             "brings one, " BENCH_PEER_CUBLAS "=FILE names one");
  }
  close_peer(&peer->peer);
  return NULL;
}

static bool has(const bench_peer *peer, const bench_problem *p) {
  return bench_fits_int(p) && p->routine == BENCH_GEMM &&
         ((const cublas_peer *)peer)->gemm[p->dtype] != NULL;
}

static int op_of(qn_trans trans) {
  return trans == QN_NOTRANS ? 0 : trans == QN_TRANS ? 1 : 2;
}

static bool enqueue(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                    qn_matrix c) {
  const cublas_peer *own = (const cublas_peer *)peer;
  const bench_factor alpha = bench_factor_of(p->dtype, p->alpha),
                     beta = bench_factor_of(p->dtype, p->beta);
  return own->gemm[p->dtype](own->handle, op_of(p->transa), op_of(p->transb), (int)p->m, (int)p->n,
                             (int)p->k, &alpha, bench_cuda_address(a), (int)a.ld,
                             bench_cuda_address(b), (int)b.ld, &beta, bench_cuda_address(c),
                             (int)c.ld) == 0;
}

static const bench_peer_ops ops = {.close = close_peer, .has = has, .enqueue = enqueue};
