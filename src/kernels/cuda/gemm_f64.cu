/* C := alpha op(A) op(B) + beta C in f64 and c128 on NVIDIA's tensor cores (gemm_kernel.cu has the
 * kernel).
 *
 * sm_90 and newer multiply 16 x 8 x 4 or 16 x 8 x 8 at a time, sm_80 8 x 8 x 4. The 16 rows of the
 * instruction are columns of C and its 8 columns are rows of C, so that an item's two neighbouring
 * sums are neighbours in a column of C:
 *
 *   lane = 4 g + q    16 x k: columns 2 g and 2 g + 1 of C     k x 8: row g of C     k = q (and 4 +
 * q) sums: columns 2 g and 2 g + 1, rows 2 q and 2 q + 1
 *
 * Which column, row or k has which place is free as long as both operands agree; so they are
 * chosen, and the operands laid out in shared memory, such that 16 bytes read at once are what the
 * instruction takes from neighbouring registers:
 *
 *   B: [k][n], a row 16 bytes longer than the tile: columns 2 g and 2 g + 1 of one k. In c128 a
 * plane of real parts, then one of imaginary parts, for each k. A: [m][k], chunks of 16 bytes: k =
 * 2 q and 2 q + 1 in f64, both parts of one k in c128. A row has 8 chunks or 4, permuted by its
 * number so that neither reads (2 rows by 4 chunks) nor copies (8 rows by one chunk) meet in a
 * bank: chunk c of row r lies at c ^ permutation(r).
 *
 * A warp computes WM x WN. Complex products are four real ones; signs of imaginary parts are turned
 * as fragments are used.
 *
 * Macros: those of gemm_kernel.cu; WM WN. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/gemm_sides.cu"

#define PARTS               (QN_IS_COMPLEX ? 2 : 1)
#define PER_CHUNK           (2 / PARTS) /* of k in a chunk of A */
#define ROW_CHUNKS          (BK / PER_CHUNK)
#define ROW_B               (BN + 2) /* doubles */
#define SIDE_BYTES(side)    ((side) == A_SIDE ? BM * BK * (int)sizeof(elem) : BK * PARTS * ROW_B * 8)
#define VECTORS(side)       (PARTS == 1 && ALONG_K(side) == ((side) == A_SIDE))
#define MOVES(side, vector) (EXTENT(side) * BK / COPIERS / ((vector) ? 2 : 1))

QN_DEV unsigned permutation(unsigned row) {
  return ROW_CHUNKS == 8 ? (row & 1) << 2 | (row >> 1 & 3) : row >> 1 & 3;
}

/* Neighbouring items copy neighbours in memory: along k 8 of k (or 16 bytes by 16 bytes all of the
 * step), then rows; else rows (in 16 bytes), then k. An f64 A along its rows goes in blocks of 16
 * rows by 2 of k, the half of a warp taking 8 rows by both. */
#define WIDTH(vector)      ((vector) ? 2 : 1)
#define BLOCKED(side)      (PARTS == 1 && (side) == A_SIDE && !ALONG_K(side))
#define ACROSS(vector)     ((vector) ? BK / 2 : 8)
#define ROWS(side, vector) QN_MIN(EXTENT(side) / WIDTH(vector), COPIERS)
#define BLOCK_ROWS         QN_MIN(BM / 16, COPIERS / 32)

QN_DEV move first_move(unsigned t, int side, int vector) {
  const unsigned warp = t / 32, lane = t % 32;
  move at;
  if (ALONG_K(side)) {
    at.row = (int)(t / ACROSS(vector));
    at.p = (int)(t % ACROSS(vector)) * WIDTH(vector);
  } else if (BLOCKED(side)) {
    at.row = (int)(warp % BLOCK_ROWS * 16 + lane % 8 + lane / 16 * 8);
    at.p = (int)(warp / BLOCK_ROWS * 2 + lane / 8 % 2);
  } else {
    at.row = (int)(t % ROWS(side, vector)) * WIDTH(vector);
    at.p = (int)(t / ROWS(side, vector));
  }
  return at;
}

