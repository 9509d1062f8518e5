/* cuBLASLt's products of halves, by dlopen. */
#include "bench/cublaslt.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
  COMPUTE_32F = 68,
  TYPE_32F = 0,
  DESC_TRANSA = 3,
  DESC_TRANSB = 4,
  PREFERENCE_WORKSPACE = 1,
  CANDIDATES = BENCH_CUBLASLT_CANDIDATES,
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

struct bench_cublaslt {
  void *library, *handle;
  const bench_cuda_place *place;
  uint64_t workspace;
  functions f;
  /* the problem that is ready */
  bench_problem problem;
  void *desc, *layout_a, *layout_b, *layout_c;
  candidate chosen;
  bool by_other, ready;
};

static bool load(bench_cublaslt *own) {
  bool all = true;
#define LOAD(name, arguments)                                                                      \
  own->f.name = (int(*) arguments)bench_find_symbol(own->library, #name);                          \
  all = all && own->f.name;
#define LOAD_DRIVER(name, arguments)                                                               \
  own->f.name = (int(*) arguments)bench_cuda_function(own->place, #name);                          \
  all = all && own->f.name;
  SYMBOLS(LOAD)
  DRIVER_SYMBOLS(LOAD_DRIVER)
  return all && own->f.cublasLtCreate(&own->handle) == 0 &&
         own->f.cuMemAlloc_v2(&own->workspace, workspace_bytes) == 0;
}

static void forget(bench_cublaslt *own) {
  if (own->desc) own->f.cublasLtMatmulDescDestroy(own->desc);
  if (own->layout_a) own->f.cublasLtMatrixLayoutDestroy(own->layout_a);
  if (own->layout_b) own->f.cublasLtMatrixLayoutDestroy(own->layout_b);
  if (own->layout_c) own->f.cublasLtMatrixLayoutDestroy(own->layout_c);
  own->desc = own->layout_a = own->layout_b = own->layout_c = NULL;
  own->ready = false;
}

bench_cublaslt *bench_cublaslt_open(const bench_cuda_place *place) {
  bench_cublaslt *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  own->place = place;
  own->library = bench_cuda_library("cublasLt", BENCH_PEER_CUBLASLT);
  if (own->library && load(own)) return own;
  bench_cublaslt_close(own);
  return NULL;
}

void bench_cublaslt_close(bench_cublaslt *own) {
  if (!own) return;
  if (own->handle) {
    forget(own);
    if (own->workspace) own->f.cuMemFree_v2(own->workspace);
    own->f.cublasLtDestroy(own->handle);
  }
  if (own->library) dlclose(own->library);
  free(own);
}

/* ---- one problem ---- */

typedef struct operands {
  qn_matrix a, b, c;
} operands;

static bool multiply(const bench_cublaslt *own, const candidate *with, const operands *o) {
  const float alpha = (float)own->problem.alpha.re, beta = (float)own->problem.beta.re;
  void *c = bench_cuda_address(o->c);
  return own->f.cublasLtMatmul(own->handle, own->desc, &alpha, bench_cuda_address(o->a),
                               own->layout_a, bench_cuda_address(o->b), own->layout_b, &beta, c,
                               own->layout_c, c, own->layout_c, with->algorithm,
                               (void *)(uintptr_t)own->workspace,
                               workspace_bytes, /* NOLINT(performance-no-int-to-ptr) */
                               own->place->stream) == 0;
}

/* By an algorithm of cuBLASLt's, or the other way where `with` is NULL. */
static bool call(const bench_cublaslt *own, const candidate *with,
                 const bench_cublaslt_other *other, const operands *o) {
  return with ? multiply(own, with, o) : other->gemm(other->peer, &own->problem, o->a, o->b, o->c);
}

/* Milliseconds of a few calls; a negative number where it cannot. */
static float trial(const bench_cublaslt *own, const candidate *with,
                   const bench_cublaslt_other *other, const operands *o) {
  void *start = NULL, *stop = NULL, *stream = own->place->stream;
  float milliseconds = -1.0F;
  if (own->f.cuEventCreate(&start, 0) == 0 && own->f.cuEventCreate(&stop, 0) == 0 &&
      call(own, with, other, o)) {
    bool good = own->f.cuEventRecord(start, stream) == 0;
    for (int i = 0; i < TRIALS; i++) good = good && call(own, with, other, o);
    good = good && own->f.cuEventRecord(stop, stream) == 0 && own->f.cuEventSynchronize(stop) == 0;
    if (!good || own->f.cuEventElapsedTime(&milliseconds, start, stop) != 0) milliseconds = -1.0F;
  }
  if (start) own->f.cuEventDestroy_v2(start);
  if (stop) own->f.cuEventDestroy_v2(stop);
  return milliseconds;
}

static bool describe(bench_cublaslt *own, const operands *o) {
  const bench_problem *p = &own->problem;
  const int type = bench_cuda_type(p->dtype);
  const int transa = p->transa != QN_NOTRANS, transb = p->transb != QN_NOTRANS;
  const functions *f = &own->f;
  return f->cublasLtMatmulDescCreate(&own->desc, COMPUTE_32F, TYPE_32F) == 0 &&
         f->cublasLtMatmulDescSetAttribute(own->desc, DESC_TRANSA, &transa, sizeof transa) == 0 &&
         f->cublasLtMatmulDescSetAttribute(own->desc, DESC_TRANSB, &transb, sizeof transb) == 0 &&
         f->cublasLtMatrixLayoutCreate(&own->layout_a, type, (uint64_t)o->a.rows,
                                       (uint64_t)o->a.cols, o->a.ld) == 0 &&
         f->cublasLtMatrixLayoutCreate(&own->layout_b, type, (uint64_t)o->b.rows,
                                       (uint64_t)o->b.cols, o->b.ld) == 0 &&
         f->cublasLtMatrixLayoutCreate(&own->layout_c, type, (uint64_t)o->c.rows,
                                       (uint64_t)o->c.cols, o->c.ld) == 0;
}

static int heuristics(const bench_cublaslt *own, candidate found[CANDIDATES]) {
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

static void prepare(bench_cublaslt *own, const bench_problem *p, const operands *o,
                    const bench_cublaslt_other *other) {
  candidate found[CANDIDATES];
  forget(own);
  own->problem = *p;
  float least = other ? trial(own, NULL, other, o) : -1.0F;
  own->by_other = least >= 0.0F;
  const int count = describe(own, o) ? heuristics(own, found) : 0;
  for (int i = 0; i < count; i++) {
    const float time = trial(own, &found[i], NULL, o);
    if (time < 0.0F || (least >= 0.0F && time >= least)) continue;
    least = time;
    own->chosen = found[i];
    own->by_other = false;
  }
  own->ready = least >= 0.0F;
}

static bool same(const bench_problem *p, const bench_problem *q) {
  return p->dtype == q->dtype && p->m == q->m && p->n == q->n && p->k == q->k &&
         p->transa == q->transa && p->transb == q->transb && p->alpha.re == q->alpha.re &&
         p->beta.re == q->beta.re;
}

bool bench_cublaslt_enqueue(bench_cublaslt *own, const bench_problem *p, qn_matrix a, qn_matrix b,
                            qn_matrix c, const bench_cublaslt_other *other) {
  const operands o = {a, b, c};
  if (!(own->ready && same(&own->problem, p))) prepare(own, p, &o, other);
  return own->ready && call(own, own->by_other ? NULL : &own->chosen, other, &o);
}
