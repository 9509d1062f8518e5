/* Brings a triangular problem to its one form. */
#include "backends/cpu/tri_form.h"

qn_tri_form qn_tri_form_of(const qn_cpu_triangular *p) {
  bool left = p->side == QN_LEFT;
  qn_tri_form f = {
      .dtype = p->dtype,
      .ai = 1,
      .aj = p->a.ld,
      .conj = p->trans == QN_CONJTRANS && qn_dtype_is_complex(p->dtype),
      .unit = p->diag == QN_UNIT,
      .bi = left ? 1 : p->b.ld,
      .bj = left ? p->b.ld : 1,
      .n = left ? p->b.rows : p->b.cols,
      .m = left ? p->b.cols : p->b.rows,
      .alpha = p->alpha,
  };
  bool lower = p->uplo == QN_LOWER;
  if ((p->trans == QN_NOTRANS) != left) {
    f.ai = p->a.ld;
    f.aj = 1;
    lower = !lower;
  }
  ptrdiff_t a = 0, b = 0;
  if (!lower) {
    a = (ptrdiff_t)(f.n - 1) * (f.ai + f.aj);
    b = (ptrdiff_t)(f.n - 1) * f.bi;
    f.ai = -f.ai;
    f.aj = -f.aj;
    f.bi = -f.bi;
  }
  size_t size = qn_dtype_size(p->dtype);
  f.a = f.n ? (const char *)p->a.data + a * (ptrdiff_t)size : p->a.data;
  f.b = f.n ? (char *)p->b.data + b * (ptrdiff_t)size : p->b.data;
  return f;
}
