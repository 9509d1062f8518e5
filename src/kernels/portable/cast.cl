/* Y := X with conversion between f32 and a half. Grid: x along the rows, an
 * item a row; y along the columns, any number of groups.
 *
 * Macros: QN_T, the half; TO_HALF 1: X is f32, Y the half; 0: the other way. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"

#if TO_HALF
typedef float from;
typedef elem to;
#define convert(e) acc_store(e)
#else
typedef elem from;
typedef float to;
#define convert(e) acc_load(e)
#endif

QN_KERNEL QN_WG_SIZE(64, 1, 1) void
cast(qn_i64 m, qn_i64 n, QN_GLOBAL const from *x, qn_i64 off_x, qn_i64 ldx, QN_GLOBAL to *y,
     qn_i64 off_y, qn_i64 ldy) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 64 + QN_LID(0);
  if (i >= m) return;
  for (qn_i64 j = QN_WGID(1); j < n; j += QN_NWG(1))
    y[off_y + i + j * ldy] = convert(x[off_x + i + j * ldx]);
}
