/* Cholesky of the first columns of a matrix, with all that is below them, in one launch: A = L L^H
 * by tiles of NB, each made by one thread block, left-looking.
 *
 *      +----+                L_ij := (A_ij - sum over k < j of L_ik L_jk^H) L_jj^-H
 *      | 00 |                L_ii := the factor of A_ii - sum over k < i of L_ik L_ik^H
 *      +----+----+
 *      | 10 | 11 |           The block that makes L_i,i-1 goes on to L_ii, which needs it last.
 *      +----+----+----+      What it waits for, L_i-1,i-2 and L_i-1,i-1, comes eight columns at a
 *      | 20 | 21 | 22 |      time as it is made, so that on the way from one diagonal tile to the
 *      +----+----+----+      next there lie one of these two and one wait.
 *
 * A thread block takes one ticket, in the order of potrf_order.cu, and waits for what smaller
 * tickets make alone. Tiles travel through `shared` (exchange.cu), row by row, and partial
 * squares and reports of failures behind them. L is lower: L(i, j) = a[off_a + i si + j sj],
 * conjugated if conj_a; an upper triangle has its strides exchanged.
 *
 * The matrix has `rows` rows and n columns; n is a multiple of NB unless it is square.
 *
 * info becomes 0, or the 1-based index of the first pivot of the whole matrix that was not
 * positive. What an earlier launch, at a smaller `first`, has put there ends this one; else all
 * tiles are made, those behind a failed pivot without meaning, for nobody may wait in vain. It may
 * be the host's memory.
 *
 * Workspace comes in pieces of 16 bytes: that from `at_shared` on is all holes; `stale` from
 * `at_stale` on become so.
 *
 * Macros: QN_T (f32 and wider); NB, 32 or 64; ALONG_I, whether si is 1; QN_SM.
 * Grid: one thread block a ticket. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/exchange.cu"
#include "cuda/mma_f64.cu"
#include "cuda/potrf_order.cu"
#include "cuda/potrf_tile.cu"

#define HOLE         (-1LL) /* a report that has not come */
#define TILE         (NB * LD)
#define PIECES       (NB * NB / VW / THREADS) /* of a tile, a thread's */
#define PANEL_PIECES (NB * STEP / VW)         /* of eight columns, all threads' */

typedef struct matrix {
  int rows, n;
  elem *a;
  qn_i64 si, sj;
  int conj;
} matrix;

/* Where a tile lies in `shared`: a triangle of tiles, then whole rows of them. */
QN_DEV qn_i64 tile_at(int i, int j, int columns) {
  const int square = i < columns ? i : columns;
  return ((qn_i64)square * (square + 1) / 2 + (qn_i64)(i - square) * columns + j) * (NB * NB);
}

/* ---- tiles on their way ---- */

/* The thread's elements of tile (i, j) of A on their way; what lies outside the matrix or above the
 * diagonal is zero. */
QN_DEV void start_tile(elem *to, const matrix *m, int i, int j, int t, const place *at) {
  QN_UNROLL
  for (int e = 0; e < COUNT; e++) {
    const int row = i * NB + at->row + ROW_OF(e), col = j * NB + at->col + COL_OF(e);
    const int there = row < m->rows && col < m->n && col <= row;
    const elem *from = m->a + (there ? row * m->si + col * m->sj : 0);
    copy_async(to + e * THREADS + t, from, sizeof(elem), there * (int)sizeof(elem));
  }
  copy_commit();
}

/* They have come: sum := sum - tile, with ones on the diagonal where no rows are. */
QN_DEV void take_tile(wide *sum, const elem *from, const matrix *m, int i, int j, int t,
                      const place *at) {
  QN_UNROLL
  for (int e = 0; e < COUNT; e++) {
    acc v = from[e * THREADS + t];
    if (QN_IS_COMPLEX && m->conj) v = acc_conj(v);
    sum[e] = wide_sub(sum[e], v);
  }
  if (i > j || (i + 1) * NB <= m->rows) return;
  QN_UNROLL
  for (int e = 0; e < COUNT; e++) {
    const int row = at->row + ROW_OF(e);
    if (row == at->col + COL_OF(e) && i * NB + row >= m->rows) sum[e] = acc_make(-1, 0);
  }
}

