/* The BLAS of this machine as a peer: called through CBLAS and, for potrf, LAPACK. */
#define _GNU_SOURCE /* dladdr */
#include "bench/peer_ops.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*gemm_any)(int order, int transa, int transb, int m, int n, int k, const void *alpha,
                         const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                         int ldc);
typedef void (*gemm_f32)(int order, int transa, int transb, int m, int n, int k, float alpha,
                         const void *a, int lda, const void *b, int ldb, float beta, void *c,
                         int ldc);
typedef void (*gemm_f64)(int order, int transa, int transb, int m, int n, int k, double alpha,
                         const void *a, int lda, const void *b, int ldb, double beta, void *c,
                         int ldc);
/* trmm and trsm */
typedef void (*tri_any)(int order, int side, int uplo, int trans, int diag, int m, int n,
                        const void *alpha, const void *a, int lda, void *b, int ldb);
typedef void (*tri_f32)(int order, int side, int uplo, int trans, int diag, int m, int n,
                        float alpha, const void *a, int lda, void *b, int ldb);
typedef void (*tri_f64)(int order, int side, int uplo, int trans, int diag, int m, int n,
                        double alpha, const void *a, int lda, void *b, int ldb);
typedef void (*potrf_any)(const char *uplo, const int *n, void *a, const int *lda, int *info,
                          size_t uplo_length);

typedef bench_symbol symbol;

typedef struct cblas_peer {
  bench_peer peer;
  void *blas, *lapack; /* dlopen handles; lapack may be the same library again */
  symbol routine[BENCH_ROUTINE_COUNT][QN_DTYPE_COUNT];
  symbol set_threads;
} cblas_peer;

static const char dtype_letters[QN_DTYPE_COUNT] = {
    [QN_F32] = 's', [QN_F64] = 'd', [QN_C64] = 'c', [QN_C128] = 'z'};

static void find_routines(cblas_peer *peer) {
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (!dtype_letters[t]) continue;
    for (int r = BENCH_GEMM; r <= BENCH_TRSM; r++) {
      char name[32];
      snprintf(name, sizeof name, "cblas_%c%s", dtype_letters[t],
               bench_routine_name((bench_routine)r));
      peer->routine[r][t] = bench_find_symbol(peer->blas, name);
    }
    char name[32];
    snprintf(name, sizeof name, "%cpotrf_", dtype_letters[t]);
    symbol potrf = bench_find_symbol(peer->blas, name);
    peer->routine[BENCH_POTRF][t] = potrf ? potrf : bench_find_symbol(peer->lapack, name);
  }
}

static void find_threads(cblas_peer *peer) {
  static const char *const names[] = {"openblas_set_num_threads", "bli_thread_set_num_threads",
                                      "MKL_Set_Num_Threads"};
  for (size_t i = 0; i < sizeof names / sizeof *names && !peer->set_threads; i++)
    peer->set_threads = bench_find_symbol(peer->blas, names[i]);
}

static const char *text_from(void *library, const char *name) {
  symbol function = bench_find_symbol(library, name);
  return function ? ((char *(*)(void))function)() : NULL;
}

/* OpenBLAS and BLIS name themselves; of another library the file is told. */
static void describe(cblas_peer *peer) {
  Dl_info where;
  symbol gemm = peer->routine[BENCH_GEMM][QN_F64];
  void *address;
  memcpy(&address, &gemm, sizeof address);
  const char *file = dladdr(address, &where) && where.dli_fname ? where.dli_fname : "?";
  const char *config = text_from(peer->blas, "openblas_get_config");
  const char *core = text_from(peer->blas, "openblas_get_corename");
  const char *blis = text_from(peer->blas, "bli_info_get_version_str");
  if (config) {
    char version[64] = "";
    sscanf(config, "OpenBLAS %63s", version);
    snprintf(peer->peer.text, sizeof peer->peer.text, "OpenBLAS %s, %s kernels (%s)", version,
             core ? core : "unnamed", file);
  } else if (blis) {
    snprintf(peer->peer.text, sizeof peer->peer.text, "BLIS %s (%s)", blis, file);
  } else {
    snprintf(peer->peer.text, sizeof peer->peer.text, "%s", file);
  }
  const size_t used = strlen(peer->peer.text);
  if (peer->lapack)
    snprintf(peer->peer.text + used, sizeof peer->peer.text - used, ", potrf of liblapack.so.3");
}

static const bench_peer_ops ops;

/* The library itself, or NULL when it does not load or is no CBLAS. */
static cblas_peer *open_library(const char *name, const char *lapack) {
  void *blas = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!blas) return NULL;
  cblas_peer *peer = bench_find_symbol(blas, "cblas_dgemm") ? calloc(1, sizeof *peer) : NULL;
  if (!peer) {
    dlclose(blas);
    return NULL;
  }
  peer->peer.ops = &ops;
  peer->blas = blas;
  if (lapack && !bench_find_symbol(blas, "dpotrf_"))
    peer->lapack = dlopen(lapack, RTLD_NOW | RTLD_LOCAL);
  find_routines(peer);
  find_threads(peer);
  describe(peer);
  return peer;
}

