/* From a group's sums to C, through shared memory, 64 columns of 128 bytes at a time.
 *
 *   line: a column's piece of 128 bytes, its 16-byte parts permuted as the copy engine does it
 * (part p of line r at p ^ r % 8), so that neither side meets a bank twice
 *
 * BUFFERS such pieces a group. Where alpha times the sum is all, they are of C's type and the copy
 * engine stores some while another is filled. What it cannot store is stored by the group, a line a
 * warp: all of a C at an odd address or ld, and the rows behind the last 16 bytes of a column,
 * which it would round up to 16.
 *
 * With beta or an epilogue they are sums, of which an item then takes eight rows of one column: C
 * and the epilogue's operands are read in the order in which they lie, and the epilogue's code
 * stands there once and is short, however many sums there are.
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

/* 32 rows of f32, in the order of the sums. */
#define STRIP_I 32
QN_DEV void put_strip(qn_u32 piece, const float *x) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  QN_UNROLL
  for (int e = 0; e < STRIP_I / 2; e += 2) {
    const int row = warp * 16 + e / 2 % 2 * 8 + lane / 4, pair = e / 4 * 4 + lane % 4;
    asm volatile(
        "st.shared.v2.f32 [%0], {%1, %2};" ::"r"(piece + row * LINE + (pair * 8 ^ (row % 8) << 4)),
        "f"(x[e]), "f"(x[e + 1])
        : "memory");
  }
}

/* ---- alpha times the sum ---- */

#if C_F32
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
/* Four 8 x 8 matrices of halves in the order of the sums: lane l names line l % 8 of matrix l / 8.
 */
QN_DEV void stmatrix_4(qn_u32 address, const qn_u32 *r) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}
#endif

QN_DEV void fill_piece(qn_u32 piece, const float *sum, float alpha) {
  float x[PIECE_I / 2]; /* in the order of the sums */
  QN_UNROLL
  for (int e = 0; e < PIECE_I / 2; e++) x[e] = alpha * sum[e];
#if C_F32
  put_strip(piece, x);
#else
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, line = warp * 16 + lane % 16;
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

/* By a warp: elements `first` to `end` of a line to a column's piece, a word at a time where halves
 * stand on words. */
QN_DEV void store_line(out *to, qn_u32 line, int row, int first, int end) {
  const int lane = threadIdx.x % 32;
#if C_F32
  for (int i = first + lane; i < end; i += 32) to[i] = get_element(line, i, row);
#else
  const int begin = first + (int)((qn_u64)(to + first) / sizeof(out) % 2);
  for (int i = begin + 2 * lane; i + 1 < end; i += 64)
    *(qn_u32 *)(to + i) = get_element(line, i, row) | (qn_u32)get_element(line, i + 1, row) << 16;
  if (lane == 0 && begin > first) to[first] = get_element(line, first, row);
  if (lane == 1 && (end - begin) % 2 > 0) to[end - 1] = get_element(line, end - 1, row);
#endif
}

/* From row `first` of the piece on, as far as it is in C. */
QN_DEV void store_lines(const output *o, qn_u32 piece, int first, int i0, int j0) {
  const int warp = threadIdx.x / 32 % 4;
  const target *t = &o->to;
  const int end = QN_MIN(PIECE_I, t->m - i0);
  if (first >= end) return;
  for (int row = warp; row < 64 && j0 + row < t->n; row += 4)
    store_line(t->c + i0 + (j0 + row) * t->ldc, piece + row * LINE, row, first, end);
}

#define PIECES (BI / PIECE_I) /* of one product */

/* By a group, its id for the barrier from 1: its tile at (i0, j0). */
QN_DEV void store_scaled(const output *o, const float sum[PRODUCTS][SUMS], int id, int i0, int j0) {
  const int first = threadIdx.x % 128 == 0;
  QN_UNROLL
  for (int t = 0; t < PRODUCTS * PIECES; t++) {
    const int i = i0 + t % PIECES * PIECE_I, j = j0 + t / PIECES * 64;
    const qn_u32 piece = o->pieces + t % BUFFERS * BYTES_PIECE;
    if (first) box_store_wait(BUFFERS - 1); /* what was stored from this piece has left it */
    named_barrier(id, 128);
    fill_piece(piece, sum[t / PIECES] + t % PIECES * (PIECE_I / 2), o->to.alpha);
    async_fence();
    named_barrier(id, 128);
    if (first && i < o->mapped) box_store(o->map, i, o->column + j, piece);
    if (i + PIECE_I > o->mapped && o->mapped < o->to.m)
      store_lines(o, piece, QN_MAX(o->mapped - i, 0), i, j);
  }
}

/* ---- with beta or an epilogue ---- */

/* Eight sums of a column: 32 bytes from the `eighth`-th on. */
QN_DEV void get_eight(float *x, qn_u32 line, int eighth, int row) {
  QN_UNROLL
  for (int h = 0; h < 2; h++)
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[4 * h]), "=f"(x[4 * h + 1]), "=f"(x[4 * h + 2]), "=f"(x[4 * h + 3])
                 : "r"(line + ((eighth * 2 + h ^ row % 8) << 4))
                 : "memory");
}

