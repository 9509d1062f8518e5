/* Columns of one matrix to another whose columns lie elsewhere apart, 16 bytes at a time; sizes and
 * places count these. Grid: x along the columns, y across, each a few of them. */
#include "portable/prelude.cl"

#define ACROSS 4

QN_KERNEL __launch_bounds__(256) void copy_columns(qn_i64 m, qn_i64 n, const uint4 *QN_RESTRICT x,
                                                   qn_i64 off_x, qn_i64 ldx, uint4 *QN_RESTRICT y,
                                                   qn_i64 off_y, qn_i64 ldy) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 256 + QN_LID(0);
  if (i >= m) return;
  for (qn_i64 j = (qn_i64)QN_WGID(1) * ACROSS; j < n; j += (qn_i64)QN_NWG(1) * ACROSS) {
    const uint4 *from = x + off_x + i + j * ldx;
    uint4 *to = y + off_y + i + j * ldy, of[ACROSS];
    QN_UNROLL
    for (int c = 0; c < ACROSS; c++)
      if (j + c < n) of[c] = from[c * ldx];
    QN_UNROLL
    for (int c = 0; c < ACROSS; c++)
      if (j + c < n) to[c * ldy] = of[c];
  }
}
