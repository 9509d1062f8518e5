/* cuSOLVER's Cholesky, by dlopen. */
#include "bench/peer_cusolver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *solver_handle;
typedef int (*create_fn)(solver_handle *handle);
typedef int (*destroy_fn)(solver_handle handle);
typedef int (*set_stream_fn)(solver_handle handle, void *stream);
typedef int (*size_fn)(solver_handle handle, int uplo, int n, void *a, int lda, int *elements);
typedef int (*potrf_fn)(solver_handle handle, int uplo, int n, void *a, int lda, void *work,
                        int elements, int *info);

struct bench_cusolver {
  void *library;
  solver_handle handle;
  qn_device *device;
  size_fn size[QN_DTYPE_COUNT];
  potrf_fn potrf[QN_DTYPE_COUNT];
  qn_buffer *work; /* the workspace, and info behind it */
  size_t bytes;
};

enum { INFO_BYTES = 256 };

static void find_routines(bench_cusolver *solver) {
  static const char letters[QN_DTYPE_COUNT] = {
      [QN_F32] = 'S', [QN_F64] = 'D', [QN_C64] = 'C', [QN_C128] = 'Z'};
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (!letters[t]) continue;
    char name[48];
    snprintf(name, sizeof name, "cusolverDn%cpotrf", letters[t]);
    solver->potrf[t] = (potrf_fn)bench_find_symbol(solver->library, name);
    snprintf(name, sizeof name, "cusolverDn%cpotrf_bufferSize", letters[t]);
    solver->size[t] = (size_fn)bench_find_symbol(solver->library, name);
  }
}

static bool start(bench_cusolver *solver, void *stream) {
  const create_fn create = (create_fn)bench_find_symbol(solver->library, "cusolverDnCreate");
  const set_stream_fn set_stream =
      (set_stream_fn)bench_find_symbol(solver->library, "cusolverDnSetStream");
  return create && set_stream && create(&solver->handle) == 0 &&
         set_stream(solver->handle, stream) == 0;
}

bench_cusolver *bench_cusolver_open(qn_device *device, void *stream) {
  bench_cusolver *solver = calloc(1, sizeof *solver);
  if (!solver) return NULL;
  solver->device = device;
  solver->library = bench_cuda_library("cusolver", BENCH_PEER_CUSOLVER);
  if (solver->library && start(solver, stream)) {
    find_routines(solver);
    return solver;
  }
  bench_cusolver_close(solver);
  return NULL;
}

void bench_cusolver_close(bench_cusolver *solver) {
  if (!solver) return;
  qn_buffer_free(solver->work);
  if (solver->handle)
    ((destroy_fn)bench_find_symbol(solver->library, "cusolverDnDestroy"))(solver->handle);
  if (solver->library) dlclose(solver->library);
  free(solver);
}

bool bench_cusolver_has(const bench_cusolver *solver, qn_dtype dtype) {
  return solver->potrf[dtype] && solver->size[dtype];
}

static bool make_room(bench_cusolver *solver, size_t bytes) {
  if (bytes <= solver->bytes) return true;
  qn_buffer_free(solver->work);
  solver->work = NULL;
  solver->bytes = 0;
  if (qn_buffer_alloc(solver->device, QN_MEMORY_DEVICE, bytes + INFO_BYTES, &solver->work) != QN_OK)
    return false;
  solver->bytes = bytes;
  return true;
}

bool bench_cusolver_potrf(bench_cusolver *solver, qn_dtype dtype, qn_uplo uplo, qn_matrix a) {
  const int upper = uplo == QN_UPPER, n = (int)a.rows, lda = (int)a.ld;
  void *at = bench_cuda_address(a);
  int elements = 0;
  if (solver->size[dtype](solver->handle, upper, n, at, lda, &elements) != 0) return false;
  const size_t bytes = ((size_t)elements * qn_dtype_size(dtype) + 255) / 256 * 256;
  if (!make_room(solver, bytes)) return false;
  char *work = qn_buffer_native(solver->work);
  return solver->potrf[dtype](solver->handle, upper, n, at, lda, work, elements,
                              (int *)(work + solver->bytes)) == 0;
}
