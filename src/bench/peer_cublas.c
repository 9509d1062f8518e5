/* NVIDIA's cuBLAS as a peer, in its default math mode: f32 by f32 arithmetic, no TF32; halves with
 * sums in f32, by cublasGemmEx or, where it is found and faster, by cuBLASLt. cuSOLVER, where it is
 * found, brings potrf. */
#include "bench/cublaslt.h"
#include "bench/peer_cusolver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *cublas_handle;
typedef int (*create_fn)(cublas_handle *handle);
typedef int (*destroy_fn)(cublas_handle handle);
typedef int (*set_stream_fn)(cublas_handle handle, void *stream);
typedef int (*get_version_fn)(cublas_handle handle, int *version);
typedef int (*gemm_fn)(cublas_handle handle, int transa, int transb, int m, int n, int k,
                       const void *alpha, const void *a, int lda, const void *b, int ldb,
                       const void *beta, void *c, int ldc);

typedef int (*gemm_ex_fn)(cublas_handle handle, int transa, int transb, int m, int n, int k,
                          const void *alpha, const void *a, int type_a, int lda, const void *b,
                          int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
                          int compute, int algorithm);
typedef int (*trsm_fn)(cublas_handle handle, int side, int uplo, int trans, int diag, int m, int n,
                       const void *alpha, const void *a, int lda, void *b, int ldb);
typedef int (*trmm_fn)(cublas_handle handle, int side, int uplo, int trans, int diag, int m, int n,
                       const void *alpha, const void *a, int lda, const void *b, int ldb, void *c,
                       int ldc);

typedef struct cublas_peer {
  bench_cuda_peer base;
  cublas_handle handle;
  bench_symbol routine[BENCH_ROUTINE_COUNT][QN_DTYPE_COUNT]; /* NULL where it has none */
  gemm_ex_fn gemm_ex;                                        /* halves */
  bench_cublaslt *lt;                                        /* or NULL */
  bench_cusolver *solver;
} cublas_peer;

static void find_routines(cublas_peer *peer) {
  static const char letters[QN_DTYPE_COUNT] = {
      [QN_F32] = 'S', [QN_F64] = 'D', [QN_C64] = 'C', [QN_C128] = 'Z'};
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (!letters[t]) continue;
    for (int r = BENCH_GEMM; r <= BENCH_TRSM; r++) {
      char name[32];
      snprintf(name, sizeof name, "cublas%c%s_v2", letters[t],
               bench_routine_name((bench_routine)r));
      peer->routine[r][t] = bench_find_symbol(peer->base.library, name);
    }
  }
  peer->gemm_ex = (gemm_ex_fn)bench_find_symbol(peer->base.library, "cublasGemmEx");
}

/* The handle, bound to the stream. */
static bool bind(cublas_peer *peer) {
  const create_fn create = (create_fn)bench_find_symbol(peer->base.library, "cublasCreate_v2");
  const set_stream_fn set_stream =
      (set_stream_fn)bench_find_symbol(peer->base.library, "cublasSetStream_v2");
  const get_version_fn get_version =
      (get_version_fn)bench_find_symbol(peer->base.library, "cublasGetVersion_v2");
  int version = 0;
  if (!create || !set_stream || !get_version || create(&peer->handle) != 0) return false;
  if (set_stream(peer->handle, peer->base.place.stream) != 0 ||
      get_version(peer->handle, &version) != 0)
    return false;
  snprintf(peer->base.peer.text, sizeof peer->base.peer.text, "cuBLAS %d.%d.%d", version / 10000,
           version / 100 % 100, version % 100);
  return true;
}

static void close_peer(bench_peer *peer) {
  cublas_peer *own = (cublas_peer *)peer;
  bench_cusolver_close(own->solver);
  bench_cublaslt_close(own->lt);
  if (own->handle)
    ((destroy_fn)bench_find_symbol(own->base.library, "cublasDestroy_v2"))(own->handle);
  bench_cuda_peer_close(&own->base);
}

static bool start(bench_cuda_peer *base) {
  cublas_peer *peer = (cublas_peer *)base;
  if (!bind(peer)) return false;
  find_routines(peer);
  peer->lt = bench_cublaslt_open(&base->place);
  if (peer->lt) {
    char *text = base->peer.text;
    const size_t used = strlen(text);
    snprintf(text + used, sizeof base->peer.text - used,
             "; halves by the fastest of GemmEx and %d heuristics of cuBLASLt",
             BENCH_CUBLASLT_CANDIDATES);
  }
  peer->solver = bench_cusolver_open(base->device, base->place.stream);
  return true;
}

