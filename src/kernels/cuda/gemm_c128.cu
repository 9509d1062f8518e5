/* C := alpha op(A) op(B) + beta C in c128 on NVIDIA's tensor cores (gemm_kernel.cu has the kernel).
 *
 * sm_90 and newer multiply 16 x 8 x 4 at a time, sm_80 8 x 8 x 4. The 16 rows of the instruction
 * are columns of C and its 8 columns are rows of C:
 *
 *   lane = 4 g + q    16 x k: columns 2 g and 2 g + 1 of C     k x 8: row g of C     k = q
 *                     sums: columns 2 g and 2 g + 1, rows 2 q and 2 q + 1
 *
 * Which column, row or k has which place is free as long as both operands agree; so they are
 * chosen, and the operands laid out in shared memory, such that 16 bytes read at once are what the
 * instruction takes from neighbouring registers:
 *
 *   B: [k][part][n], a row of doubles 16 bytes longer than the tile: one part of columns 2 g and
 *      2 g + 1.
 *   A: [m][k], both parts of one k. A row has 8 chunks of 16 bytes, chunk c of row r at
 *      c ^ permutation(r), so that neither reads (2 rows by 4 chunks) nor copies meet in a bank.
 *
 * A warp computes WM x WN. A product is four real ones; signs of imaginary parts are turned as
 * fragments are used. (f64 has its own file: there both operands can lie as they do in memory.)
 *
 * Macros: those of gemm_kernel.cu; WM WN. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/gemm_sides.cu"

#define CHUNKS              8        /* of a row of A */
#define ROW_B               (BN + 2) /* doubles */
#define SIDE_BYTES(side)    ((side) == A_SIDE ? BM * BK * 16 : BK * 2 * ROW_B * 8)
#define VECTORS(side)       0
#define MOVES(side, vector) (EXTENT(side) * BK / COPIERS)

#if BK != CHUNKS
#error "a row of A is a step"
#endif

QN_DEV unsigned permutation(unsigned row) {
  return (row & 1) << 2 | (row >> 1 & 3);
}

/* Neighbouring items copy neighbours in memory: along k all of the step, then rows; else rows, then
 * k. */
#define ROWS(side) QN_MIN(EXTENT(side), COPIERS)

QN_DEV move first_move(unsigned t, int side, int vector) {
  (void)vector;
  move at;
  at.row = (int)(ALONG_K(side) ? t / BK : t % ROWS(side));
  at.p = (int)(ALONG_K(side) ? t % BK : t / ROWS(side));
  return at;
}

QN_DEV move next_move(int s, int side, int vector) {
  (void)vector;
  const int rows = ALONG_K(side) ? COPIERS / BK : ROWS(side), passes = EXTENT(side) / rows;
  move by;
  by.row = s % passes * rows;
  by.p = ALONG_K(side) ? 0 : s / passes * (COPIERS / ROWS(side));
  return by;
}

QN_DEV shared_place place(shared_place operand, int side, move at) {
  if (side == B_SIDE) return operand + (at.p * 2 * ROW_B + at.row) * 8;
  const unsigned chunk = (unsigned)at.p ^ permutation((unsigned)at.row);
  return operand + ((unsigned)at.row * CHUNKS + chunk) * 16;
}

QN_DEV void copy_one(shared_place operand, int side, move at, const elem *from) {
  const shared_place to = place(operand, side, at);
  if (side == A_SIDE) {
    copy_bytes(to, from, 16);
  } else {
    copy_bytes(to, from, 8);
    copy_bytes(to + ROW_B * 8, (const double *)from + 1, 8);
  }
}

QN_DEV void copy_one_if(shared_place operand, int side, move at, const elem *from, int there) {
  const shared_place to = place(operand, side, at);
  if (side == A_SIDE) {
    copy_bytes_if(to, from, 16, there);
  } else {
    copy_bytes_if(to, from, 8, there);
    copy_bytes_if(to + ROW_B * 8, (const double *)from + 1, 8, there);
  }
}

QN_DEV void copy_16(shared_place operand, int side, move at, const elem *from) {
  copy_one(operand, side, at, from);
}

#include "cuda/gemm_triangle.cu"
#include "cuda/gemm_stage.cu"

#define WARPS_M  (BM / WM)
#define GROUPS_M (WM / 8)  /* of 8 rows of C */
#define GROUPS_N (WN / 16) /* of 16 columns */
#define STEP_K   4

/* c[column 2 g and 2 g + 1][rows 2 q and 2 q + 1] += n m over 4 of k */
QN_DEV void multiply_4(double c[2][2], const double n[2], double m) {
#if QN_SM < 90
  QN_UNROLL
  for (int h = 0; h < 2; h++)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[h][0]), "+d"(c[h][1])
        : "d"(n[h]), "d"(m));
#else
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
      : "d"(n[0]), "d"(n[1]), "d"(m));
#endif
}

/* ---- fragments, 16 bytes each: m both parts; n two columns of one part ---- */

typedef struct fragment {
  double m[GROUPS_M][2], n[GROUPS_N][2][2];
} fragment;

QN_DEV void read_16(double to[2], const char *from) {
  const double2 x = *(const double2 *)from;
  to[0] = x.x;
  to[1] = x.y;
}

/* The item's first row and column; where in a stage its first chunk of A and first columns of B
 * lie. */
typedef struct reader {
  int row, col;
  unsigned m, q, n;
} reader;

