/* A matrix of halves moved to where the copy engine and 16-byte copies can read it: y := x with ldy
 * a multiple of 8. An item moves 8 rows: it reads the 16 bytes that they begin in and the next
 * ones, and shifts. What is not x's is not read.
 *
 *   column of x    | . . . a b c d e | f g h i j k l m | ...     16 bytes between the bars
 *   column of y    | a b c d e f g h | i j k l m ...
 *
 * A group moves 256 rows of 8 columns at a time; grid x along the rows, y along the columns (any
 * number of groups). */
#include "portable/prelude.cl"

typedef struct span {
  const qn_u16 *begin, *end; /* of a column */
} span;

/* The 16 bytes at `at`, a multiple of 16; zeros beyond the column. */
QN_DEV uint4 read_16(const span *s, const qn_u16 *at) {
  if (at >= s->begin && at + 8 <= s->end) return *(const uint4 *)at;
  qn_u32 word[4];
  QN_UNROLL
  for (int w = 0; w < 4; w++) {
    const qn_u16 *x = at + 2 * w;
    const qn_u32 lo = x >= s->begin && x < s->end ? x[0] : 0;
    const qn_u32 hi = x + 1 >= s->begin && x + 1 < s->end ? x[1] : 0;
    word[w] = lo | hi << 16;
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

/* Eight halves from `x` on. */
QN_DEV uint4 read_8(const span *s, const qn_u16 *x) {
  const int shift = (int)((qn_u64)x % 16);
  const qn_u16 *at = x - shift / 2;
  const uint4 a = read_16(s, at);
  if (shift == 0) return a;
  const uint4 b = read_16(s, at + 8);
  qn_u32 w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  if (shift & 8) {
    QN_UNROLL
    for (int i = 0; i < 6; i++) w[i] = w[i + 2];
  }
  if (shift & 4) {
    QN_UNROLL
    for (int i = 0; i < 5; i++) w[i] = w[i + 1];
  }
  if (shift & 2) {
    QN_UNROLL
    for (int i = 0; i < 4; i++) w[i] = __funnelshift_r(w[i], w[i + 1], 16);
  }
  return make_uint4(w[0], w[1], w[2], w[3]);
}

QN_KERNEL QN_WG_SIZE(256, 1, 1) void repack(qn_i64 rows, qn_i64 cols, const qn_u16 *QN_RESTRICT x,
                                            qn_i64 off_x, qn_i64 ldx, qn_u16 *QN_RESTRICT y,
                                            qn_i64 ldy) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 256 + QN_LID(0) % 32 * 8;
  if (i >= ldy) return;
  for (qn_i64 j = (qn_i64)QN_WGID(1) * 8 + QN_LID(0) / 32; j < cols; j += (qn_i64)QN_NWG(1) * 8) {
    const qn_u16 *column = x + off_x + j * ldx;
    const span s = {column, column + rows};
    *(uint4 *)(y + i + j * ldy) = read_8(&s, column + i);
  }
}
