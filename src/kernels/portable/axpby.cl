/* Y := alpha X + beta Y over views of one shape; a factor of 0 leaves its operand unread. X may be Y
 * itself. Grid: x along the rows, an item a row; y along the columns, any number of groups.
 *
 * Macros: QN_T. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"

QN_KERNEL QN_WG_SIZE(64, 1, 1) void
axpby(qn_i64 m, qn_i64 n, acc alpha, QN_GLOBAL const elem *x, qn_i64 off_x, qn_i64 ldx, acc beta,
      QN_GLOBAL elem *y, qn_i64 off_y, qn_i64 ldy) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 64 + QN_LID(0);
  if (i >= m) return;
  for (qn_i64 j = QN_WGID(1); j < n; j += QN_NWG(1)) {
    QN_GLOBAL elem *e = y + off_y + i + j * ldy;
    acc sum = acc_zero();
    if (!acc_is_zero(alpha)) sum = acc_mul(alpha, acc_load(x[off_x + i + j * ldx]));
    if (!acc_is_zero(beta)) sum = acc_fma(beta, acc_load(*e), sum);
    *e = acc_store(sum);
  }
}
