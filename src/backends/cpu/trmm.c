/* qn_cpu_ops.trmm: products with a triangle. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/tri_form.h"

qn_status qn_cpu_trmm(const qn_cpu_triangular *p) {
  qn_tri_form form = qn_tri_form_of(p);
  qn_tri_multiply_plain(&form);
  return QN_OK;
}

int64_t qn_cpu_trmm_block(const qn_cpu_triangular *p) {
  (void)p;
  return 64;
}