static bool is_half(qn_dtype dtype) {
  return dtype == QN_F16 || dtype == QN_BF16;
}

static bool has(const bench_peer *peer, const bench_problem *p) {
  const cublas_peer *own = (const cublas_peer *)peer;
  if (!bench_fits_int(p)) return false;
  if (p->routine == BENCH_POTRF) return own->solver && bench_cusolver_has(own->solver, p->dtype);
  if (p->routine == BENCH_GEMM && is_half(p->dtype)) return own->gemm_ex != NULL;
  return own->routine[p->routine][p->dtype] != NULL;
}

static int op_of(qn_trans trans) {
  return trans == QN_NOTRANS ? 0 : trans == QN_TRANS ? 1 : 2;
}

static bool gemm_half(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                      qn_matrix c) {
  const cublas_peer *own = (const cublas_peer *)peer;
  enum { COMPUTE_32F = 68, DEFAULT_ALGORITHM = -1 };
  const int type = bench_cuda_type(p->dtype);
  const float alpha = (float)p->alpha.re, beta = (float)p->beta.re;
  return own->gemm_ex(own->handle, op_of(p->transa), op_of(p->transb), (int)p->m, (int)p->n,
                      (int)p->k, &alpha, bench_cuda_address(a), type, (int)a.ld,
                      bench_cuda_address(b), type, (int)b.ld, &beta, bench_cuda_address(c), type,
                      (int)c.ld, COMPUTE_32F, DEFAULT_ALGORITHM) == 0;
}

static bool gemm(const cublas_peer *own, const bench_problem *p, qn_matrix a, qn_matrix b,
                 qn_matrix c) {
  const bench_cublaslt_other other = {gemm_half, &own->base.peer};
  if (is_half(p->dtype))
    return own->lt ? bench_cublaslt_enqueue(own->lt, p, a, b, c, &other)
                   : gemm_half(other.peer, p, a, b, c);
  const bench_factor alpha = bench_factor_of(p->dtype, p->alpha),
                     beta = bench_factor_of(p->dtype, p->beta);
  return ((gemm_fn)own->routine[BENCH_GEMM][p->dtype])(
             own->handle, op_of(p->transa), op_of(p->transb), (int)p->m, (int)p->n, (int)p->k,
             &alpha, bench_cuda_address(a), (int)a.ld, bench_cuda_address(b), (int)b.ld, &beta,
             bench_cuda_address(c), (int)c.ld) == 0;
}

/* In place: trmm, which writes to a matrix of its own, gets B as that. */
static bool triangular(const cublas_peer *own, const bench_problem *p, qn_matrix a, qn_matrix b) {
  const bench_factor alpha = bench_factor_of(p->dtype, p->alpha);
  const int side = p->side == QN_RIGHT, uplo = p->uplo == QN_UPPER, diag = p->diag == QN_UNIT;
  const int m = (int)p->m, n = (int)p->n, lda = (int)a.ld, ldb = (int)b.ld;
  bench_symbol routine = own->routine[p->routine][p->dtype];
  void *at_a = bench_cuda_address(a), *at_b = bench_cuda_address(b);
  if (p->routine == BENCH_TRSM)
    return ((trsm_fn)routine)(own->handle, side, uplo, op_of(p->transa), diag, m, n, &alpha, at_a,
                              lda, at_b, ldb) == 0;
  return ((trmm_fn)routine)(own->handle, side, uplo, op_of(p->transa), diag, m, n, &alpha, at_a,
                            lda, at_b, ldb, at_b, ldb) == 0;
}

static bool enqueue(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                    qn_matrix c) {
  const cublas_peer *own = (const cublas_peer *)peer;
  if (p->routine == BENCH_GEMM) return gemm(own, p, a, b, c);
  if (p->routine == BENCH_POTRF) return bench_cusolver_potrf(own->solver, p->dtype, p->uplo, c);
  return triangular(own, p, a, c);
}

static const bench_peer_ops ops = {.close = close_peer, .has = has, .enqueue = enqueue};

bench_peer *bench_peer_open_cublas(qn_device *device, char *message, size_t message_size) {
  static const bench_cuda_kind kind = {
      &ops, "cuBLAS", "cublas", BENCH_PEER_CUBLAS, sizeof(cublas_peer), start};
  return bench_cuda_peer_open(&kind, device, message, message_size);
}
