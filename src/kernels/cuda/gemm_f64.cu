/* C := alpha op(A) op(B) + beta C in f64 on NVIDIA's tensor cores (gemm_kernel.cu has the kernel).
 *
 * The instruction multiplies 16 x 8 x 8 at a time on sm_90 and newer, and is made of four of
 * 8 x 8 x 4 on sm_80:
 *
 *   lane = 4 g + q    wide, 16 x k: two rows at two of k     narrow, k x 8: one row at two of k
 *                     sums: two rows of the wide by rows 2 q and 2 q + 1 of the narrow
 *
 * One operand is the wide one, its rows the instruction's 16, the other the narrow one. Which row
 * or k has which place is free as long as both operands agree; so they are chosen such that what is
 * read at once is what the instruction takes from neighbouring registers. An operand lies in shared
 * memory as it does in memory, so that 16 bytes are copied at a time:
 *
 *   along k: [row][k], a row of 8 chunks of 16 bytes, chunk c of row r at c ^ permutation(r)
 *   else:    [k][row], 16 bytes more than the tile for each k
 *
 * A wide operand wants two rows for each of two k, a narrow one two of k for each row. So A is the
 * wide one where its rows are neighbours, else B, and 16 bytes are read at once where they are what
 * is wanted:
 *
 *     op      wide          narrow        lane q has k
 *   A   B     A [k][m] 16   B [n][k] 16   2 q, 2 q + 1
 *   A   B'    A [k][m] 16   B [k][n] 8    2 q, 2 q + 1
 *   A'  B'    B [k][n] 16   A [m][k] 16   2 q, 2 q + 1
 *   A'  B     B [n][k] 8    A [m][k] 8    q, q + 4
 *
 * No reads of a warp meet in a bank. A warp computes WIDE_ROWS of the wide by NARROW_ROWS.
 *
 * Macros: those of gemm_kernel.cu; WIDE_ROWS NARROW_ROWS. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/gemm_sides.cu"

#define WIDE      (ALONG_K(A_SIDE) ? B_SIDE : A_SIDE)
#define NARROW    (ALONG_K(A_SIDE) ? A_SIDE : B_SIDE)
#define WM        (WIDE == A_SIDE ? WIDE_ROWS : NARROW_ROWS)
#define WN        (WIDE == A_SIDE ? NARROW_ROWS : WIDE_ROWS)
#define ROW_BYTES 128 /* of an operand along k */
#define ROW(side) (EXTENT(side) + 2)

/* Whether both lie along k; whether 16 bytes are read at once; whether a lane's two rows of 16 are
 * neighbours, and not 8 apart. */
#define BOTH_ALONG_K     (ALONG_K(A_SIDE) && ALONG_K(B_SIDE))
#define PAIRED(side)     ((side) == WIDE ? !ALONG_K(side) : ALONG_K(side) && !BOTH_ALONG_K)
#define NEIGHBOURS(side) ((side) == WIDE && PAIRED(side))

#if BK != 16
#error "a row along k is a step"
#endif

#define SIDE_BYTES(side)    (BK * 8 * (ALONG_K(side) ? EXTENT(side) : ROW(side)))
#define VECTORS(side)       1
#define MOVES(side, vector) (EXTENT(side) * BK / COPIERS / WIDTH(vector))

QN_DEV unsigned permutation(unsigned row) {
  return BOTH_ALONG_K ? (row & 3) << 1 : (row & 1) << 2 | (row >> 1 & 3);
}

/* Neighbouring items copy neighbours in memory: along k all of the step, then rows; else rows, then
 * k. */
#define WIDTH(vector)      ((vector) ? 2 : 1)
#define ACROSS(vector)     (BK / WIDTH(vector))
#define ROWS(side, vector) QN_MIN(EXTENT(side) / WIDTH(vector), COPIERS)

QN_DEV move first_move(unsigned t, int side, int vector) {
  const unsigned across = (unsigned)(ALONG_K(side) ? ACROSS(vector) : ROWS(side, vector));
  const int inner = (int)(t % across) * WIDTH(vector), outer = (int)(t / across);
  move at;
  at.row = ALONG_K(side) ? outer : inner;
  at.p = ALONG_K(side) ? inner : outer;
  return at;
}

