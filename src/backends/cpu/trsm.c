/* qn_cpu_ops.trsm: solves with a triangle. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/tri_run.h"

/* Halves a triangle that the packed form does not hold: T11 X1 = alpha B1, then
 * T22 X2 = alpha B2 - T21 X1. */
static qn_status solve(const qn_tri_form *f) {
  if (f->n <= QN_TRI_ORDER_MAX) return qn_tri_run(f, true, "qn_trsm");
  qn_tri_form first, second;
  qn_tri_split(f, &first, &second);
  qn_status status = solve(&first);
  if (status == QN_OK) status = qn_tri_update(f, &first, &second, qn_real(-1), f->alpha);
  second.alpha = qn_real(1);
  return status == QN_OK ? solve(&second) : status;
}

qn_status qn_cpu_trsm(const qn_cpu_triangular *p) {
  qn_tri_form form = qn_tri_form_of(p);
  if (form.n == 0 || form.m == 0) return QN_OK;
  return solve(&form);
}

int64_t qn_cpu_trsm_block(const qn_cpu_triangular *p) {
  (void)p;
  return 256;
}
