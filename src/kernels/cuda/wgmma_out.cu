/* From a group's sums to C, through shared memory, 64 columns of 128 bytes at a time: a piece.
 *
 *   line: a column's piece of 128 bytes, its 16-byte parts permuted as the copy engine does it
 * (part p of line r at p ^ r % 8), so that neither side meets a bank twice
 *
 * BUFFERS such pieces a group. Without beta and with an epilogue that is light, or none, they are
 * of C's type, and each warp gives its 16 lines to the copy engine while it fills the next. What
 * that cannot store the warp stores, a line at a time: all of a C at an odd address or ld, and the
 * rows behind the last 16 bytes of a column, which it would round up to 16.
 *
 * Where C is of halves and groups share a tile, it leaves while the next one is multiplied:
 * rounded, it takes half the registers of the sums.
 *
 * Else they are sums, of which an item then takes eight rows of one column: C and the epilogue's
 * operands are read in the order in which they lie, and the epilogue's code stands there once and
 * is short, however many sums there are.
 *
 * Needs wgmma_tile.cu and out.cl; BUFFERS. */
#include "cuda/out_strip.cu"

#define PIECE_I     (LINE / (int)sizeof(out)) /* rows of C in a piece */
#define BYTES_PIECE (64 * LINE)
#define BYTES_ROWS  (BI * 4) /* bias_m of a tile */
#define BYTES_OUT   (GROUPS * (BUFFERS * BYTES_PIECE + BYTES_ROWS))
#define BYTES_WARP  (16 * LINE) /* a warp's lines of a piece */

typedef struct output {
  target to;
  const tensor_map *map;
  int mapped;    /* rows that the copy engine stores */
  int column;    /* of the map, where C's first column is */
  qn_u32 pieces; /* this group's, in shared memory */
  qn_u32 rows;   /* and its bias_m */
} output;

/* ---- without beta, and an epilogue that is light ---- */

#define PIECES (PRODUCTS * (BI / PIECE_I)) /* of a group's tile: first along the rows */
#define WORDS  16                          /* an item's of a piece */

/* A tile that leaves: what is left of it, the next piece first. */
typedef struct leaving {
  qn_u32 word[PIECES][WORDS];
  int i0, j0, left; /* pieces */
} leaving;

/* No more values to keep: registers are few. */
QN_DEV leaving leaving_nothing() {
  leaving l = {{{0}}, 0, 0, 0};
  return l;
}

#if EPILOGUE_LIGHT
#define CARRY (TURNS == 1 && !C_F32) /* while the next is multiplied */

/* What the sums of a tile meet: asked for before they are there. */
#define ROWS ((BI + 127) / 128) /* an item's */
typedef struct biases {
  float row[ROWS];        /* on their way to shared memory */
  float col[PRODUCTS][2]; /* of an item's columns, which lie 8 apart */
} biases;

QN_DEV void ask_biases(biases *b, const target *t, int i0, int j0 EPILOGUE_PARAMS) {
  const int item = threadIdx.x % 128, j = j0 + item / 32 * 16 + item % 32 / 4;
  QN_UNROLL
  for (int r = 0; r < ROWS; r++)
    b->row[r] = epilogue_bias_m(QN_MIN(i0 + r * 128 + item % BI, t->m - 1) EPILOGUE_PASS);
  QN_UNROLL
  for (int s = 0; s < 2 * PRODUCTS; s++)
    b->col[s / 2][s % 2] =
        epilogue_bias_n(QN_MIN(j + s / 2 * 64 + s % 2 * 8, t->n - 1) EPILOGUE_PASS);
}

/* For all of the group, whose barrier is `id`. */
QN_DEV void put_rows(qn_u32 rows, const biases *b, int id) {
  named_barrier(id, 128); /* those of the tile before have been read */
  QN_UNROLL
  for (int r = 0; r < ROWS; r++)
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(rows + (r * 128 + threadIdx.x % 128 % BI) * 4),
                 "f"(b->row[r])
                 : "memory");
  named_barrier(id, 128);
}
QN_DEV float2 get_rows(qn_u32 rows) {
  float2 x = make_float2(0, 0);
  if (EPILOGUE_BIAS_M)
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x.x), "=f"(x.y) : "r"(rows) : "memory");
  return x;
}