QN_DEV move next_move(int s, int side, int vector) {
  const int rows = ALONG_K(side)   ? COPIERS / ACROSS(vector)
                   : BLOCKED(side) ? BLOCK_ROWS * 16
                                   : ROWS(side, vector) * WIDTH(vector);
  const int p = ALONG_K(side)   ? ACROSS(vector) * WIDTH(vector)
                : BLOCKED(side) ? COPIERS / 32 / BLOCK_ROWS * 2
                                : COPIERS / ROWS(side, vector);
  const int passes = EXTENT(side) / rows;
  move by;
  by.row = s % passes * rows;
  by.p = s / passes * p;
  return by;
}

QN_DEV shared_place place(shared_place operand, int side, move at) {
  if (side == B_SIDE) return operand + (at.p * PARTS * ROW_B + at.row) * 8;
  const unsigned chunk = (unsigned)at.p / PER_CHUNK ^ permutation((unsigned)at.row);
  return operand + ((unsigned)at.row * ROW_CHUNKS + chunk) * 16 + (unsigned)at.p % PER_CHUNK * 8;
}

QN_DEV void copy_one(shared_place operand, int side, move at, const elem *from) {
  const shared_place to = place(operand, side, at);
  if (side == B_SIDE && PARTS == 2) {
    copy_bytes(to, from, 8);
    copy_bytes(to + ROW_B * 8, (const double *)from + 1, 8);
  } else {
    copy_bytes(to, from, sizeof(elem));
  }
}

QN_DEV void copy_one_if(shared_place operand, int side, move at, const elem *from, int there) {
  const shared_place to = place(operand, side, at);
  if (side == B_SIDE && PARTS == 2) {
    copy_bytes_if(to, from, 8, there);
    copy_bytes_if(to + ROW_B * 8, (const double *)from + 1, 8, there);
  } else {
    copy_bytes_if(to, from, sizeof(elem), there);
  }
}

QN_DEV void copy_16(shared_place operand, int side, move at, const elem *from) {
  copy_vector(place(operand, side, at), from);
}

#include "cuda/gemm_triangle.cu"
#include "cuda/gemm_stage.cu"

#define WARPS_M  (BM / WM)
#define GROUPS_M (WM / 8)  /* of 8 rows of C */
#define GROUPS_N (WN / 16) /* of 16 columns */
#define STEP_K   (8 / PARTS)

/* ---- the instruction: c[column 2 g and 2 g + 1][rows 2 q and 2 q + 1] += n m over 4 of k ---- */

#if QN_SM < 90
QN_DEV void multiply_4(double c[2][2], const double n[2], double m) {
  QN_UNROLL
  for (int h = 0; h < 2; h++)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[h][0]), "+d"(c[h][1])
        : "d"(n[h]), "d"(m));
}
#elif QN_IS_COMPLEX
QN_DEV void multiply_4(double c[2][2], const double n[2], double m) {
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
      : "d"(n[0]), "d"(n[1]), "d"(m));
}
#endif

#if QN_SM >= 90 && !QN_IS_COMPLEX
/* The same over 8 of k. */
QN_DEV void multiply_8(double c[2][2], const double n0[2], const double n1[2], const double m[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[1][0]), "+d"(c[1][1])
      : "d"(n0[0]), "d"(n0[1]), "d"(n1[0]), "d"(n1[1]), "d"(m[0]), "d"(m[1]));
}
#elif !QN_IS_COMPLEX
QN_DEV void multiply_8(double c[2][2], const double n0[2], const double n1[2], const double m[2]) {
  multiply_4(c, n0, m[0]);
  multiply_4(c, n1, m[1]);
}
#endif

/* ---- fragments, 16 bytes each: m two of k, or two parts; n two columns of one k, or of one part
 * ---- */

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

