/* A matrix of halves moved to where the copy engine and 16-byte copies can read it: y := x with ldy
 * a multiple of 8. An item moves 8 rows: it reads the 16 bytes that they begin in and the next
 * ones, and shifts. What is not x's is not read.
 *
 *   column of x    | . . . a b c d e | f g h i j k l m | ...     16 bytes between the bars
 *   column of y    | a b c d e f g h | i j k l m ...
 *
 * A group moves 256 rows of 32 columns at a time; grid x along the rows, y along the columns (any
 * number of groups), z the matrix: there are up to two. A launch that begins early, where the
 * device has such. */
#include "portable/prelude.cl"
#if __CUDA_ARCH__ >= 900
#include "cuda/hopper.cu"
#else
#define launch_next()
#define launch_wait()
#endif

#define COLS  8 /* that a group's warps move at a time, */
#define AHEAD 4 /* so many times before the first is put down */

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

/* The 32 bytes that eight halves from `x` on lie in. */
typedef struct pair {
  uint4 a, b;
} pair;

QN_DEV int shift_of(const qn_u16 *x) {
  return (int)((qn_u64)x % 16);
}

QN_DEV pair read_pair(const span *s, const qn_u16 *x) {
  const qn_u16 *at = x - shift_of(x) / 2;
  pair p;
  if (at >= s->begin && at + 16 <= s->end) {
    p.a = *(const uint4 *)at;
    p.b = *(const uint4 *)(at + 8);
  } else {
    p.a = read_16(s, at);
    p.b = read_16(s, at + 8);
  }
  return p;
}

/* The eight halves. */
QN_DEV uint4 eight_of(const pair *p, int shift) {
  qn_u32 w[8] = {p->a.x, p->a.y, p->a.z, p->a.w, p->b.x, p->b.y, p->b.z, p->b.w};
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

typedef struct matrix {
  qn_i64 rows, cols;
  const qn_u16 *x;
  qn_i64 ldx;
  qn_u16 *y;
  qn_i64 ldy;
} matrix;

QN_DEV void move(const matrix *m) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 256 + QN_LID(0) % 32 * 8;
  const qn_i64 j0 = (qn_i64)QN_WGID(1) * (COLS * AHEAD) + QN_LID(0) / 32;
  if (i >= m->ldy) return;
  for (qn_i64 j = j0; j < m->cols; j += (qn_i64)QN_NWG(1) * (COLS * AHEAD)) {
    pair piece[AHEAD];
    QN_UNROLL
    for (int s = 0; s < AHEAD; s++) {
      const qn_u16 *column = m->x + QN_MIN(j + s * COLS, m->cols - 1) * m->ldx;
      const span c = {column, column + m->rows};
      piece[s] = read_pair(&c, column + i);
    }
    QN_UNROLL
    for (int s = 0; s < AHEAD; s++)
      if (j + s * COLS < m->cols)
        *(uint4 *)(m->y + i + (j + s * COLS) * m->ldy) =
            eight_of(&piece[s], shift_of(m->x + i + (j + s * COLS) * m->ldx));
  }
}

QN_KERNEL QN_WG_SIZE(256, 1, 1) void repack(qn_i64 rows0, qn_i64 cols0,
                                            const qn_u16 *QN_RESTRICT x0, qn_i64 off_x0,
                                            qn_i64 ldx0, qn_u16 *QN_RESTRICT y0, qn_i64 ldy0,
                                            qn_i64 rows1, qn_i64 cols1,
                                            const qn_u16 *QN_RESTRICT x1, qn_i64 off_x1,
                                            qn_i64 ldx1, qn_u16 *QN_RESTRICT y1, qn_i64 ldy1) {
  const int second = QN_WGID(2) > 0;
  const matrix m = {
      second ? rows1 : rows0, second ? cols1 : cols0, second ? x1 + off_x1 : x0 + off_x0,
      second ? ldx1 : ldx0,   second ? y1 : y0,       second ? ldy1 : ldy0};
  launch_next();
  launch_wait();
  move(&m);
}