/* The first `good` columns of tile (i, j) to A, of a diagonal tile the triangle. */
QN_DEV void store_tile(const elem *tile, const matrix *m, int i, int j, int good, int t) {
  const int along = t % NB, begin = t / NB, step = THREADS / NB;
  elem *to = m->a + (i * NB + (ALONG_I ? along : begin)) * m->si +
             (j * NB + (ALONG_I ? begin : along)) * m->sj;
#pragma unroll 4
  for (int u = begin; u < NB; u += step, to += step * (ALONG_I ? m->sj : m->si)) {
    const int r = ALONG_I ? along : u, c = ALONG_I ? u : along;
    const int row = i * NB + r, col = j * NB + c;
    if (row >= m->rows || col >= m->n || col > row || c >= good) continue;
    const elem v = tile[c * LD + r];
    *to = m->conj ? acc_conj(v) : v;
  }
}

QN_DEV void look(piece *v, const elem *tile, int t) {
  QN_UNROLL
  for (int u = 0; u < PIECES; u++)
    v[u] = load_shared_by_groups((const piece *)tile + t + u * THREADS);
}

/* Piece q of a tile, which v is as it was seen last, once it is a result. */
QN_DEV piece awaited(piece v, const elem *tile, int q) {
  SPINS;
  while (!IS_RESULT(v)) {
    SPIN;
    v = load_shared_by_groups((const piece *)tile + q);
  }
  return v;
}

/* And to shared memory. */
QN_DEV void await_piece(elem *to, piece v, const elem *tile, int q) {
  *(piece *)(to + q * VW / NB * LD + q * VW % NB) = awaited(v, tile, q);
}

QN_DEV void await(elem *to, const piece *v, const elem *tile, int t) {
  QN_UNROLL
  for (int u = 0; u < PIECES; u++) await_piece(to, v[u], tile, t + u * THREADS);
}

#include "cuda/potrf_sums.cu"

/* ---- the walk ---- */

/* Piece t of eight columns of a tile, as they are seen now. */
QN_DEV piece look_panel(const elem *tile, int p, int t) {
  return load_shared_by_groups((const piece *)tile + p * NB / VW + QN_MIN(t, PANEL_PIECES - 1));
}

/* Adds the last tiles before column j, eight columns at a time as they come, to x and y. */
QN_DEV void add_as_they_come(wide *sum, wide *square, elem *x, elem *y, const elem *from_i,
                             const elem *from_j, int pair, int t, const place *at) {
  piece nx = look_panel(from_i, 0, t), ny = look_panel(from_j, 0, t);
#pragma unroll 1
  for (int p = 0; p < NB; p += STEP) {
    if (t < PANEL_PIECES) {
      await_piece(x, nx, from_i, p * NB / VW + t);
      await_piece(y, ny, from_j, p * NB / VW + t);
    }
    QN_BARRIER();
    if (p + STEP < NB) {
      nx = look_panel(from_i, p + STEP, t);
      ny = look_panel(from_j, p + STEP, t);
    }
    if (pair && !warp_is_above(at))
      add_both(sum, square, x + p * LD, y + p * LD, at);
    else
      add_products(sum, x + p * LD, y + p * LD, at);
  }
}

/* Whether all of a tile has come, as the threads saw their pieces last; with a barrier. */
QN_DEV int has_come(const piece *v) {
  int there = 1;
  QN_UNROLL
  for (int u = 0; u < PIECES; u++) there = there && IS_RESULT(v[u]);
  return __syncthreads_and(there);
}

/* ---- partial squares ---- */

/* Where a thread's elements of one lie. */
QN_DEV elem *partial_of(elem *partials, int i, int e, int t) {
  return partials + (qn_i64)i * (NB * NB) + (e / VW * THREADS + t) * VW;
}

