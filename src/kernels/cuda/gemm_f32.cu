/* C := alpha op(A) op(B) + beta C in f32 and c64 by fused multiply-adds (gemm_kernel.cu has the
 * kernel).
 *
 * Each item holds TM x TN accumulators as TM/VW by TN/VW squares; the 32 items of a warp share a
 * WM x WN part of the tile, LX items along m and LY along n, so that their reads of shared memory
 * fall into few wide rows:
 *
 *        WN: LY items of VW columns, TN/VW times
 *      +--+--+--+--+
 *   WM |  |  |  |  |   LX items of VW rows, TM/VW times
 *      +--+--+--+--+
 *
 * Shared memory holds op(A) as [k][m] and op(B) as [k][n], each row 16 bytes longer than the tile:
 * an operand that is contiguous along k is turned by copies of single elements, 8 of k by 4 rows a
 * warp, which fall into 32 banks. The products of a step run in a serpentine over the fragment, so
 * that each uses a register of the one before.
 *
 * Macros: those of gemm_kernel.cu; TM TN WM WN. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/gemm_sides.cu"

#define ROW(side)           (EXTENT(side) + VW)
#define SIDE_BYTES(side)    (BK * ROW(side) * (int)sizeof(elem))
#define VECTORS(side)       (!ALONG_K(side))
#define MOVES(side, vector) (EXTENT(side) * BK / COPIERS / ((vector) ? VW : 1))

/* Along k a warp copies 8 of k for each of 4 rows; else rows (in 16 bytes), then k. */
#define WIDTH(vector)      ((vector) ? VW : 1)
#define ROWS(side, vector) QN_MIN(EXTENT(side) / WIDTH(vector), COPIERS) /* a pass, but along k */
#define ROWS_ALONG_K       (COPIERS / 8)

QN_DEV move first_move(unsigned t, int side, int vector) {
  move at;
  at.row = ALONG_K(side) ? (int)(t / 8) : (int)(t % ROWS(side, vector)) * WIDTH(vector);
  at.p = ALONG_K(side) ? (int)(t % 8) : (int)(t / ROWS(side, vector));
  return at;
}

QN_DEV move next_move(int s, int side, int vector) {
  const int rows = ALONG_K(side) ? ROWS_ALONG_K : ROWS(side, vector) * WIDTH(vector);
  const int passes = EXTENT(side) / rows;
  move by;
  by.row = s % passes * rows;
  by.p = s / passes * (ALONG_K(side) ? 8 : COPIERS / ROWS(side, vector));
  return by;
}

/* Whoever copies takes what those who multiply issue: the addresses of c64's few moves are kept. */
#define QUICK (SPECIALISED && QN_IS_COMPLEX && !TRIANGLE && TM * TN > 32)

#if QUICK
QN_DEV unsigned way_in_stage(int side, move by) {
  return (unsigned)((by.p * ROW(side) + by.row) * (int)sizeof(elem));
}
#endif

QN_DEV shared_place place(shared_place operand, int side, move at) {
  return operand + (at.p * ROW(side) + at.row) * (int)sizeof(elem);
}
QN_DEV void copy_one(shared_place operand, int side, move at, const elem *from) {
  copy_bytes(place(operand, side, at), from, sizeof(elem));
}
QN_DEV void copy_one_if(shared_place operand, int side, move at, const elem *from, int there) {
  copy_bytes_if(place(operand, side, at), from, sizeof(elem), there);
}
QN_DEV void copy_16(shared_place operand, int side, move at, const elem *from) {
  copy_vector(place(operand, side, at), from);
}

#include "cuda/gemm_triangle.cu"
#include "cuda/gemm_stage.cu"

#define LX      (WM / TM)
#define LY      (WN / TN)
#define WARPS_M (BM / WM)
#define SUMS    (TM * TN)

typedef struct sums {
  acc of[TN][TM];
} sums;

QN_DEV acc sum_at(const sums *sum, int s) {
  return sum->of[s / TM][s % TM];
}
QN_DEV int sum_row(int s) {
  return s % TM / VW * LX * VW + s % VW;
}
QN_DEV int sum_col(int s) {
  return s / TM / VW * LY * VW + s / TM % VW;
}

/* Of a warp's columns of items that of a lane. Reads of two lanes whose numbers differ in one bit
 * alone are merged where they are of one address. Where B is one of f32's large triangles such
 * lanes read different ones: merged reads hold products up more than they spare shared memory. */
#define PARTED          (MASKED && TRIANGLE_SIDE == B_SIDE && LX == 8)
#define COLUMN_OF(lane) ((lane) / LX ^ (PARTED ? (lane) % LY : 0))

/* The item's first row and column, and the bytes where they lie in a stage. */
typedef struct reader {
  int row, col;
  unsigned a, b;
} reader;