QN_DEV void read_fragment(fragment *f, const char *stage, int p, const reader *r) {
  const unsigned chunk = ((unsigned)p / PER_CHUNK + r->q) ^ permutation(r->m);
  const char *a = stage + (r->m * ROW_CHUNKS + chunk) * 16;
  QN_UNROLL
  for (int i = 0; i < GROUPS_M; i++) /* 8 rows on, the permutation is the same */
    read_16(f->m[i], a + i * 8 * ROW_CHUNKS * 16);
  const char *b = stage + r->n + p * PARTS * ROW_B * 8;
  QN_UNROLL
  for (int j = 0; j < GROUPS_N; j++) {
    read_16(f->n[j][0], b + j * 16 * 8);
    read_16(f->n[j][1], b + ROW_B * 8 + j * 16 * 8);
  }
}

typedef struct sums {
  double part[PARTS][GROUPS_N][GROUPS_M][2][2];
} sums;

QN_DEV void multiply(sums *c, const fragment *f) {
#if QN_IS_COMPLEX
  QN_UNROLL
  for (int j = 0; j < GROUPS_N; j++) {
    const double *re = f->n[j][0];
    double im[2];
    QN_UNROLL
    for (int h = 0; h < 2; h++) im[h] = TRANSB == 2 ? -f->n[j][1][h] : f->n[j][1][h];
    QN_UNROLL
    for (int i = 0; i < GROUPS_M; i++) {
      const double turned = TRANSA == 2 ? -f->m[i][1] : f->m[i][1];
      multiply_4(c->part[0][j][i], re, f->m[i][0]);
      multiply_4(c->part[1][j][i], re, turned);
      multiply_4(c->part[0][j][i], im, -turned);
      multiply_4(c->part[1][j][i], im, f->m[i][0]);
    }
  }
#else
  QN_UNROLL
  for (int j = 0; j < GROUPS_N; j++) {
    QN_UNROLL
    for (int i = 0; i < GROUPS_M; i++)
      multiply_8(c->part[0][j][i], f->n[j][0], f->n[j][1], f->m[i]);
  }
#endif
}

#define SUMS (GROUPS_N * GROUPS_M * 4)

/* s counts rows, then columns, of the instruction; then groups of rows; then groups of columns. */
QN_DEV acc sum_at(const sums *sum, int s) {
  const int j = s / 4 / GROUPS_M, i = s / 4 % GROUPS_M;
#if QN_IS_COMPLEX
  return acc_make(sum->part[0][j][i][s / 2 % 2][s % 2], sum->part[1][j][i][s / 2 % 2][s % 2]);
#else
  return sum->part[0][j][i][s / 2 % 2][s % 2];
#endif
}
QN_DEV int sum_row(int s) {
  return s / 4 % GROUPS_M * 8 + s % 2;
}
QN_DEV int sum_col(int s) {
  return s / 4 / GROUPS_M * 16 + s / 2 % 2;
}

QN_DEV void multiply_stage(sums *sum, const char *stage, const reader *r) {
  QN_UNROLL
  for (int p = 0; p < BK; p += STEP_K) {
    fragment f;
    read_fragment(&f, stage, p, r);
    multiply(sum, &f);
  }
}

#if TRIANGLE
/* A fragment of which the triangle counts alone; k = 0 lies `shift` behind the tile's first row. */
QN_DEV void cross_fragment(fragment *f, const reader *r, int shift, int unit) {
  const int beyond = shift + (int)r->q * PER_CHUNK - (TRIANGLE_SIDE == A_SIDE ? (int)r->m : r->col);
  QN_UNROLL
  for (int h = 0; h < 2; h++) { /* of k, or of parts */
    const double one = PARTS == 1 || h == 0;
    QN_UNROLL
    for (int i = 0; i < (TRIANGLE_SIDE == A_SIDE ? GROUPS_M : 0); i++)
      f->m[i][h] = triangle_part(f->m[i][h], beyond + h % PER_CHUNK - i * 8, unit, one);
    QN_UNROLL
    for (int j = 0; j < (TRIANGLE_SIDE == B_SIDE ? 2 * GROUPS_N : 0); j++)
      f->n[j / 2][h][j % 2] = triangle_part(f->n[j / 2][h][j % 2],
                                            beyond + h % PER_CHUNK - j / 2 * 16 - j % 2, unit, one);
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
