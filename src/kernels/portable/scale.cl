/* X := alpha X over a view; alpha = 0 writes zeros and reads nothing. Grid: x along the rows,
 * an item a row; y along the columns, any number of groups.
 *
 * Macros: QN_T. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"

QN_KERNEL QN_WG_SIZE(64, 1, 1) void
scale(qn_i64 m, qn_i64 n, acc alpha, QN_GLOBAL elem *x, qn_i64 off_x, qn_i64 ldx) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 64 + QN_LID(0);
  if (i >= m) return;
  for (qn_i64 j = QN_WGID(1); j < n; j += QN_NWG(1)) {
    QN_GLOBAL elem *e = x + off_x + i + j * ldx;
    *e = acc_store(acc_is_zero(alpha) ? acc_zero() : acc_mul(alpha, acc_load(*e)));
  }
}
