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
 *   B: [k][plane][n], a row of doubles longer than the tile: one part of columns 2 g and 2 g + 1.
 *   A: [m][k], both parts of one k. A row has 8 chunks of 16 bytes, chunk c of row r at
 *      c ^ permutation(r), so that neither reads (2 rows by 4 chunks) nor copies meet in a bank.
 *
 * A warp computes WM x WN. A product is four real ones: gemm_c128_four.cu has them one by one,
 * gemm_c128_two.cu two at a time. (f64 has its own file: there both operands can lie as they do in
 * memory.)
 *
 * Macros: those of gemm_kernel.cu; WM WN. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/gemm_sides.cu"

/* Two at a time take a third plane of B, which those make who copy and do nothing else. */
#define BY_TWO (SPECIALISED && !TRIANGLE)

#define CHUNKS              8 /* of a row of A */
#define PLANES              (BY_TWO ? 3 : 2)
#define ROW_B               (BN + (BY_TWO ? 4 : 2)) /* doubles */
#define SIDE_BYTES(side)    ((side) == A_SIDE ? BM * BK * 16 : BK * PLANES * ROW_B * 8)
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
  if (side == B_SIDE) return operand + (at.p * PLANES * ROW_B + at.row) * 8;
  const unsigned chunk = (unsigned)at.p ^ permutation((unsigned)at.row);
  return operand + ((unsigned)at.row * CHUNKS + chunk) * 16;
}

#if BY_TWO
#define STORES 1 /* B passes by registers */

QN_DEV double turned(double x) {
  return __longlong_as_double(__double_as_longlong(x) ^ (qn_i64)((qn_u64)1 << 63));
}

/* One element of B, as the products take it: its real part; its imaginary part, turned where B is
 * conjugate; and that turned again, or where A is conjugate the real part. */
QN_DEV void store_planes(shared_place to, const elem *from, int there) {
  double re = 0, im = 0;
  if (there) load_pair(&re, &im, from);
  if (TRANSB == 2) im = turned(im);
  store_double(to, re);
  store_double(to + ROW_B * 8, im);
  store_double(to + 2 * ROW_B * 8, turned(TRANSA == 2 ? re : im));
}
#else
QN_DEV void store_planes(shared_place to, const elem *from, int there) {
  copy_bytes_if(to, from, 8, there);
  copy_bytes_if(to + ROW_B * 8, (const double *)from + 1, 8, there);
}
#endif

QN_DEV void copy_one(shared_place operand, int side, move at, const elem *from) {
  const shared_place to = place(operand, side, at);
  if (side == A_SIDE)
    copy_bytes(to, from, 16);
  else
    store_planes(to, from, 1);
}

QN_DEV void copy_one_if(shared_place operand, int side, move at, const elem *from, int there) {
  const shared_place to = place(operand, side, at);
  if (side == A_SIDE)
    copy_bytes_if(to, from, 16, there);
  else
    store_planes(to, from, there);
}

QN_DEV void copy_16(shared_place operand, int side, move at, const elem *from) {
  copy_one(operand, side, at, from);
}

#include "cuda/gemm_triangle.cu"
#include "cuda/gemm_stage.cu"

#define WARPS_M  (BM / WM)
#define GROUPS_M (WM / 8)  /* of 8 rows of C */
#define GROUPS_N (WN / 16) /* of 16 columns */

/* The item's first row and column; where in a stage it first reads of each operand. */
typedef struct reader {
  int row, col;
  unsigned a, b;
} reader;

QN_DEV reader reader_of(unsigned t) {
  const unsigned warp = t / 32, g = t % 32 / 4, q = t % 4, m = warp % WARPS_M * WM + g;
  reader r;
  r.row = (int)(warp % WARPS_M * WM + 2 * q);
  r.col = (int)(warp / WARPS_M * WN + 2 * g);
  r.a = (unsigned)opaque((int)((m * CHUNKS + (q ^ permutation(m))) * 16));
  r.b = (unsigned)opaque(SIDE_BYTES(A_SIDE) + ((int)q * PLANES * ROW_B + r.col) * 8);
  return r;
}

QN_DEV void read_16(double to[2], const char *from) {
  const double2 x = *(const double2 *)from;
  to[0] = x.x;
  to[1] = x.y;
}

/* Both parts of a row of A, the lane's of the four of k from p on; `row` is a multiple of 8. */
QN_DEV void read_m(double m[2], const char *stage, int p, int row, const reader *r) {
  read_16(m, stage + (r->a ^ (unsigned)p * 16) + row * CHUNKS * 16);
}

/* Where the lane's first two columns of 16 are in a plane of B, likewise. */
QN_DEV const char *place_n(const char *stage, int p, int group, int plane, const reader *r) {
  return stage + r->b + ((p * PLANES + plane) * ROW_B + group * 16) * 8;
}

/* [2 x group of columns + part][group of rows][column][row] */
typedef struct sums {
  double of[2 * GROUPS_N][GROUPS_M][2][2];
} sums;

#define SUMS (GROUPS_N * GROUPS_M * 4)

/* s counts rows, then columns, of the instruction; then groups of rows; then groups of columns. */
QN_DEV acc sum_at(const sums *sum, int s) {
  const int j = s / 4 / GROUPS_M, i = s / 4 % GROUPS_M;
  return acc_make(sum->of[2 * j][i][s / 2 % 2][s % 2], sum->of[2 * j + 1][i][s / 2 % 2][s % 2]);
}
QN_DEV int sum_row(int s) {
  return s / 4 % GROUPS_M * 8 + s % 2;
}
QN_DEV int sum_col(int s) {
  return s / 4 / GROUPS_M * 16 + s / 2 % 2;
}

#if BY_TWO
#include "cuda/gemm_c128_two.cu"
#else
#include "cuda/gemm_c128_four.cu"
#endif
#include "cuda/gemm_kernel.cu"
