/* NVIDIA's cuBLASLt as a peer for halves: for each problem its heuristics name up to eight
 * algorithms, each is timed once, and the fastest is the peer. */
#include "bench/cuda_library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  COMPUTE_32F = 68,
  TYPE_32F = 0,
  DESC_TRANSA = 3,
  DESC_TRANSB = 4,
  PREFERENCE_WORKSPACE = 1,
  CANDIDATES = 8,
  TRIALS = 5
};
static const size_t workspace_bytes = (size_t)64 << 20;

/* cublasLtMatmulHeuristicResult_t */
typedef struct candidate {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} candidate;

/* From cublasLt.h; all return 0 when all is well. Objects are opaque. */
#define SYMBOLS(X)                                                                                 \
  X(cublasLtCreate, (void **handle))                                                               \
  X(cublasLtDestroy, (void *handle))                                                               \
  X(cublasLtMatmulDescCreate, (void **desc, int compute, int scale))                               \
  X(cublasLtMatmulDescDestroy, (void *desc))                                                       \
  X(cublasLtMatmulDescSetAttribute, (void *desc, int attribute, const void *value, size_t size))   \
  X(cublasLtMatrixLayoutCreate,                                                                    \
    (void **layout, int type, uint64_t rows, uint64_t cols, int64_t ld))                           \
  X(cublasLtMatrixLayoutDestroy, (void *layout))                                                   \
  X(cublasLtMatmulPreferenceCreate, (void **preference))                                           \
  X(cublasLtMatmulPreferenceDestroy, (void *preference))                                           \
  X(cublasLtMatmulPreferenceSetAttribute,                                                          \
    (void *preference, int attribute, const void *value, size_t size))                             \
  X(cublasLtMatmulAlgoGetHeuristic, (void *handle, void *desc, void *a, void *b, void *c, void *d, \
                                     void *preference, int asked, candidate *found, int *count))   \
  X(cublasLtMatmul,                                                                                \
    (void *handle, void *desc, const void *alpha, const void *a, void *layout_a, const void *b,    \
     void *layout_b, const void *beta, const void *c, void *layout_c, void *d, void *layout_d,     \
     const uint64_t *algorithm, void *workspace, size_t size, void *stream))
#define DRIVER_SYMBOLS(X)                                                                          \
  X(cuMemAlloc_v2, (uint64_t * memory, size_t bytes))                                              \
  X(cuMemFree_v2, (uint64_t memory))                                                               \
  X(cuEventCreate, (void **event, unsigned flags))                                                 \
  X(cuEventDestroy_v2, (void *event))                                                              \
  X(cuEventRecord, (void *event, void *stream))                                                    \
  X(cuEventSynchronize, (void *event))                                                             \
  X(cuEventElapsedTime, (float *milliseconds, void *start, void *stop))

#define MEMBER(name, arguments) int(*name) arguments;
typedef struct functions {
  SYMBOLS(MEMBER) DRIVER_SYMBOLS(MEMBER)
} functions;

typedef struct lt_peer {
  bench_cuda_peer base;
  void *handle;
  uint64_t workspace;
  functions f;
  /* the problem that is ready */
  bench_problem problem;
  void *desc, *layout_a, *layout_b, *layout_c;
  candidate chosen;
  bool ready;
} lt_peer;