QN_DEV move next_move(int s, int side, int vector) {
  const int rows = ALONG_K(side) ? COPIERS / ACROSS(vector) : ROWS(side, vector) * WIDTH(vector);
  const int passes = EXTENT(side) / rows;
  move by;
  by.row = s % passes * rows;
  by.p = ALONG_K(side) ? 0 : s / passes * (COPIERS / ROWS(side, vector));
  return by;
}

QN_DEV shared_place place(shared_place operand, int side, move at) {
  if (!ALONG_K(side)) return operand + (at.p * ROW(side) + at.row) * 8;
  const unsigned chunk = (unsigned)at.p / 2 ^ permutation((unsigned)at.row);
  return operand + (unsigned)at.row * ROW_BYTES + chunk * 16 + (unsigned)at.p % 2 * 8;
}

/* Small tiles have a step multiplied sooner than copiers think about the next one. */
#define QUICK (SPECIALISED && MOVES(A_SIDE, 1) + MOVES(B_SIDE, 1) <= 8)

#if QUICK
/* How far from first_move's place next_move's is: `by` never changes a row's permutation. */
QN_DEV unsigned way_in_stage(int side, move by) {
  return (unsigned)(ALONG_K(side) ? by.row * ROW_BYTES : (by.p * ROW(side) + by.row) * 8);
}
#endif

QN_DEV void copy_one(shared_place operand, int side, move at, const elem *from) {
  copy_bytes(place(operand, side, at), from, 8);
}

QN_DEV void copy_one_if(shared_place operand, int side, move at, const elem *from, int there) {
  copy_bytes_if(place(operand, side, at), from, 8, there);
}

QN_DEV void copy_16(shared_place operand, int side, move at, const elem *from) {
  copy_vector(place(operand, side, at), from);
}

#include "cuda/gemm_triangle.cu"
#include "cuda/gemm_stage.cu"

#define WARPS_M      (BM / WM)
#define WIDES        (WIDE_ROWS / 16)
#define NARROWS      (NARROW_ROWS / 8)
#define NARROW_PAIRS (NARROWS / 2)
#define STEP_K       8

/* c[of the wide's rows][of the narrow's] += x[of k][of rows] y[of k] */
QN_DEV void multiply_8(double c[2][2], const double x[2][2], const double y[2]) {
#if QN_SM < 90
  QN_UNROLL
  for (int s = 0; s < 4; s++)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[s % 2][0]), "+d"(c[s % 2][1])
        : "d"(x[s / 2][s % 2]), "d"(y[s / 2]));
#else
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
      : "d"(x[0][0]), "d"(x[0][1]), "d"(x[1][0]), "d"(x[1][1]), "d"(y[0]), "d"(y[1]));
#endif
}

/* ---- fragments ---- */

/* Of 16 rows: [of k][of rows] of the wide operand, [of rows][of k] of the narrow one. */
typedef struct fragment {
  double wide[WIDES][2][2], narrow[NARROW_PAIRS][2][2];
} fragment;

/* The item's first row and column of C; where in a stage it first reads of each operand. */
typedef struct reader {
  int row, col;
  unsigned a, b;
} reader;

/* The first row of an operand that a lane reads, counted from the warp's. */
QN_DEV int row_read(int side, int g) {
  return NEIGHBOURS(side) ? 2 * g : g;
}

QN_DEV int first_place(int side, int from, int g, int q) {
  const int row = from + row_read(side, g), permuted = (int)permutation((unsigned)row);
  if (!ALONG_K(side)) return (2 * q * ROW(side) + row) * 8;
  return row * ROW_BYTES +
         (BOTH_ALONG_K ? (q / 2 ^ permuted) * 16 + q % 2 * 8 : (q ^ permuted) * 16);
}

