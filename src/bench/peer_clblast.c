/* CLBlast as a peer: device matrices of an OpenCL device, on a queue of its context. Its products
 * of halves sum in f16, so that they are not compared; it has no Cholesky. */
#include "bench/peer_ops.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct clblast_peer {
  bench_peer peer;
  void *opencl, *library;
  bench_symbol routine[BENCH_ROUTINE_COUNT][QN_DTYPE_COUNT]; /* NULL where it has none */
} clblast_peer;

/* ---- OpenCL, as far as it is needed here: 0 is success, handles are opaque ---- */

typedef int (*get_info)(void *object, unsigned what, size_t size, void *value, size_t *used);
typedef void *(*create_queue)(void *context, void *device, uint64_t properties, int *code);
typedef int (*release_queue)(void *queue);
enum { MEM_CONTEXT = 0x1106, CONTEXT_DEVICES = 0x1081, QUEUE_PROFILING = 2 };

static void *open_opencl(void) {
  const char *named = getenv("QUERN_OPENCL_LIBRARY");
  if (named && *named) return dlopen(named, RTLD_NOW | RTLD_LOCAL);
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? library : dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
}

/* A queue of the context that `mem` belongs to, on the only device there. */
static void *queue_beside(void *opencl, void *mem) {
  const get_info mem_info = (get_info)bench_find_symbol(opencl, "clGetMemObjectInfo");
  const get_info context_info = (get_info)bench_find_symbol(opencl, "clGetContextInfo");
  const create_queue create = (create_queue)bench_find_symbol(opencl, "clCreateCommandQueue");
  void *context = NULL, *device = NULL;
  int code;
  if (!mem_info || !context_info || !create) return NULL;
  if (mem_info(mem, MEM_CONTEXT, sizeof(void *), &context, NULL) != 0) return NULL;
  if (context_info(context, CONTEXT_DEVICES, sizeof(void *), &device, NULL) != 0) return NULL;
  return create(context, device, QUEUE_PROFILING, &code);
}

static bool make_queue(clblast_peer *peer, qn_device *device) {
  qn_buffer *buffer;
  peer->opencl = open_opencl();
  if (!peer->opencl || qn_buffer_alloc(device, QN_MEMORY_DEVICE, 64, &buffer) != QN_OK)
    return false;
  peer->peer.stream = queue_beside(peer->opencl, qn_buffer_native(buffer));
  qn_buffer_free(buffer);
  return peer->peer.stream != NULL;
}

/* ---- opening ---- */

static const bench_peer_ops ops;

static bool open_library(clblast_peer *peer) {
  static const char letters[QN_DTYPE_COUNT] = {
      [QN_F32] = 'S', [QN_F64] = 'D', [QN_C64] = 'C', [QN_C128] = 'Z'};
  const char *named = getenv(BENCH_PEER_CLBLAST);
  peer->library = dlopen(named && *named ? named : "libclblast.so.1", RTLD_NOW | RTLD_LOCAL);
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    for (int r = BENCH_GEMM; r <= BENCH_TRSM && letters[t]; r++) {
      char name[32];
      snprintf(name, sizeof name, "CLBlast%c%s", letters[t], bench_routine_name((bench_routine)r));
      peer->routine[r][t] = bench_find_symbol(peer->library, name);
    }
  }
  return peer->routine[BENCH_GEMM][QN_F32] != NULL;
}

static void close_peer(bench_peer *peer) {
  clblast_peer *own = (clblast_peer *)peer;
  if (peer->stream)
    ((release_queue)bench_find_symbol(own->opencl, "clReleaseCommandQueue"))(peer->stream);
  if (own->library) dlclose(own->library);
  if (own->opencl) dlclose(own->opencl);
  free(own);
}

static bool on_opencl(qn_device *device) {
  qn_device_info info;
  return device && qn_device_query(device, &info) == QN_OK && strcmp(info.backend, "opencl") == 0;
}

