/* qn_cpu_ops.trmm: products with a triangle. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/tri_run.h"

/* Halves a triangle that the packed form does not hold: X2 = alpha T22 B2 + alpha T21 B1, then
 * X1 = alpha T11 B1. */
static qn_status multiply(const qn_tri_form *f) {
  if (f->n <= QN_TRI_ORDER_MAX) return qn_tri_run(f, false, "qn_trmm");
  qn_tri_form first, second;
  qn_tri_split(f, &first, &second);
  qn_status status = multiply(&second);
  if (status == QN_OK) status = qn_tri_update(f, &first, &second, f->alpha, qn_real(1));
  return status == QN_OK ? multiply(&first) : status;
}

qn_status qn_cpu_trmm(const qn_cpu_triangular *p) {
  qn_tri_form form = qn_tri_form_of(p);
  if (form.n == 0 || form.m == 0) return QN_OK;
  return multiply(&form);
}

int64_t qn_cpu_trmm_block(const qn_cpu_triangular *p) {
  (void)p;
  return 256;
}
