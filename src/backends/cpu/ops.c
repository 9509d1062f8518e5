/* The table of the cpu's arithmetic. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels.h"
#include <pthread.h>

static qn_cpu_ops ops = {
    .gemm = qn_cpu_gemm_run,
    .trsm = qn_cpu_trsm,
    .trmm = qn_cpu_trmm,
    .trsm_block = qn_cpu_trsm_block,
    .trmm_block = qn_cpu_trmm_block,
    .potrf = qn_cpu_potrf,
    .potrf_block = qn_cpu_potrf_block,
    .cast = qn_cpu_cast,
    .scale = qn_cpu_scale,
    .axpby = qn_cpu_axpby_run,
    .map = qn_cpu_map_run,
    .reduce = qn_cpu_reduce_run,
    .rng_uniform = qn_cpu_rng_uniform,
    .rng_normal = qn_cpu_rng_normal,
};

static void complete(void) {
  ops.isa = qn_cpu_isa_get()->name;
  if (qn_cpu_blas_load()) ops.gemm_blas = qn_cpu_blas_gemm;
}

const qn_cpu_ops *qn_cpu_ops_get(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, complete);
  return &ops;
}