bench_peer *bench_peer_open_cblas(qn_device *device, char *message, size_t message_size) {
  (void)device;
  static const char *const candidates[] = {"libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2",
                                           "libblis.so.4",     "libcblas.so.3",  "libblas.so.3"};
  const char *named = getenv(BENCH_PEER_CBLAS);
  if (named && *named) {
    cblas_peer *peer = open_library(named, NULL);
    if (!peer)
      snprintf(message, message_size, BENCH_PEER_CBLAS "=%s is not a loadable CBLAS library",
               named);
    return (bench_peer *)peer;
  }
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    cblas_peer *peer = open_library(candidates[i], "liblapack.so.3");
    if (peer) return &peer->peer;
  }
  snprintf(message, message_size,
           "no CBLAS found (OpenBLAS, MKL, BLIS, libcblas, libblas); the package libopenblas0 "
           "brings one, " BENCH_PEER_CBLAS "=FILE names one");
  return NULL;
}

static void close_peer(bench_peer *peer) {
  cblas_peer *own = (cblas_peer *)peer;
  if (own->lapack) dlclose(own->lapack);
  dlclose(own->blas);
  free(own);
}

static bool set_threads(const bench_peer *peer, int threads) {
  const cblas_peer *own = (const cblas_peer *)peer;
  if (!own->set_threads) return false;
  ((void (*)(int))own->set_threads)(threads);
  return true;
}

static bool has(const bench_peer *peer, const bench_problem *p) {
  return bench_fits_int(p) && ((const cblas_peer *)peer)->routine[p->routine][p->dtype] != NULL;
}

enum { COLUMN_MAJOR = 102 };

static void call_gemm(symbol function, const bench_problem *p, const bench_matrix *a,
                      const bench_matrix *b, const bench_matrix *c) {
  const int ta = bench_cblas_trans(p->transa), tb = bench_cblas_trans(p->transb);
  const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  const int lda = (int)a->ld, ldb = (int)b->ld, ldc = (int)c->ld;
  if (p->dtype == QN_F32) {
    ((gemm_f32)function)(COLUMN_MAJOR, ta, tb, m, n, k, (float)p->alpha.re, a->data, lda, b->data,
                         ldb, (float)p->beta.re, c->data, ldc);
  } else if (p->dtype == QN_F64) {
    ((gemm_f64)function)(COLUMN_MAJOR, ta, tb, m, n, k, p->alpha.re, a->data, lda, b->data, ldb,
                         p->beta.re, c->data, ldc);
  } else {
    const bench_factor alpha = bench_factor_of(p->dtype, p->alpha),
                       beta = bench_factor_of(p->dtype, p->beta);
    ((gemm_any)function)(COLUMN_MAJOR, ta, tb, m, n, k, &alpha, a->data, lda, b->data, ldb, &beta,
                         c->data, ldc);
  }
}

static void call_triangular(symbol function, const bench_problem *p, const bench_matrix *a,
                            const bench_matrix *c) {
  const int side = bench_cblas_side(p->side), uplo = bench_cblas_uplo(p->uplo),
            diag = bench_cblas_diag(p->diag);
  const int trans = bench_cblas_trans(p->transa), m = (int)p->m, n = (int)p->n;
  const int lda = (int)a->ld, ldc = (int)c->ld;
  if (p->dtype == QN_F32) {
    ((tri_f32)function)(COLUMN_MAJOR, side, uplo, trans, diag, m, n, (float)p->alpha.re, a->data,
                        lda, c->data, ldc);
  } else if (p->dtype == QN_F64) {
    ((tri_f64)function)(COLUMN_MAJOR, side, uplo, trans, diag, m, n, p->alpha.re, a->data, lda,
                        c->data, ldc);
  } else {
    const bench_factor alpha = bench_factor_of(p->dtype, p->alpha);
    ((tri_any)function)(COLUMN_MAJOR, side, uplo, trans, diag, m, n, &alpha, a->data, lda, c->data,
                        ldc);
  }
}

static void call(const bench_peer *peer, const bench_problem *p, const bench_matrix *a,
                 const bench_matrix *b, const bench_matrix *c, int64_t *info) {
  symbol function = ((const cblas_peer *)peer)->routine[p->routine][p->dtype];
  if (p->routine == BENCH_GEMM) {
    call_gemm(function, p, a, b, c);
  } else if (p->routine == BENCH_POTRF) {
    const char uplo = (char)p->uplo;
    const int n = (int)p->n, lda = (int)c->ld;
    int result = 0;
    ((potrf_any)function)(&uplo, &n, c->data, &lda, &result, 1);
    *info = result;
  } else {
    call_triangular(function, p, a, c);
  }
}

static const bench_peer_ops ops = {
    .close = close_peer, .has = has, .set_threads = set_threads, .call = call};