static bool load(lt_peer *own) {
  bool all = true;
#define LOAD(name, arguments)                                                                      \
  own->f.name = (int(*) arguments)bench_find_symbol(own->base.library, #name);                     \
  all = all && own->f.name;
#define LOAD_DRIVER(name, arguments)                                                               \
  own->f.name = (int(*) arguments)bench_cuda_function(&own->base.place, #name);                    \
  all = all && own->f.name;
  SYMBOLS(LOAD)
  DRIVER_SYMBOLS(LOAD_DRIVER)
  return all && own->f.cublasLtCreate(&own->handle) == 0 &&
         own->f.cuMemAlloc_v2(&own->workspace, workspace_bytes) == 0;
}

static void forget(lt_peer *own) {
  if (own->desc) own->f.cublasLtMatmulDescDestroy(own->desc);
  if (own->layout_a) own->f.cublasLtMatrixLayoutDestroy(own->layout_a);
  if (own->layout_b) own->f.cublasLtMatrixLayoutDestroy(own->layout_b);
  if (own->layout_c) own->f.cublasLtMatrixLayoutDestroy(own->layout_c);
  own->desc = own->layout_a = own->layout_b = own->layout_c = NULL;
  own->ready = false;
}

static void close_peer(bench_peer *peer) {
  lt_peer *own = (lt_peer *)peer;
  if (own->handle) {
    forget(own);
    if (own->workspace) own->f.cuMemFree_v2(own->workspace);
    own->f.cublasLtDestroy(own->handle);
  }
  bench_cuda_peer_close(&own->base);
}

static bool start(bench_cuda_peer *base) {
  snprintf(base->peer.text, sizeof base->peer.text, "cuBLASLt, the fastest of %d heuristics",
           CANDIDATES);
  return load((lt_peer *)base);
}

static bool has(const bench_peer *peer, const bench_problem *p) {
  (void)peer;
  return bench_fits_int(p) && p->routine == BENCH_GEMM &&
         (p->dtype == QN_F16 || p->dtype == QN_BF16);
}

/* ---- one problem ---- */

typedef struct place_of_call {
  const void *a, *b;
  void *c;
} place_of_call;

static bool multiply(const lt_peer *own, const candidate *with, const place_of_call *at) {
  const float alpha = (float)own->problem.alpha.re, beta = (float)own->problem.beta.re;
  return own->f.cublasLtMatmul(own->handle, own->desc, &alpha, at->a, own->layout_a, at->b,
                               own->layout_b, &beta, at->c, own->layout_c, at->c, own->layout_c,
                               with->algorithm, (void *)(uintptr_t)own->workspace,
                               workspace_bytes, /* NOLINT(performance-no-int-to-ptr) */
                               own->base.place.stream) == 0;
}

/* Milliseconds of a few calls; a negative number where it cannot. */
static float trial(const lt_peer *own, const candidate *with, const place_of_call *at) {
  void *start = NULL, *stop = NULL;
  float milliseconds = -1.0F;
  if (own->f.cuEventCreate(&start, 0) == 0 && own->f.cuEventCreate(&stop, 0) == 0 &&
      multiply(own, with, at)) {
    bool good = own->f.cuEventRecord(start, own->base.place.stream) == 0;
    for (int i = 0; i < TRIALS; i++) good = good && multiply(own, with, at);
    good = good && own->f.cuEventRecord(stop, own->base.place.stream) == 0 &&
           own->f.cuEventSynchronize(stop) == 0;
    if (!good || own->f.cuEventElapsedTime(&milliseconds, start, stop) != 0) milliseconds = -1.0F;
  }
  if (start) own->f.cuEventDestroy_v2(start);
  if (stop) own->f.cuEventDestroy_v2(stop);
  return milliseconds;
}

static bool describe(lt_peer *own, qn_matrix a, qn_matrix b, qn_matrix c) {
  const bench_problem *p = &own->problem;
  const int type = bench_cuda_type(p->dtype);
  const int transa = p->transa != QN_NOTRANS, transb = p->transb != QN_NOTRANS;
  const functions *f = &own->f;
  return f->cublasLtMatmulDescCreate(&own->desc, COMPUTE_32F, TYPE_32F) == 0 &&
         f->cublasLtMatmulDescSetAttribute(own->desc, DESC_TRANSA, &transa, sizeof transa) == 0 &&
         f->cublasLtMatmulDescSetAttribute(own->desc, DESC_TRANSB, &transb, sizeof transb) == 0 &&
         f->cublasLtMatrixLayoutCreate(&own->layout_a, type, (uint64_t)a.rows, (uint64_t)a.cols,
                                       a.ld) == 0 &&
         f->cublasLtMatrixLayoutCreate(&own->layout_b, type, (uint64_t)b.rows, (uint64_t)b.cols,
                                       b.ld) == 0 &&
         f->cublasLtMatrixLayoutCreate(&own->layout_c, type, (uint64_t)c.rows, (uint64_t)c.cols,
                                       c.ld) == 0;
}

static int heuristics(const lt_peer *own, candidate found[CANDIDATES]) {
  void *preference = NULL;
  int count = 0;
  const functions *f = &own->f;
  if (f->cublasLtMatmulPreferenceCreate(&preference) != 0) return 0;
  if (f->cublasLtMatmulPreferenceSetAttribute(preference, PREFERENCE_WORKSPACE, &workspace_bytes,
                                              sizeof workspace_bytes) != 0 ||
      f->cublasLtMatmulAlgoGetHeuristic(own->handle, own->desc, own->layout_a, own->layout_b,
                                        own->layout_c, own->layout_c, preference, CANDIDATES, found,
                                        &count) != 0)
    count = 0;
  f->cublasLtMatmulPreferenceDestroy(preference);
  return count;
}

static bool prepare(lt_peer *own, const bench_problem *p, qn_matrix a, qn_matrix b, qn_matrix c) {
  candidate found[CANDIDATES];
  const place_of_call at = {bench_cuda_address(a), bench_cuda_address(b), bench_cuda_address(c)};
  float least = -1.0F;
  forget(own);
  own->problem = *p;
  const int count = describe(own, a, b, c) ? heuristics(own, found) : 0;
  for (int i = 0; i < count; i++) {
    const float time = trial(own, &found[i], &at);
    if (time < 0.0F || (least >= 0.0F && time >= least)) continue;
    least = time;
    own->chosen = found[i];
  }
  own->ready = least >= 0.0F;
  return own->ready;
}

static bool same(const bench_problem *p, const bench_problem *q) {
  return p->dtype == q->dtype && p->m == q->m && p->n == q->n && p->k == q->k &&
         p->transa == q->transa && p->transb == q->transb && p->alpha.re == q->alpha.re &&
         p->beta.re == q->beta.re;
}

static bool enqueue(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                    qn_matrix c) {
  lt_peer *own = (lt_peer *)peer;
  if (!(own->ready && same(&own->problem, p)) && !prepare(own, p, a, b, c)) return false;
  const place_of_call at = {bench_cuda_address(a), bench_cuda_address(b), bench_cuda_address(c)};
  return multiply(own, &own->chosen, &at);
}

static const bench_peer_ops ops = {.close = close_peer, .has = has, .enqueue = enqueue};

bench_peer *bench_peer_open_cublaslt(qn_device *device, char *message, size_t message_size) {
  static const bench_cuda_kind kind = {
      &ops, "cuBLASLt", "cublasLt", BENCH_PEER_CUBLASLT, sizeof(lt_peer), start};
  return bench_cuda_peer_open(&kind, device, message, message_size);
}
