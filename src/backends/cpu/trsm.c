/* qn_cpu_ops.trsm: solves with a triangle. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/tri_run.h"

qn_status qn_cpu_trsm(const qn_cpu_triangular *p) {
  qn_tri_form form = qn_tri_form_of(p);
  if (form.n == 0 || form.m == 0) return QN_OK;
  return qn_tri_run(&form, true, "qn_trsm");
}

/* Any order runs in one piece. With many right-hand sides the triangle is packed once for each
 * chunk of them; then the product between two halves, which packs it once, is the faster. */
int64_t qn_cpu_trsm_block(const qn_cpu_triangular *p) {
  return qn_tri_block(p);
}