/* The square of row i over its first `count` tiles leaves for `partials`. */
QN_DEV void make_square(elem *tiles, const elem *row, int count, elem *partials, int i, int t,
                        const place *at) {
  wide square[COUNT];
  elem out[COUNT];
  QN_UNROLL
  for (int e = 0; e < COUNT; e++) square[e] = wide_zero();
  add_tiles(square, tiles, row, row, count, t, at);
  QN_UNROLL
  for (int e = 0; e < COUNT; e++) out[e] = (elem)square[e];
  QN_UNROLL
  for (int e = 0; e < COUNT; e += VW) publish_run(partial_of(partials, i, e, t), out + e, VW);
}

/* square += the partial square of row i, once it is there. */
QN_DEV void add_square(wide *square, elem *partials, int i, int t) {
  SPINS;
  piece v[COUNT / VW];
  QN_UNROLL
  for (int u = 0; u < COUNT / VW; u++)
    v[u] = load_shared_by_groups((const piece *)partial_of(partials, i, u * VW, t));
  QN_UNROLL
  for (int u = 0; u < COUNT / VW; u++) {
    union {
      piece whole;
      elem part[VW];
    } now;
    now.whole = v[u];
    while (!IS_RESULT(now.whole)) {
      SPIN;
      now.whole = load_shared_by_groups((const piece *)partial_of(partials, i, u * VW, t));
    }
    QN_UNROLL
    for (int e = 0; e < VW; e++) square[u * VW + e] = wide_add(square[u * VW + e], now.part[e]);
  }
}

#include "cuda/potrf_solve.cu"

/* sum += the products for tile (i, j), of rows i and j of `shared`, less the tile at `own`; square
 * += the last of row i for a pair, less its own. Those of A go before the last products come, since
 * the chain of diagonal tiles waits for what is done after these. */
QN_DEV void add_row(wide *sum, wide *square, elem *tiles, const elem *from_i, const elem *from_j,
                    elem *partials, int i, int j, int pair, int t, const place *at, const matrix *m,
                    elem *own) {
  const int many = j < MANY ? 0 : pair || i < j + CLOSE ? j - 1 : j;
  if (many > 0) {
    add_tiles(sum, tiles, from_i, from_j, many, t, at);
    from_i += many * (NB * NB);
    from_j += many * (NB * NB);
  }
  copy_wait(0);
  take_tile(sum, own, m, i, j, t, at);
  if (pair) take_tile(square, own + NB * NB, m, i, i, t, at);
  if (many == j) return;
  piece nx[PIECES], ny[PIECES];
  look(nx, from_i, t);
  look(ny, from_j, t);
#pragma unroll 1
  for (int k = many; k < j; k++) {
    elem *const x = tiles + k % 2 * (2 * TILE), *const y = x + TILE;
    if (k == j - 1 && (pair || !has_come(nx))) {
      if (pair && j > 1) add_square(square, partials, i, t);
      add_as_they_come(sum, square, x, y, from_i, from_j, pair, t, at);
      break;
    }
    await(x, nx, from_i, t);
    await(y, ny, from_j, t);
    QN_BARRIER();
    from_i += NB * NB;
    from_j += NB * NB;
    if (k + 1 < j) {
      look(nx, from_i, t);
      look(ny, from_j, t);
    }
#pragma unroll 1
    for (int p = 0; p < NB; p += STEP) add_products(sum, x + p * LD, y + p * LD, at);
  }
}

/* All blocks together fill `count` pieces with holes, for the launch after this one. */
QN_DEV void wipe(uint4 *to, qn_i64 count, int t) {
  const uint4 holes = {~0u, ~0u, ~0u, ~0u};
  for (qn_i64 q = (qn_i64)QN_WGID(0) * THREADS + t; q < count; q += (qn_i64)QN_NWG(0) * THREADS)
    to[q] = holes;
}

/* The first failure up to diagonal tile i goes from report to report, and the last one's to info.
 */
