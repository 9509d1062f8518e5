/* A matrix of halves moved to where the copy engine and 16-byte copies can read it: y := x with ldy
 * a multiple of 8. A group moves 256 rows of 4 columns, an item 8 rows; grid x along the rows, y
 * along the columns (any number of groups). */
#include "portable/prelude.cl"

QN_KERNEL QN_WG_SIZE(128, 1, 1) void repack(qn_i64 rows, qn_i64 cols, const qn_u16 *QN_RESTRICT x,
                                            qn_i64 off_x, qn_i64 ldx, qn_u16 *QN_RESTRICT y,
                                            qn_i64 ldy) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 256 + QN_LID(0) % 32 * 8;
  if (i >= ldy) return;
  for (qn_i64 j = (qn_i64)QN_WGID(1) * 4 + QN_LID(0) / 32; j < cols; j += (qn_i64)QN_NWG(1) * 4) {
    const qn_u16 *from = x + off_x + i + j * ldx;
    qn_u32 word[4];
    QN_UNROLL
    for (int w = 0; w < 4; w++) {
      const qn_u32 lo = i + 2 * w < rows ? from[2 * w] : 0;
      const qn_u32 hi = i + 2 * w + 1 < rows ? from[2 * w + 1] : 0;
      word[w] = lo | hi << 16;
    }
    *(uint4 *)(y + i + j * ldy) = make_uint4(word[0], word[1], word[2], word[3]);
  }
}