/* A piece of sums as it will lie in C; bias_m is at `rows`. */
QN_DEV void finish_piece(qn_u32 *word, const float *sum, float alpha, qn_u32 rows,
                         const float *col EPILOGUE_PARAMS) {
  QN_UNROLL
  for (int s = 0; s < PIECE_I / 4; s += 2) {
    const float2 row = get_rows(rows + s * 16 + threadIdx.x % 4 * 8);
    QN_UNROLL
    for (int h = 0; h < 2; h++) { /* two neighbours in a column, as the sums come */
      const float *x = sum + (s + h) * 2;
      const float lo = epilogue_light(alpha * x[0], row.x, col[h] EPILOGUE_PASS);
      const float hi = epilogue_light(alpha * x[1], row.y, col[h] EPILOGUE_PASS);
#if C_F32
      word[(s + h) * 2] = __float_as_uint(lo);
      word[(s + h) * 2 + 1] = __float_as_uint(hi);
#else
      word[s + h] = pack(lo, hi);
#endif
    }
  }
}

#if C_F32
QN_DEV out get_element(qn_u32 line, int i, int row) {
  float x;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(line + (i * 4 ^ (row % 8) << 4)));
  return x;
}
QN_DEV void put_piece(qn_u32 lines, const qn_u32 *word) {
  float x[WORDS];
  QN_UNROLL
  for (int w = 0; w < WORDS; w++) x[w] = __uint_as_float(word[w]);
  put_strip(lines, x);
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
QN_DEV void put_piece(qn_u32 lines, const qn_u32 *word) {
  const int lane = threadIdx.x % 32, line = lane % 16;
  QN_UNROLL
  for (int s = 0; s < 8; s += 2)
    stmatrix_4(lines + line * LINE + ((s + lane / 16 ^ line % 8) << 4), word + s * 2);
}
#endif

#if !C_F32
QN_DEV qn_u32 get_word(qn_u32 address) {
  qn_u32 x;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
  return x;
}

/* A whole line, of which a lane has a word and the next one. Where C's words begin with odd
 * elements they are put together of two; the first half and the last stand alone. */
QN_DEV void store_words(out *to, qn_u32 word, qn_u32 next) {
  const int lane = threadIdx.x % 32;
  if ((qn_u64)to % 4 == 0) {
    ((qn_u32 *)to)[lane] = word;
    return;
  }
  if (lane < 31) *(qn_u32 *)(to + 2 * lane + 1) = __byte_perm(word, next, 0x5432);
  if (lane % 31 == 0) to[lane == 0 ? 0 : 63] = (out)(lane == 0 ? word : word >> 16);
}

/* Read before the first is stored; where a tile leaves later registers are few. */
#define LINES_AHEAD (CARRY ? 4 : 8)

/* So many whole lines of a piece. */
QN_DEV void store_whole(out *to, qn_i64 ldc, qn_u32 lines, int rows) {
  qn_u32 mine = threadIdx.x % 32 * 4, next = (threadIdx.x + 1) % 32 * 4;
#pragma unroll 1
  for (; rows > 0; rows -= LINES_AHEAD, lines += LINES_AHEAD * LINE) {
    qn_u32 word[LINES_AHEAD][2];
    QN_UNROLL
    for (int a = 0; a < LINES_AHEAD; a++) {
      word[a][0] = get_word(lines + a * LINE + (mine ^ a << 4));
      word[a][1] = get_word(lines + a * LINE + (next ^ a << 4));
    }
    QN_UNROLL
    for (int a = 0; a < LINES_AHEAD; a++, to += ldc)
      if (a < rows) store_words(to, word[a][0], word[a][1]);
    mine ^= LINES_AHEAD % 8 << 4; /* lines are permuted by their number in eight */
    next ^= LINES_AHEAD % 8 << 4;
  }
}
#endif

/* A warp's lines, from row `first` of the piece on, as far as they are in C. */
QN_DEV void store_lines(const target *t, qn_u32 lines, int first, int i0, int j0) {
  const int end = QN_MIN(PIECE_I, t->m - i0), rows = QN_MIN(16, t->n - j0);
  out *to = t->c + i0 + j0 * t->ldc;
#if !C_F32
  if (end - first == PIECE_I) {
    store_whole(to, t->ldc, lines, rows);
    return;
  }
#endif
#pragma unroll 1
  for (int row = 0; row < rows; row++, to += t->ldc) {
#pragma unroll 1
    for (int i = first + threadIdx.x % 32; i < end; i += 32)
      to[i] = get_element(lines + row * LINE, i, row);
  }
}

/* The warps need not wait for one another. */
QN_DEV void store_piece(const output *o, const qn_u32 *word, int piece, int i0, int j0) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const int i = i0 + piece % (BI / PIECE_I) * PIECE_I;
  const int j = j0 + piece / (BI / PIECE_I) * 64 + warp * 16;
  const qn_u32 lines = o->pieces + piece % BUFFERS * BYTES_PIECE + warp * BYTES_WARP;
  if (lane == 0) box_store_wait(BUFFERS - 1); /* what was stored from these lines has left them */
  __syncwarp();
  put_piece(lines, word);
  if (i < o->mapped) async_fence();
  __syncwarp();
  if (lane == 0) { /* a group a piece, though some store nothing: they are counted above */
    if (i < o->mapped) box_store(o->map, i, o->column + j, lines);
    box_store_end();
  }
  if (i + PIECE_I > o->mapped && o->mapped < o->to.m)
    store_lines(&o->to, lines, QN_MAX(o->mapped - i, 0), i, j);
}