QN_DEV void report(qn_i64 *reports, int i, qn_i64 failed, qn_i64 *info) {
  qn_i64 before = i > 0 ? HOLE : 0;
  SPINS;
  while (before == HOLE) {
    SPIN;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(before)
                 : "l"(reports + i - 1)
                 : "memory");
  }
  if (before != 0) failed = before;
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(reports + i), "l"(failed) : "memory");
  if (info) *info = failed;
}

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, 1) void potrf_walk(
    int rows, int n, qn_i64 first, QN_GLOBAL elem *a, qn_i64 off_a, qn_i64 si, qn_i64 sj,
    int conj_a, QN_GLOBAL qn_i64 *info, QN_GLOBAL uint4 *workspace, qn_i64 at_shared, qn_i64 ticket,
    qn_i64 at_stale, qn_i64 stale) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0);
  const place at = place_of(t / 32, t % 32);
  elem *const tiles = (elem *)memory; /* two pairs of operands in turn */
  elem *const shared = (elem *)(workspace + at_shared);
  QN_LOCAL_VAR int taken, over, good;
  if (t == 0) {
    const qn_i64 before = first > 0 ? *(volatile qn_i64 *)info : 0;
    over = before != 0 && before <= first; /* a pivot of this launch has a larger index */
    taken = atomicAdd((int *)(shared + ticket), 1) + 1; /* it begins as all ones, too */
  }
  QN_BARRIER();
  if (over) {
    wipe(workspace + at_stale, stale, t);
    return;
  }
  const int blocks = (rows + NB - 1) / NB, columns = (n + NB - 1) / NB;
  const part mine = part_of_ticket(taken, blocks, columns);
  const int i = mine.i, j = mine.j, pair = mine.is == PAIR;
  const matrix m = {rows, n, a + off_a, si, sj, conj_a};
  const elem *const from_i = shared + tile_at(i, 0, columns);
  elem *const partials = shared + tile_at(blocks, 0, columns);
  if (mine.is == SQUARE) {
    wipe(workspace + at_stale, stale, t);
    make_square(tiles, from_i, j, partials, i, t, &at);
    return;
  }

  elem *const own = tiles + 4 * TILE, *const own_square = own + NB * NB;
  if (j >= 0) start_tile(own, &m, i, j, t, &at);
  if (pair) start_tile(own_square, &m, i, i, t, &at);
  wipe(workspace + at_stale, stale, t);
  wide sum[COUNT], square[COUNT];
  QN_UNROLL
  for (int e = 0; e < COUNT; e++) sum[e] = square[e] = wide_zero();
  if (j > 0) {
    add_row(sum, square, tiles, from_i, shared + tile_at(j, 0, columns), partials, i, j, pair, t,
            &at, &m, own);
  } else {
    copy_wait(0);
    if (j >= 0) take_tile(sum, own, &m, i, j, t, &at);
    if (pair) take_tile(square, own_square, &m, i, i, t, &at);
  }

  QN_BARRIER(); /* all have read what is at `own` */
  elem *const x = tiles + (j & 1) * (2 * TILE), *const made = tiles + (~j & 1) * (2 * TILE);
  if (j >= 0) {
    solve_tile(sum, square, x, x + TILE, own, shared + tile_at(j, j, columns),
               shared + tile_at(i, j, columns), pair, t, &at);
    if (!pair) {
      store_tile(x, &m, i, j, NB, t);
      return;
    }
  }
  const int reached = factor_tile(square, made, own, shared + tile_at(i, i, columns), &at);
  if (row_of(&at) == 0) good = reached;
  QN_BARRIER();
  if (j >= 0) store_tile(x, &m, i, j, NB, t);
  store_tile(made, &m, i, i, good, t);
  if (row_of(&at) == 0)
    report((qn_i64 *)(partials + (qn_i64)columns * (NB * NB)), i,
           reached < NB ? first + i * NB + reached + 1 : 0, i == columns - 1 ? info : (qn_i64 *)0);
}
