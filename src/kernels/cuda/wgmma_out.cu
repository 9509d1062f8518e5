/* From a group's sums to C: converted, through shared memory, 64 columns of 128 bytes at a time.
 *
 *   line: a column's piece of 128 bytes, its 16-byte parts permuted as the copy engine does it
 * (part p of line r at p ^ r % 8), so that neither side meets a bank twice
 *
 * BUFFERS such pieces a group: the copy engine stores some while another is filled. Its stores
 * queue behind the loads that have run ahead, so room for a whole tile lets a group go on to the
 * next. What it cannot store is stored by the group, a line a warp: all of a C at an odd address or
 * ld, and the rows behind the last 16 bytes of a column, which it would round up to 16.
 *
 * Needs wgmma_tile.cu and out.cl; BUFFERS. */
#include "cuda/out_pair.cu"

#define PIECE_I     (LINE / (int)sizeof(out)) /* rows of C in a piece */
#define BYTES_PIECE (64 * LINE)
#define BYTES_OUT   (GROUPS * BUFFERS * BYTES_PIECE)

typedef struct output {
  target to;
  const tensor_map *map;
  int mapped;    /* rows that the copy engine stores */
  int column;    /* of the map, where C's first column is */
  qn_u32 pieces; /* this group's, in shared memory */
} output;

#if C_F32
QN_DEV void put_pair(qn_u32 line, int pair, int row, float lo, float hi) {
  const qn_u32 at = line + (pair * 8 ^ (row % 8) << 4);
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(lo), "f"(hi) : "memory");
}
QN_DEV out get_element(qn_u32 line, int i, int row) {
  float x;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(line + (i * 4 ^ (row % 8) << 4)));
  return x;
}
#else
QN_DEV out get_element(qn_u32 line, int i, int row) {
  out x;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(x) : "r"(line + (i * 2 ^ (row % 8) << 4)));
  return x;
}
#endif

#if !C_F32
/* Four 8 x 8 matrices of halves in the order of the sums: lane l names line l % 8 of matrix l / 8.
 */
QN_DEV void stmatrix_4(qn_u32 address, const qn_u32 *r) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}
#endif

/* What has to be looked at for a piece. */
#define OUT_SCALED 0 /* alpha times the sum: beta is 0 and there is no epilogue */
#define OUT_WHOLE  1 /* all of it is in C */
#define OUT_EDGE   2 /* each element may be beyond C */

QN_DEV float piece_value(const target *t, int kind, float sum, int i, int j EPILOGUE_PARAMS) {
  if (kind == OUT_SCALED) return t->alpha * sum;
  if (kind == OUT_EDGE && (i >= t->m || j >= t->n)) return 0;
  return out_value(t->c + i + j * t->ldc, t->alpha, sum, t->beta, i, j EPILOGUE_PASS);
}

/* The piece at (i0, j0), whose sums begin at `sum`. */
QN_DEV void fill_piece(const output *o, int kind, qn_u32 piece, const float *sum, int i0,
                       int j0 EPILOGUE_PARAMS) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  float x[PIECE_I / 2]; /* in the order of the sums */
  QN_UNROLL
  for (int e = 0; e < PIECE_I / 2; e++)
    x[e] = piece_value(&o->to, kind, sum[e], i0 + e / 4 * 8 + lane % 4 * 2 + e % 2,
                       j0 + warp * 16 + e / 2 % 2 * 8 + lane / 4 EPILOGUE_PASS);
#if C_F32
  QN_UNROLL
  for (int e = 0; e < PIECE_I / 2; e += 2) {
    const int row = warp * 16 + e / 2 % 2 * 8 + lane / 4;
    put_pair(piece + row * LINE, e / 4 * 4 + lane % 4, row, x[e], x[e + 1]);
  }
#else
  const int line = warp * 16 + lane % 16;
  const qn_u32 to = piece + line * LINE;
  QN_UNROLL
  for (int s = 0; s < PIECE_I / 8; s += 2) {
    qn_u32 r[4];
    QN_UNROLL
    for (int e = 0; e < 4; e++) r[e] = pack(x[s * 4 + e * 2], x[s * 4 + e * 2 + 1]);
    stmatrix_4(to + ((s + lane / 16 ^ line % 8) << 4), r);
  }
#endif
}

/* From row `first` of the piece on. */
QN_DEV void store_lines(const output *o, qn_u32 piece, int first, int i0, int j0) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const target *t = &o->to;
  for (int row = warp; row < 64 && j0 + row < t->n; row += 4) {
    for (int i = first + lane; i < PIECE_I && i0 + i < t->m; i += 32)
      t->c[i0 + i + (j0 + row) * t->ldc] = get_element(piece + row * LINE, i, row);
  }
}

#define PIECES (BI / PIECE_I) /* of one product */

/* By a group, its id for the barrier from 1: its tile at (i0, j0). */
QN_DEV void store_tile(const output *o, int kind, const float sum[PRODUCTS][SUMS], int id, int i0,
                       int j0 EPILOGUE_PARAMS) {
  const int first = threadIdx.x % 128 == 0;
  QN_UNROLL
  for (int t = 0; t < PRODUCTS * PIECES; t++) {
    const int i = i0 + t % PIECES * PIECE_I, j = j0 + t / PIECES * 64;
    const qn_u32 piece = o->pieces + t % BUFFERS * BYTES_PIECE;
    if (first) box_store_wait(BUFFERS - 1); /* what was stored from this piece has left it */
    named_barrier(id, 128);
    fill_piece(o, kind, piece, sum[t / PIECES] + t % PIECES * (PIECE_I / 2), i, j EPILOGUE_PASS);
    async_fence();
    named_barrier(id, 128);
    if (first && i < o->mapped) box_store(o->map, i, o->column + j, piece);
    if (i + PIECE_I > o->mapped && o->mapped < o->to.m)
      store_lines(o, piece, QN_MAX(o->mapped - i, 0), i, j);
  }
}

#ifdef epilogue_apply /* there is none */
#define OUT_SIMPLE(o, i0, j0) ((o)->to.beta == 0)
#define OUT_FAST              OUT_SCALED
#else
#define OUT_SIMPLE(o, i0, j0) ((i0) + BI <= (o)->to.m && (j0) + GROUP_J <= (o)->to.n)
#define OUT_FAST              OUT_WHOLE
#endif