bench_peer *bench_peer_open_clblast(qn_device *device, char *message, size_t message_size) {
  if (!on_opencl(device)) {
    snprintf(message, message_size, "CLBlast computes on opencl devices alone");
    return NULL;
  }
  clblast_peer *peer = calloc(1, sizeof *peer);
  if (!peer) {
    snprintf(message, message_size, "out of host memory");
    return NULL;
  }
  peer->peer.ops = &ops;
  snprintf(peer->peer.text, sizeof peer->peer.text, "CLBlast");
  if (!open_library(peer)) {
    snprintf(message, message_size,
             "no CLBlast that loads; Debian package libclblast1 brings it, " BENCH_PEER_CLBLAST
             "=FILE names one");
  } else if (!make_queue(peer, device)) {
    snprintf(message, message_size, "OpenCL gives no queue for CLBlast");
  } else {
    return &peer->peer;
  }
  close_peer(&peer->peer);
  return NULL;
}

/* ---- calls ---- */

static bool has(const bench_peer *peer, const bench_problem *p) {
  return ((const clblast_peer *)peer)->routine[p->routine][p->dtype] != NULL;
}

enum { COLUMN_MAJOR = 102 };

/* Complex scalars as they are passed by value. */
typedef struct complex32 {
  float re, im;
} complex32;
typedef struct complex64 {
  double re, im;
} complex64;

typedef struct clblast_call {
  bench_symbol routine;
  const bench_problem *problem;
  qn_matrix a, b, c;
  void *queue;
} clblast_call;

#define OPERAND(m) qn_buffer_native((m).buffer), (size_t)(m).offset, (size_t)(m).ld

/* The two forms of a routine for one type of scalar; `alpha` and `beta` are of it. */
#define DEFINE_CALLS(type)                                                                         \
  typedef int (*gemm_##type)(int layout, int ta, int tb, size_t m, size_t n, size_t k, type alpha, \
                             void *a, size_t a_offset, size_t lda, void *b, size_t b_offset,       \
                             size_t ldb, type beta, void *c, size_t c_offset, size_t ldc,          \
                             void **queue, void **event);                                          \
  typedef int (*triangular_##type)(int layout, int side, int uplo, int trans, int diag, size_t m,  \
                                   size_t n, type alpha, void *a, size_t a_offset, size_t lda,     \
                                   void *b, size_t b_offset, size_t ldb, void **queue,             \
                                   void **event);                                                  \
  static int call_##type(clblast_call *call, type alpha, type beta) {                              \
    const bench_problem *p = call->problem;                                                        \
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;                             \
    const int ta = bench_cblas_trans(p->transa), tb = bench_cblas_trans(p->transb);                \
    if (p->routine == BENCH_GEMM)                                                                  \
      return ((gemm_##type)call->routine)(COLUMN_MAJOR, ta, tb, m, n, k, alpha, OPERAND(call->a),  \
                                          OPERAND(call->b), beta, OPERAND(call->c), &call->queue,  \
                                          NULL);                                                   \
    return ((triangular_##type)call->routine)(                                                     \
        COLUMN_MAJOR, bench_cblas_side(p->side), bench_cblas_uplo(p->uplo), ta,                    \
        bench_cblas_diag(p->diag), m, n, alpha, OPERAND(call->a), OPERAND(call->c), &call->queue,  \
        NULL);                                                                                     \
  }

DEFINE_CALLS(float)
DEFINE_CALLS(double)
DEFINE_CALLS(complex32)
DEFINE_CALLS(complex64)

static bool enqueue(const bench_peer *peer, const bench_problem *p, qn_matrix a, qn_matrix b,
                    qn_matrix c) {
  const qn_scalar alpha = p->alpha, beta = p->beta;
  clblast_call call = {
      ((const clblast_peer *)peer)->routine[p->routine][p->dtype], p, a, b, c, peer->stream};
  switch (p->dtype) {
  case QN_F32:
    return call_float(&call, (float)alpha.re, (float)beta.re) == 0;
  case QN_F64:
    return call_double(&call, alpha.re, beta.re) == 0;
  case QN_C64:
    return call_complex32(&call, (complex32){(float)alpha.re, (float)alpha.im},
                          (complex32){(float)beta.re, (float)beta.im}) == 0;
  case QN_C128:
    return call_complex64(&call, (complex64){alpha.re, alpha.im}, (complex64){beta.re, beta.im}) ==
           0;
  default:
    return false; /* has() told so */
  }
}

static const bench_peer_ops ops = {.close = close_peer, .has = has, .enqueue = enqueue};