QN_DEV reader reader_of(unsigned t) {
  const int warp = (int)t / 32, g = (int)t % 32 / 4, q = (int)t % 4;
  const int m = WARP_PART(warp) * WM, n = warp / WARPS_M * WN, wide = row_read(WIDE, g);
  reader r;
  r.row = m + (WIDE == A_SIDE ? wide : 2 * q);
  r.col = n + (WIDE == A_SIDE ? 2 * q : wide);
  r.a = (unsigned)opaque(first_place(A_SIDE, m, g, q));
  r.b = (unsigned)opaque(first_place(B_SIDE, n, g, q) + SIDE_BYTES(A_SIDE));
  return r;
}

/* Where in a stage the lane's first row is, at its first or second k of the eight from p on. */
QN_DEV const char *place_read(const char *stage, int side, int p, int second, const reader *r) {
  const unsigned at = side == A_SIDE ? r->a : r->b;
  if (ALONG_K(side)) return stage + (at ^ (unsigned)(p * 8 + second * 32));
  return stage + at + (p + second) * ROW(side) * 8;
}

/* Two of k of the row that is `row` from the lane's first. */
QN_DEV void read_row(double to[2], const char *stage, int side, int p, int row, const reader *r) {
  const int way = row * (ALONG_K(side) ? ROW_BYTES : 8);
  if (PAIRED(side)) {
    const double2 x = *(const double2 *)(place_read(stage, side, p, 0, r) + way);
    to[0] = x.x;
    to[1] = x.y;
  } else {
    QN_UNROLL
    for (int i = 0; i < 2; i++) to[i] = *(const double *)(place_read(stage, side, p, i, r) + way);
  }
}

/* The 16 rows number `block` of the warp's. */
QN_DEV void read_block(double to[2][2], const char *stage, int side, int p, int block,
                       const reader *r) {
  QN_UNROLL
  for (int i = 0; i < 2; i++) {
    if (NEIGHBOURS(side)) { /* of k */
      const char *from = place_read(stage, side, p, i, r) + block * 128;
      const double2 x = *(const double2 *)from;
      to[i][0] = x.x;
      to[i][1] = x.y;
    } else { /* of rows */
      double x[2];
      read_row(x, stage, side, p, block * 16 + i * 8, r);
      to[side == WIDE ? 0 : i][side == WIDE ? i : 0] = x[0];
      to[side == WIDE ? 1 : i][side == WIDE ? i : 1] = x[1];
    }
  }
}

QN_DEV void read_fragment(fragment *f, const char *stage, int p, const reader *r) {
  QN_UNROLL
  for (int j = 0; j < WIDES; j++) read_block(f->wide[j], stage, WIDE, p, j, r);
  QN_UNROLL
  for (int i = 0; i < NARROW_PAIRS; i++) read_block(f->narrow[i], stage, NARROW, p, i, r);
}

/* ---- sums ---- */

typedef struct sums {
  double of[WIDES][NARROWS][2][2]; /* of the wide's rows, of the narrow's */
} sums;

#define SUMS (WM * WN / 32)

/* Where sum s is: which of two rows of which block, of each operand. s counts first the two that
 * are neighbours in a column of C, then the other two, then rows of C. */
typedef struct spot {
  int wide, narrow, h, e;
} spot;

QN_DEV spot spot_of(int s) {
  spot at;
  at.h = WIDE == A_SIDE ? s % 2 : s / 2 % 2;
  at.e = WIDE == A_SIDE ? s / 2 % 2 : s % 2;
  at.wide = WIDE == A_SIDE ? s / 4 % WIDES : s / 4 / NARROWS;
  at.narrow = WIDE == A_SIDE ? s / 4 / WIDES : s / 4 % NARROWS;
  return at;
}

QN_DEV acc sum_at(const sums *sum, int s) {
  const spot at = spot_of(s);
  return sum->of[at.wide][at.narrow][at.h][at.e];
}

/* Its row of an operand, counted from the item's first. */
QN_DEV int sum_along(int side, int s) {
  const spot at = spot_of(s);
  if (side == NARROW) return at.narrow * 8 + at.e;
  return at.wide * 16 + at.h * (NEIGHBOURS(side) ? 1 : 8);
}
QN_DEV int sum_row(int s) {
  return sum_along(A_SIDE, s);
}
QN_DEV int sum_col(int s) {
  return sum_along(B_SIDE, s);
}