QN_DEV void store_eight(out *c, const float *x) {
#if C_F32
  *(float4 *)c = make_float4(x[0], x[1], x[2], x[3]);
  *(float4 *)(c + 4) = make_float4(x[4], x[5], x[6], x[7]);
#else
  *(uint4 *)c = make_uint4(pack(x[0], x[1]), pack(x[2], x[3]), pack(x[4], x[5]), pack(x[6], x[7]));
#endif
}

#define EIGHTHS (64 * STRIP_I / 8 / 128) /* of a strip, an item's */

/* The strip at (i0, j0), from sums to C. All is read before the first is written. */
QN_DEV void finish_strip(const target *t, qn_u32 piece, int i0, int j0 EPILOGUE_PARAMS) {
  const int aligned = (qn_u64)t->c % 16 == 0 && t->ldc % (16 / sizeof(out)) == 0;
  const int row = threadIdx.x % 128 / (STRIP_I / 8), eighth = threadIdx.x % (STRIP_I / 8);
  const int i = i0 + eighth * 8, apart = 128 / (STRIP_I / 8);
  if (i >= t->m) return;
  float x[EIGHTHS][8];
  QN_UNROLL
  for (int s = 0; s < EIGHTHS; s++) {
    get_eight(x[s], piece + (row + s * apart) * LINE, eighth, row + s * apart);
    const int j = QN_MIN(j0 + row + s * apart, t->n - 1); /* beyond C: not stored */
    QN_UNROLL
    for (int e = 0; e < 8; e++) {
      const int at = QN_MIN(i + e, t->m - 1);
      x[s][e] = out_value(t->c + at + j * t->ldc, t->alpha, x[s][e], t->beta, at, j EPILOGUE_PASS);
    }
  }
  QN_UNROLL
  for (int s = 0; s < EIGHTHS; s++) {
    const int j = j0 + row + s * apart;
    out *c = t->c + i + j * t->ldc;
    if (j >= t->n) break;
    if (aligned && i + 8 <= t->m) {
      store_eight(c, x[s]);
    } else {
      QN_UNROLL
      for (int e = 0; e < 8; e++)
        if (i + e < t->m) c[e] = out_store(x[s][e]);
    }
  }
}

#define STRIPS (BI / STRIP_I) /* of one product */

QN_DEV void store_finished(const output *o, const float sum[PRODUCTS][SUMS], int id, int i0,
                           int j0 EPILOGUE_PARAMS) {
#pragma unroll 1
  for (int t = 0; t < PRODUCTS * STRIPS; t++) {
    const qn_u32 piece = o->pieces + t % BUFFERS * BYTES_PIECE;
    if (BUFFERS == 1 || t == 0) named_barrier(id, 128); /* what was in the piece has been read */
    QN_UNROLL
    for (int s = 0; s < PRODUCTS * STRIPS; s++) /* registers have no index */
      if (s == t) put_strip(piece, sum[s / STRIPS] + s % STRIPS * (STRIP_I / 2));
    named_barrier(id, 128);
    finish_strip(&o->to, piece, i0 + t % STRIPS * STRIP_I, j0 + t / STRIPS * 64 EPILOGUE_PASS);
  }
}

#ifdef epilogue_apply /* there is none */
#define OUT_SCALED(o) ((o)->to.beta == 0)
#else
#define OUT_SCALED(o) 0
#endif