QN_DEV reader reader_of(unsigned t) {
  const unsigned warp = t / 32, lane = t % 32;
  reader r;
  r.row = (int)(WARP_PART(warp) * WM + lane % LX * VW);
  r.col = (int)(warp / WARPS_M * WN + COLUMN_OF(lane) * VW);
  r.a = (unsigned)opaque(r.row * (int)sizeof(elem));
  r.b = (unsigned)opaque(SIDE_BYTES(A_SIDE) + r.col * (int)sizeof(elem));
  return r;
}

typedef struct fragment {
  acc a[TM], b[TN];
} fragment;

QN_DEV void read_fragment(fragment *f, const char *stage, int p, const reader *r) {
  const vec *a = (const vec *)(stage + r->a + p * ROW(A_SIDE) * (int)sizeof(elem));
  const vec *b = (const vec *)(stage + r->b + p * ROW(B_SIDE) * (int)sizeof(elem));
  QN_UNROLL
  for (int v = 0; v < TM / VW; v++) UNVEC(f->a, v * VW, a[v * LX]);
  QN_UNROLL
  for (int v = 0; v < TN / VW; v++) UNVEC(f->b, v * VW, b[v * LY]);
}

/* Accumulators and operands as real numbers: part 0 real, 1 imaginary. */
#define PARTS (QN_IS_COMPLEX ? 2 : 1)
QN_DEV real *part_of(acc *x, int part) {
  return (real *)x + part;
}

/* A run over the rows in column j: part pa of a by part pb of b, into part `to`. */
QN_DEV void multiply_run(sums *sum, fragment *f, int j, int to, int pa, int pb, int upwards) {
  const int minus = (pa && pb) ^ (pa && TRANSA == 2) ^ (pb && TRANSB == 2);
  const real b = *part_of(&f->b[j], pb);
  QN_UNROLL
  for (int s = 0; s < TM; s++) {
    const int i = upwards ? TM - 1 - s : s;
    const real a = *part_of(&f->a[i], pa);
    real *x = part_of(&sum->of[j][i], to);
    *x = fmaf(minus ? -a : a, b, *x);
  }
}

/* A product takes a cycle more where two operands that are new to it lie in registers of one
 * parity; in whatever registers, complex ones of this layout have many such. The order of the runs
 * is the one for which the compiler leaves the fewest, wide fragments and narrow ones apart. */
QN_DEV void multiply(sums *sum, fragment *f) {
  const int narrow = TN < 8;
  QN_UNROLL
  for (int j = 0; j < TN; j++) {
    multiply_run(sum, f, j, 0, 0, 0, PARTS == 1 && j % 2);
    if (PARTS == 1) continue;
    multiply_run(sum, f, j, 1, !narrow, narrow, 1);
    multiply_run(sum, f, j, 0, 1, 1, 0);
    multiply_run(sum, f, j, 1, narrow, !narrow, 1);
  }
}

#define STEP_K 1
#define AHEAD  (SPECIALISED && QN_IS_COMPLEX && !TRIANGLE)
#if QN_IS_COMPLEX && TM * TN > 32
#define TURN       (BK / 2)
#define TURN_BYTES (TURN * ROW(A_SIDE) * (int)sizeof(elem)) /* both rows are as long */
#endif
#if BM != BN && defined(TURN)
#error "a turn is as far on in either operand"
#endif

#if AHEAD
/* The products of a fragment, which then is that of k = p of a stage. The assembler reads as early
 * as it likes; told late, it leaves fewer products that wait for a bank. */
QN_DEV void multiply_ahead(sums *sum, fragment *f, const char *stage, int p, const reader *r) {
  fragment next;
  multiply(sum, f);
  read_fragment(&next, stage, p, r);
  *f = next;
}
#endif

#if TRIANGLE && !MASKED
QN_DEV acc triangle_element(acc x, int beyond, int unit) {
#if QN_IS_COMPLEX
  return acc_make(triangle_part(x.x, beyond, unit, 1), triangle_part(x.y, beyond, unit, 0));
#else
  return triangle_part(x, beyond, unit, 1);
#endif
}

/* The same where the diagonal crosses the step, which begins `shift` of k behind the tile. */
QN_DEV void multiply_crossed(sums *sum, const char *stage, const reader *r, int shift, int unit) {
  _Pragma("unroll 1") for (int p = 0; p < BK; p++) {
    fragment f;
    read_fragment(&f, stage, p, r);
    const int beyond = shift + p - (TRIANGLE_SIDE == A_SIDE ? r->row : r->col);
    QN_UNROLL
    for (int i = 0; i < (TRIANGLE_SIDE == A_SIDE ? TM : 0); i++)
      f.a[i] = triangle_element(f.a[i], beyond - sum_row(i), unit);
    QN_UNROLL
    for (int j = 0; j < (TRIANGLE_SIDE == B_SIDE ? TN : 0); j++)
      f.b[j] = triangle_element(f.b[j], beyond - sum_col(j * TM), unit);
    multiply(sum, &f);
  }
}
#endif

#include "cuda/gemm_kernel.cu"
