/* A block's tile of C by mma.sync: how a step of k lies in shared memory, how it gets there, how
 * the fragments come out. The block computes BI x BJ of C, a warp 64 x 64.
 *
 * C runs along its rows and the instruction's sums along its N. So M is the columns j of C and N
 * the rows i, the tile is computed as op(B)^T op(A)^T, and a thread's neighbouring sums are
 * neighbours in memory.
 *
 * Shared memory: a step of A, then of B, in lines of 128 bytes of eight pieces, 16 bytes each:
 *
 *   k contiguous in memory: line r / 2 holds 32 k of row r and then of row r + 1
 *   else:                   line p of block r / 64 holds rows r .. r + 63 at k = p
 *
 * ldmatrix reads, and eight threads write, eight pieces at a time that lie in one column of pieces
 * and so in the same banks. SWIZZLED: piece p of line l stands at p ^ l % 8, all eight in different
 * banks.
 *
 * A and B begin at multiples of 16 bytes and have ld % 8 = 0. Macros: QN_T TRANSA TRANSB BI BJ
 * SWIZZLED. Needs prelude.cl, element.cl and out.cl. */
#include "cuda/mma.cu"
#include "cuda/out_strip.cu"

#define BK          32
#define LINE        128
#define WARPS_I     (BI / 64)
#define THREADS     (BI * BJ / 128)
#define BYTES_A     (BI * BK * 2)
#define BYTES_STAGE ((BI + BJ) * BK * 2)

#define MAJOR_A (TRANSA == 0) /* rows contiguous, else k */
#define MAJOR_B (TRANSB == 1)

/* The piece that holds row r at k = p, in bytes from the tile's begin. Eight lines further the
 * order of pieces repeats: then the distance is plain. Pieces of one line differ in bits 4 to 6
 * alone. */
QN_DEV int piece_at(int major, int r, int p) {
  const int line = major ? r / 64 * BK + p : r / 2;
  const int piece = major ? r % 64 / 8 : r % 2 * (BK / 8) + p / 8;
  return line * LINE + ((SWIZZLED ? piece ^ line % 8 : piece) << 4);
}

/* One thread's copies for an operand of ROWS rows: pieces that are the same distance apart. */
typedef struct copier {
  const elem *from;
  qn_i64 apart, step; /* elements between its pieces, and between steps of k */
  int to;             /* where the first goes, from the tile's begin */
  int rows;           /* that are left from its first piece's on, in memory */
  int p;              /* its first piece's k in a step */
} copier;

#define PIECES(rows) ((rows)*BK / 8 / THREADS)
#define LINES(major, rows)                                                                         \
  (THREADS / ((major) ? (rows) / 8 : BK / 8)) /* that all threads copy at once */
/* Bytes between a thread's pieces in shared memory: two rows share a line where k is contiguous. */
#define APART(major, rows) (LINES(major, rows) * LINE / ((major) ? 1 : 2))

QN_DEV copier copier_of(int major, int rows, const elem *x, qn_i64 ld, int r0, int r_end) {
  const int along = major ? rows / 8 : BK / 8, t = threadIdx.x;
  const int r = major ? t % along * 8 : t / along, p = major ? t / along : t % along * 8;
  copier c;
  c.from = x + (major ? r0 + r + p * ld : p + (r0 + r) * ld);
  c.apart = LINES(major, rows) * ld;
  c.step = major ? BK * ld : BK;
  c.to = piece_at(major, r, p);
  c.rows = r_end - r0 - r;
  c.p = p;
  return c;
}

/* The next step of k, of which `left` are left; zero beyond. */
QN_DEV void copy_step(copier *c, int major, int rows, qn_u32 tile, int left) {
  QN_UNROLL
  for (int s = 0; s < PIECES(rows); s++) {
    const int further = s * LINES(major, rows);
    const int inside =
        major ? (c->p + further < left ? c->rows : 0) : (further < c->rows ? left - c->p : 0);
    copy_16(tile + c->to + s * APART(major, rows), c->from + s * c->apart,
            2 * QN_MAX(0, QN_MIN(8, inside)));
  }
  c->from += c->step;
}

/* The same by way of registers: fetched in one place, put down in another. */
QN_DEV void fetch_step(uint4 *piece, copier *c, int major, int rows, int left) {
  QN_UNROLL
  for (int s = 0; s < PIECES(rows); s++) {
    const int further = s * LINES(major, rows);
    const int inside =
        major ? (c->p + further < left ? c->rows : 0) : (further < c->rows ? left - c->p : 0);
    piece[s] = inside > 0 ? *(const uint4 *)(c->from + s * c->apart) : make_uint4(0, 0, 0, 0);
  }
  c->from += c->step;
}
QN_DEV void put_step(const uint4 *piece, const copier *c, int major, int rows, qn_u32 tile) {
  QN_UNROLL
  for (int s = 0; s < PIECES(rows); s++)
    asm volatile(
        "st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(tile + c->to + s * APART(major, rows)),
        "r"(piece[s].x), "r"(piece[s].y), "r"(piece[s].z), "r"(piece[s].w)
        : "memory");
}