/* The next piece. Registers have no index: the others move up. */
QN_DEV void store_next(const output *o, leaving *l) {
  store_piece(o, l->word[0], PIECES - l->left, l->i0, l->j0);
  QN_UNROLL
  for (int w = 0; w < (PIECES - 1) * WORDS; w++)
    l->word[w / WORDS][w % WORDS] = l->word[w / WORDS + 1][w % WORDS];
  l->left--;
}

/* All sums of a group's tile at (i0, j0): they leave. */
QN_DEV void finish_light(const output *o, leaving *l, const float sum[PRODUCTS][SUMS], float alpha,
                         const biases *b, int id, int i0, int j0 EPILOGUE_PARAMS) {
  if (EPILOGUE_BIAS_M) put_rows(o->rows, b, id);
  QN_UNROLL
  for (int t = 0; t < PIECES; t++) {
    const int s = t / (BI / PIECE_I), first = t % (BI / PIECE_I) * PIECE_I; /* row of the tile */
    finish_piece(l->word[t], sum[s] + first / 2, alpha, o->rows + first * 4,
                 b->col[s] EPILOGUE_PASS);
    if (!CARRY) store_piece(o, l->word[t], t, i0, j0);
  }
  l->i0 = i0;
  l->j0 = j0;
  l->left = CARRY ? PIECES : 0;
}
#else
#define CARRY 0
typedef struct biases {
  int none;
} biases;
QN_DEV void ask_biases(biases *b, const target *t, int i0, int j0 EPILOGUE_PARAMS) {
  b->none = 0;
}
#endif

/* ---- with beta, or any epilogue ---- */

#define STRIPS (BI / STRIP_I) /* of one product */

QN_DEV void store_finished(const output *o, const float sum[PRODUCTS][SUMS], int i0,
                           int j0 EPILOGUE_PARAMS) {
  const int warp = threadIdx.x / 32 % 4;
#pragma unroll 1
  for (int t = 0; t < PRODUCTS * STRIPS; t++) {
    const qn_u32 lines = o->pieces + t % BUFFERS * BYTES_PIECE + warp * BYTES_WARP;
    __syncwarp(); /* what was in the lines has been read */
    QN_UNROLL
    for (int s = 0; s < PRODUCTS * STRIPS; s++) /* registers have no index */
      if (s == t) put_strip(lines, sum[s / STRIPS] + s % STRIPS * (STRIP_I / 2));
    __syncwarp();
    finish_strip(&o->to, lines, i0 + t % STRIPS * STRIP_I,
                 j0 + t / STRIPS * 64 + warp * 16 EPILOGUE_PASS);
  }
}

/* By a group, its barrier `id`: its tile at (i0, j0) to C, or ready to leave. */
QN_DEV void finish_tile(const output *o, leaving *l, const float sum[PRODUCTS][SUMS],
                        const biases *b, int id, int i0, int j0 EPILOGUE_PARAMS) {
#if EPILOGUE_LIGHT
  if (o->to.beta == 0) {
#if CARRY && defined epilogue_light /* there is nothing but alpha, and all wait for it */
    if (o->to.alpha == 1) {
      finish_light(o, l, sum, 1, b, id, i0, j0);
      return;
    }
#endif
    finish_light(o, l, sum, o->to.alpha, b, id, i0, j0 EPILOGUE_PASS);
    return;
  }
#endif
  *l = leaving_nothing();
  store_finished(o, sum, i0, j0 EPILOGUE_PASS);
}