/* ---- products ---- */

QN_DEV void multiply_pair(sums *c, const fragment *f, int j, int i) {
  multiply_8(c->of[j][i], f->wide[j], f->narrow[i / 2][i % 2]);
}

QN_DEV void multiply(sums *c, const fragment *f) {
  QN_UNROLL
  for (int s = 0; s < WIDES * NARROWS; s++) multiply_pair(c, f, s / NARROWS, s % NARROWS);
}

/* Over 16 of k at a time, but where registers are few, and where the diagonal of a triangle
 * crosses.
 */
#define AHEAD (!SPECIALISED ? 0 : TRIANGLE && REGISTERS < 200 ? 1 : 2)
#if AHEAD == 2
#include "cuda/gemm_f64_ahead.cu"
#else
#define LATE 0
#endif

#if AHEAD == 1
/* The products of a fragment, which then is that of k = p of a stage. A block of the wide operand
 * is read when those with the one behind it have begun: then nothing has to wait for its registers.
 */
QN_DEV void multiply_ahead(sums *c, fragment *f, const char *stage, int p, const reader *r) {
  double next[NARROW_PAIRS][2][2];
  QN_UNROLL
  for (int i = 0; i < NARROW_PAIRS; i++) read_block(next[i], stage, NARROW, p, i, r);
  QN_UNROLL
  for (int j = 0; j < WIDES; j++) {
    QN_UNROLL
    for (int i = 0; i < NARROWS; i++) {
      multiply_pair(c, f, j, i);
      if (j > 0 && i == 1) read_block(f->wide[j - 1], stage, WIDE, p, j - 1, r);
    }
  }
  read_block(f->wide[WIDES - 1], stage, WIDE, p, WIDES - 1, r);
  QN_UNROLL
  for (int i = 0; i < NARROWS * 2; i++)
    f->narrow[i / 4][i / 2 % 2][i % 2] = next[i / 4][i / 2 % 2][i % 2];
}
#endif

#if TRIANGLE
/* 16 rows of which the triangle counts alone; `beyond` is k - row of the lane's first number. */
QN_DEV void cross_block(double x[2][2], int side, int beyond, int unit) {
  QN_UNROLL
  for (int i = 0; i < 4; i++) {
    const int k = side == WIDE ? i / 2 : i % 2, row = side == WIDE ? i % 2 : i / 2;
    x[i / 2][i % 2] = triangle_part(
        x[i / 2][i % 2], beyond + k * (BOTH_ALONG_K ? 4 : 1) - row * (NEIGHBOURS(side) ? 1 : 8),
        unit, 1);
  }
}

/* The same of a fragment, whose k = 0 lies `shift` behind the tile's first row. */
QN_DEV void cross_fragment(fragment *f, int shift, int unit) {
  const int warp = QN_LID(0) / 32, g = QN_LID(0) % 32 / 4, q = QN_LID(0) % 4;
  const int from = TRIANGLE_SIDE == A_SIDE ? WARP_PART(warp) * WM : warp / WARPS_M * WN;
  const int beyond = shift + q * (BOTH_ALONG_K ? 1 : 2) - from - row_read(TRIANGLE_SIDE, g);
  QN_UNROLL
  for (int j = 0; j < (TRIANGLE_SIDE == WIDE ? WIDES : NARROW_PAIRS); j++)
    cross_block(TRIANGLE_SIDE == WIDE ? f->wide[j] : f->narrow[j], TRIANGLE_SIDE, beyond - j * 16,
                unit);
}

/* The products of a step that the diagonal crosses and that begins `shift` of k behind the tile. */
QN_DEV void multiply_crossed(sums *sum, const char *stage, const reader *r, int shift, int unit) {
  _Pragma("unroll 1") for (int p = 0; p < BK; p += STEP_K) {
    fragment f;
    read_fragment(&f, stage, p, r);
    cross_fragment(&f, shift + p, unit);
    multiply(sum, &f);
  }
}
#endif

#include "cuda/gemm_kernel.cu"
