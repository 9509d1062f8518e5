/* The wrapped cpu_ops. Functions without a status cannot fail and are passed through as they are.
 */
#include "backends/faults/faults.h"
#include "backends/faults/inner.h"
#include <stdatomic.h>

static _Atomic(const qn_cpu_ops *) real;

static qn_status gemm(const qn_cpu_gemm *p) {
  qn_status status = qn_fault(QN_FAULT_LAUNCH, "gemm");
  return status == QN_OK ? atomic_load(&real)->gemm(p) : status;
}

static qn_status trsm(const qn_cpu_triangular *p) {
  qn_status status = qn_fault(QN_FAULT_LAUNCH, "trsm");
  return status == QN_OK ? atomic_load(&real)->trsm(p) : status;
}

static qn_status trmm(const qn_cpu_triangular *p) {
  qn_status status = qn_fault(QN_FAULT_LAUNCH, "trmm");
  return status == QN_OK ? atomic_load(&real)->trmm(p) : status;
}

static qn_status potrf(qn_dtype dtype, qn_uplo uplo, qn_cpu_matrix a, int64_t *info) {
  qn_status status = qn_fault(QN_FAULT_LAUNCH, "potrf");
  return status == QN_OK ? atomic_load(&real)->potrf(dtype, uplo, a, info) : status;
}

static qn_status reduce(const qn_cpu_reduce *p) {
  qn_status status = qn_fault(QN_FAULT_LAUNCH, "reduce");
  return status == QN_OK ? atomic_load(&real)->reduce(p) : status;
}

const qn_cpu_ops *qn_faults_cpu_ops(const qn_cpu_ops *inner) {
  static qn_cpu_ops wrapped;
  const qn_cpu_ops *none = NULL;
  if (!inner) return NULL;
  /* Called while a device is opened, which the registry does one at a time. */
  if (atomic_compare_exchange_strong(&real, &none, inner)) {
    wrapped = *inner;
    wrapped.gemm = gemm;
    wrapped.trsm = trsm;
    wrapped.trmm = trmm;
    wrapped.potrf = potrf;
    wrapped.reduce = reduce;
  }
  return &wrapped;
}