QN_DEV reader reader_of(unsigned t) {
  const unsigned warp = t / 32, g = t % 32 / 4, q = t % 4;
  reader r;
  r.m = (unsigned)opaque((int)(warp % WARPS_M * WM + g));
  r.q = q;
  r.row = (int)(warp % WARPS_M * WM + 2 * q);
  r.col = (int)(warp / WARPS_M * WN + 2 * g);
  r.n = (unsigned)opaque(SIDE_BYTES(A_SIDE) + ((int)q * 2 * ROW_B + r.col) * 8);
  return r;
}

QN_DEV void read_m(double m[2], const char *stage, int p, int i, const reader *r) {
  const unsigned chunk = ((unsigned)p + r->q) ^ permutation(r->m); /* 8 rows on it is the same */
  read_16(m, stage + ((r->m + (unsigned)i * 8) * CHUNKS + chunk) * 16);
}

QN_DEV void read_n(double n[2][2], const char *stage, int p, int j, const reader *r) {
  const char *b = stage + r->n + (p * 2 * ROW_B + j * 16) * 8;
  read_16(n[0], b);
  read_16(n[1], b + ROW_B * 8);
}

QN_DEV void read_fragment(fragment *f, const char *stage, int p, const reader *r) {
  QN_UNROLL
  for (int i = 0; i < GROUPS_M; i++) read_m(f->m[i], stage, p, i, r);
  QN_UNROLL
  for (int j = 0; j < GROUPS_N; j++) read_n(f->n[j], stage, p, j, r);
}

typedef struct sums {
  double part[2][GROUPS_N][GROUPS_M][2][2];
} sums;

#define SUMS (GROUPS_N * GROUPS_M * 4)

/* s counts rows, then columns, of the instruction; then groups of rows; then groups of columns. */
QN_DEV acc sum_at(const sums *sum, int s) {
  const int j = s / 4 / GROUPS_M, i = s / 4 % GROUPS_M;
  return acc_make(sum->part[0][j][i][s / 2 % 2][s % 2], sum->part[1][j][i][s / 2 % 2][s % 2]);
}
QN_DEV int sum_row(int s) {
  return s / 4 % GROUPS_M * 8 + s % 2;
}
QN_DEV int sum_col(int s) {
  return s / 4 / GROUPS_M * 16 + s / 2 % 2;
}

/* ---- products ---- */

/* 8 rows by 16 columns. */
QN_DEV void multiply_pair(sums *c, const fragment *f, int j, int i) {
  const double *re = f->n[j][0];
  double im[2];
  QN_UNROLL
  for (int h = 0; h < 2; h++) im[h] = TRANSB == 2 ? -f->n[j][1][h] : f->n[j][1][h];
  const double turned = TRANSA == 2 ? -f->m[i][1] : f->m[i][1];
  multiply_4(c->part[0][j][i], re, f->m[i][0]);
  multiply_4(c->part[1][j][i], re, turned);
  multiply_4(c->part[0][j][i], im, -turned);
  multiply_4(c->part[1][j][i], im, f->m[i][0]);
}

QN_DEV void multiply(sums *c, const fragment *f) {
  QN_UNROLL
  for (int j = 0; j < GROUPS_N; j++) {
    QN_UNROLL
    for (int i = 0; i < GROUPS_M; i++) multiply_pair(c, f, j, i);
  }
}

#define AHEAD (SPECIALISED && !TRIANGLE)

#if AHEAD
/* The products of a fragment, which then is that of k = p of a stage: parts of it are read as those
 * before fall free. */
QN_DEV void multiply_ahead(sums *c, fragment *f, const char *stage, int p, const reader *r) {
  double last[2][2];
  read_n(last, stage, p, GROUPS_N - 1, r);
  QN_UNROLL
  for (int j = 0; j < GROUPS_N; j++) {
    QN_UNROLL
    for (int i = 0; i < GROUPS_M; i++) {
      multiply_pair(c, f, j, i);
      if (j == GROUPS_N - 1) read_m(f->m[i], stage, p, i, r);
    }
    if (j < GROUPS_N - 1) read_n(f->n[j], stage, p, j, r);
  }
  QN_UNROLL
  for (int h = 0; h < 4; h++) f->n[GROUPS_N - 1][h / 2][h % 2] = last[h / 2][h % 2];
}
#endif

#if TRIANGLE
/* A fragment of which the triangle counts alone; k = 0 lies `shift` behind the tile's first row. */
QN_DEV void cross_fragment(fragment *f, const reader *r, int shift, int unit) {
  const int beyond = shift + (int)r->q - (TRIANGLE_SIDE == A_SIDE ? (int)r->m : r->col);
  QN_UNROLL
  for (int part = 0; part < 2; part++) {
    QN_UNROLL
    for (int i = 0; i < (TRIANGLE_SIDE == A_SIDE ? GROUPS_M : 0); i++)
      f->m[i][part] = triangle_part(f->m[i][part], beyond - i * 8, unit, part == 0);
    QN_UNROLL
    for (int j = 0; j < (TRIANGLE_SIDE == B_SIDE ? 2 * GROUPS_N : 0); j++)
      f->n[j / 2][part][j % 2] =
          triangle_part(f->n[j / 2][part][j % 2], beyond - j / 2 * 16 - j % 2, unit, part == 0);
  }
}

/* The same where the diagonal crosses the step, which begins `shift` of k behind the tile. */
QN_DEV void multiply_crossed(sums *sum, const char *stage, const reader *r, int shift, int unit) {
  _Pragma("unroll 1") for (int p = 0; p < BK; p += STEP_K) {
    fragment f;
    read_fragment(&f, stage, p, r);
    cross_fragment(&f, r, shift + p, unit);
    multiply(sum, &f);
  }
}
#endif

#include "cuda/gemm_kernel.cu"