/* Fragments. A lane's address for the first 16 rows at k = 0, from the tile's begin ... */
QN_DEV int first_at(int major, int r) {
  const int l = threadIdx.x % 32;
  return major ? piece_at(1, r + l / 8 % 2 * 8, l / 16 * 8 + l % 8)
               : piece_at(0, r + l % 16, l / 16 * 8);
}
QN_DEV int second_at(int major, int r) {
  const int l = threadIdx.x % 32;
  return major ? piece_at(1, r + l / 16 * 8, l % 16)
               : piece_at(0, r + l / 16 * 8 + l % 8, l / 8 % 2 * 8);
}
/* ... and for 16 s rows and 16 p of k further. */
QN_DEV qn_u32 further(qn_u32 at, int major, int s, int p) {
  return major ? (at ^ s << 5) + p * 16 * LINE : (at ^ p << 5) + s * 8 * LINE;
}

QN_DEV void read_fragment(qn_u32 *x, qn_u32 at, int major, int s, int p) {
  if (major)
    ldmatrix_4_trans(x, further(at, 1, s, p));
  else
    ldmatrix_4(x, further(at, 0, s, p));
}

/* Of 64 rows: four fragments of 16 as the first operand wants them, or eight of 8, two a ldmatrix,
 * as the second does. */
QN_DEV void read_fragments(qn_u32 x[4][4], qn_u32 at, int major, int p) {
  QN_UNROLL
  for (int s = 0; s < 4; s++) read_fragment(x[s], at, major, s, p);
}

QN_DEV void multiply(float d[4][8][4], qn_u32 x[4][4], qn_u32 y[4][4]) {
  QN_UNROLL
  for (int s = 0; s < 4; s++) {
    QN_UNROLL
    for (int t = 0; t < 8; t++) mma_16816(d[s][t], x[s], y[t / 2] + t % 2 * 2);
  }
}

/* The same, and the next fragments read meanwhile. */
QN_DEV void multiply_reading(float d[4][8][4], qn_u32 x[4][4], qn_u32 y[4][4], qn_u32 next_x[4][4],
                             qn_u32 next_y[4][4], qn_u32 at_x, qn_u32 at_y, int p) {
  QN_UNROLL
  for (int s = 0; s < 4; s++) {
    read_fragment(next_x[s], at_x, MAJOR_B, s, p);
    read_fragment(next_y[s], at_y, MAJOR_A, s, p);
    QN_UNROLL
    for (int t = 0; t < 8; t++) mma_16816(d[s][t], x[s], y[t / 2] + t % 2 * 2);
  }
}

QN_DEV void clear_sums(float d[4][8][4]) {
  QN_UNROLL
  for (int s = 0; s < 4; s++) {
    QN_UNROLL
    for (int t = 0; t < 8; t++) d[s][t][0] = d[s][t][1] = d[s][t][2] = d[s][t][3] = 0;
  }
}

/* Where a block's tile begins and where a warp's stands in it. Tiles go in bands of `band` tiles of
 * columns, so that those computed at one time make about a square of C and read the least. */
typedef struct origin {
  int i0, j0, wi, wj;
} origin;

QN_DEV origin origin_of(int across, int down, int band) {
  const int warp = threadIdx.x / 32, tile = blockIdx.x;
  const int first = tile / (band * across) * band, width = QN_MIN(band, down - first);
  const int inside = tile - first * across;
  origin o;
  o.i0 = inside / width * BI;
  o.j0 = (first + inside % width) * BJ;
  o.wi = warp % WARPS_I * 64;
  o.wj = warp / WARPS_I * 64;
  return o;
}

/* By way of shared memory from `base` on, which nobody reads any more. */
QN_DEV void store_sums(const target *t, const origin *o, float d[4][8][4],
                       qn_u32 base EPILOGUE_PARAMS) {
  const qn_u32 lines = base + threadIdx.x / 32 * BYTES_STRIP;
  __syncthreads();
#pragma unroll 1
  for (int s = 0; s < 8; s++) {
    QN_UNROLL
    for (int r = 0; r < 8; r++) /* registers have no index */
      if (r == s) put_strip(lines, d[r / 2][r % 2 * 4]);
    __syncwarp();
    finish_strip(t, lines, o->i0 + o->wi + s % 2 * STRIP_I,
                 o->j0 + o->wj + s / 2 * STRIP_J EPILOGUE_PASS);
    __syncwarp();
  }
}
