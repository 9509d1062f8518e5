/* Solves op(A) X = alpha B in f64, or f32 by f64, for a triangle of up to 16 blocks and many
 * right-hand sides in one launch, on the tensor cores:
 *
 *   for each block of 32 rows i:
 *     for each tile j < i:          r := r - T_ij X_j, from r = 0; before the last one + alpha B_i
 *     X_i := V_i r                  by the inverse of the diagonal block and one correction, or by
 *                                   substitution (trsm_diagonal.cu)
 *
 * X has room for HALF blocks in shared memory. Between these and the others come all products of
 * the two, whose sums wait in registers until nobody needs the first X any more:
 *
 *     | \         |     solve as above
 *     |   \       |
 *     | # # \     |     # all at once, without waiting
 *     | # #   \   |     solve
 *
 * Two warps take 16 columns of X all the way, one the even blocks, the other the odd ones: while
 * one solves, the other multiplies what it needs before. X_i goes between them through shared
 * memory. The instruction is given X transposed: its 16 rows are columns of X, its 8 columns are
 * unknowns, and what it sums over are unknowns too,
 *
 *   lane = 4 g + q    sums: rows g and g + 8, unknowns 2 q and 2 q + 1
 *                     left operand: the same rows, k = q and q + 4
 *                     right operand: k = q and q + 4, unknown g
 *
 * and since it is free which column is called what and which unknown is called k, rows g and g + 8
 * are columns 2 g and 2 g + 1 of X, k = q is unknown 2 q and k = q + 4 is 2 q + 1: then sums are a
 * left operand but for the order of registers. X lies in shared memory by pairs of columns, both
 * numbers of an unknown side by side, as a left operand's registers are.
 *
 * Of four more warps two copy tiles, and two store X. All wait for one another by counters alone.
 *
 * f32 is only how A and B lie in memory: the tensor cores do f64 as fast as others do f32, and X is
 * rounded once, when it leaves.
 *
 * Shared memory: counters; ring [STAGES] tiles, in the order of their use; X [NC / 2][XL][2].
 *
 *   tile, rows contiguous in memory (TRANS = 0): [k][row], k contiguous (TRANS = 1): [row][k]
 *
 * Macros: QN_T = 2 or 3; SETS of 16 columns, 1, 2 or 4; TRANS, BACK (element (r, k) of op(A) is a[k
 * + r lda]; the last unknown comes first); QN_SM >= 90, beyond 90 for half as many blocks. Grid: x
 * = ceil(nrhs / NC). */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/copies.cu"
#include "cuda/trsm_inverse.cu"

#define NC       (16 * SETS)
#define WARPS    (2 * SETS) /* that multiply */
#define COPIERS  64         /* of tiles; as many are of columns */
#define THREADS  (32 * WARPS + 2 * COPIERS)
#define STAGES   8
#define HALF     8
#define XL       (HALF * NB + 1)
#define PITCH    (NB + (TRANS ? 8 : VW)) /* so that no two lanes of a read meet in a bank */
#define AT(r, k) (TRANS ? (r)*PITCH + (k) : (k)*PITCH + (r))
#define TILE     (NB * PITCH)
#define ROOMY    (QN_SM == 90) /* those who copy give registers to those who multiply */
#define DIAGONAL (QN_T == 3)   /* are its tiles copied too: for the correction */

/* First row of block i of the walk; its place in X; the tiles of the blocks of a half before it;
 * the first tile of the second half, of `count` blocks. */
#define FIRST_ROW(i)       ((BACK ? blocks - 1 - (i) : (i)) * NB)
#define PLACE_X(i)         (((i) & (HALF - 1)) * NB * 2)
#define TILES_BEFORE(i)    (DIAGONAL ? (i) * ((i) + 1) / 2 : (i) * ((i)-1) / 2)
#define SECOND_TILE(count) (TILES_BEFORE(HALF) + HALF * (count))

/* Counters: of each tile, whether it is there (not of its stage: who takes every other row of tiles
 * would not know in which round that is); of each stage, whether it is free; of each block and set,
 * its X; of each set, whether all have done with the X of the first half. */
#define MOST_BLOCKS    (2 * HALF)
#define MOST_TILES     (SECOND_TILE(HALF) + TILES_BEFORE(HALF))
#define FULL(tile)     (counters + (tile)*8)
#define EMPTY(stage)   (FULL(MOST_TILES) + (stage)*8)
#define SOLVED(i, set) (EMPTY(STAGES) + ((i)*SETS + (set)) * 8)
#define FREE(set)      (SOLVED(MOST_BLOCKS, 0) + (set)*8)
#define COUNTER_BYTES  2048
#if (MOST_TILES + STAGES + (MOST_BLOCKS + 1) * SETS) * 8 > COUNTER_BYTES
#error "more counters than have room"
#endif

QN_DEV int blocks_of(int n) {
  return (n + NB - 1) / NB;
}

/* Read anew where it is wanted: kept, it would be a register too many. */
QN_DEV int lane_again() {
  int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

#define ARRIVALS (FOR_RACECHECK ? 32 : 1) /* of a warp */

QN_DEV void warp_arrive(shared_place counter) {
  __syncwarp();
  if (FOR_RACECHECK || lane_again() == 0) counter_arrive(counter);
}

#include "cuda/trsm_tiles.cu"
#include "cuda/sound.cu"
#include "cuda/trsm_diagonal.cu"

/* ---- columns of X ---- */

/* B as the kernel is given it; where the columns of the thread block are in memory. */
typedef struct sides {
  elem *b;
  qn_i64 off, bi, br, nrhs;
  int n;
} sides;

typedef struct columns {
  elem *b;
  qn_i64 bi, br;
  int n, cols;
} columns;

/* Worked out where it is wanted: kept, it would take registers that products need. */
QN_DEV columns columns_of(const sides *all) {
  const qn_i64 first = (qn_i64)opaque((int)QN_WGID(0)) * NC;
  columns c = {all->b + all->off + first * all->br, all->bi, all->br, all->n, NC};
  if (all->nrhs - first < NC) c.cols = (int)(all->nrhs - first);
  return c;
}

/* Two numbers of an unknown. */
typedef struct __align__(2 * sizeof(elem)) two {
  elem x, y;
}
two;

/* Whether both are neighbours in memory, and aligned. */
QN_DEV int side_by_side(const columns *b) {
  return b->br == 1 && ((qn_u64)b->b | (qn_u64)b->bi * sizeof(elem)) % sizeof(two) == 0;
}

/* The columns of a set, of a block that begins at `row`, from X to B, by one warp; several are read
 * before any of them is stored, for no read is moved ahead of a store. */
QN_DEV void store_block(const double *xs, int set, int lane, int row, const columns *b) {
  enum { PAIRS = 8, EACH = PAIRS * NB / 32, AHEAD = 4 };
  const int along = b->bi == 1, wide = !along && side_by_side(b);
  const int r = row + (along ? lane : lane / PAIRS), c = 16 * set + (along ? 0 : lane % PAIRS * 2);
  const int dr = along ? 0 : 32 / PAIRS, dc = along ? 2 : 0, next = dr + dc / 2 * XL;
  const int rows = b->n - r, cols = b->cols - c; /* that there are from there on */
  const pair *from = (const pair *)xs + c / 2 * XL + r - row;
  elem *to = b->b + r * b->bi + c * b->br;
  const qn_i64 step = dr * b->bi + dc * b->br;
  _Pragma("unroll 1") for (int first = 0; first < EACH; first += AHEAD) {
    pair x[AHEAD];
    QN_UNROLL
    for (int e = 0; e < AHEAD; e++, from += next) x[e] = *from;
    QN_UNROLL
    for (int e = 0; e < AHEAD; e++, to += step) {
      const int there = rows > (first + e) * dr ? cols - (first + e) * dc : 0;
      two both;
      both.x = (elem)x[e].x, both.y = (elem)x[e].y;
      if (wide && there > 1) {
        *(two *)to = both;
      } else {
        if (there > 0) to[0] = both.x;
        if (there > 1) to[b->br] = both.y;
      }
    }
  }
}

QN_DEV void store_columns(const double *xs, shared_place counters, int t, const sides *all) {
  const int blocks = blocks_of(all->n);
  const columns b = columns_of(all);
  for (int i = 0; i < blocks; i++) {
    for (int set = t / 32; set < SETS; set += COPIERS / 32) {
      counter_wait(SOLVED(i, set), 0);
      store_block(xs + PLACE_X(i), set, t % 32, FIRST_ROW(i), &b);
      if (i == HALF - 1) warp_arrive(FREE(set));
    }
  }
}

/* What the lane has of B of a block, in the order of its solution, from unknown `row` and column
 * `c` on; what lies outside becomes zero. */
QN_DEV void load_block(elem (*x)[4], const sides *all, int row, int c) {
  const columns b = columns_of(all);
  const int rows = b.n - row, cols = b.cols - c;
  const elem *const from[2] = {b.b + row * b.bi + c * b.br, b.b + row * b.bi + (c + 1) * b.br};
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) {
    QN_UNROLL
    for (int e = 0; e < 4; e++) {
      const int r = 8 * EIGHT(s) + e % 2;
      x[s][e] = r < rows && e / 2 < cols ? from[e / 2][r * b.bi] : (elem)0;
    }
  }
}

QN_DEV void add_block(double (*r)[4], const elem (*x)[4], double alpha) {
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) {
    QN_UNROLL
    for (int e = 0; e < 4; e++) r[s][e] = fma(alpha, (double)x[s][e], r[s][e]);
  }
}

/* ---- the walk ---- */

/* A warp that multiplies: its columns and which of two it is, the lane's place in a tile, and of
 * its numbers in X. */
typedef struct worker {
  int set, second, at;
  double *own;
} worker;

#if ROOMY
/* r := r - tile X_j, X_j being there already. */
QN_DEV void take_ready(double (*r)[4], const elem *from, const pair (*left)[2]) {
  QN_UNROLL
  for (int k = 0; k < EIGHTS; k++) {
    const double now[4] = {left[k][0].x, left[k][1].x, left[k][0].y, left[k][1].y};
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) {
      double right[2];
      read_right(right, from, EIGHT(s), k);
      multiply_off(r[s], now, right);
    }
  }
}

/* The products of the second half, of `count` blocks, and the first: the sums to where X of the
 * second will be. */
QN_DEV void take_first(const elem *ring, shared_place counters, const worker *w, int count) {
  double r[HALF / 2][EIGHTS][4];
  QN_UNROLL
  for (int e = 0; e < HALF / 2 * EIGHTS * 4; e++) ((double *)r)[e] = 0;
  _Pragma("unroll 1") for (int j = 0; j < HALF; j++) {
    pair left[EIGHTS][2];
    counter_wait(SOLVED(j, w->set), 0);
    QN_UNROLL
    for (int k = 0; k < 2 * EIGHTS; k++)
      left[k / 2][k % 2] = *(const pair *)(w->own + PLACE_X(j) + k / 2 * 16 + k % 2 * 2);
    QN_UNROLL
    for (int m = 0; m < HALF / 2; m++) {
      const int i = 2 * m + w->second, tile = TILES_BEFORE(HALF) + j * opaque(count) + i;
      if (i >= opaque(count)) continue;
      counter_wait(FULL(tile), 0);
      take_ready(r[m], ring + tile % STAGES * TILE + w->at, left);
      warp_arrive(EMPTY(tile % STAGES));
    }
  }
  warp_arrive(FREE(w->set));
  counter_wait(FREE(w->set), 0);
  QN_UNROLL
  for (int m = 0; m < HALF / 2; m++) {
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++)
      put_eight(w->own + PLACE_X(2 * m + w->second) + 16 * EIGHT(s), r[m][s]);
  }
}
#endif

/* r := r - T_ij X_j for j from `from` to `to`, whose first tile is number `tile`. */
QN_DEV void take_tiles(double (*r)[4], int from, int to, int tile, const elem *ring,
                       shared_place counters, const worker *w) {
  _Pragma("unroll 1") for (int j = from; j < to; j++, tile++) {
    counter_wait(FULL(tile), 0);
    counter_wait(SOLVED(j, w->set), 0);
    take_tile(r, ring + tile % STAGES * TILE + w->at, w->own + PLACE_X(j));
    warp_arrive(EMPTY(tile % STAGES));
  }
}

/* Block i, of a half that begins at block `first`, whose tiles begin with number `tile`. */
QN_DEV void solve_one(int i, int first, int tile, const elem *ring, shared_place counters,
                      const worker *w, const triangle *p, const sides *b, const double *v,
                      double alpha) {
  const int blocks = blocks_of(p->n), row = FIRST_ROW(i), lane = lane_again(), q = lane % 4;
  double *const own = w->own + PLACE_X(i);
  double r[EIGHTS][4];
  elem x[EIGHTS][4];
  load_block(x, b, row + 2 * q, 16 * w->set + lane / 4 * 2);
  const int good = v[INVERSE] != 0;
  inverse ready, diagonal;
  if (ROOMY) read_inverse(&ready, v, lane);
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) {
    QN_UNROLL
    for (int e = 0; e < 4; e++) r[s][e] = 0;
    if (first > 0) get_eight(r[s], own + 16 * EIGHT(s));
  }
  /* B takes a while to come; right before the last tile, for which another warp may wait, a sum of
   * doubles would have to wait for tensor cores */
  const int with_b = ROOMY ? (first + i) / 2 : first;
  take_tiles(r, first, with_b, tile, ring, counters, w);
  add_block(r, x, alpha);
  take_tiles(r, with_b, i, tile + with_b - first, ring, counters, w);
  tile += i - first;
  const elem *const at = ring + tile % STAGES * TILE;
  if (DIAGONAL) counter_wait(FULL(tile), 0);
  if (DIAGONAL && ROOMY) {
    read_block(&diagonal, at, p->n - row, p->unit, lane);
    warp_arrive(EMPTY(tile % STAGES));
  }
  solve_block(r, &ready, v, good, &diagonal, at, p, row, lane, own);
  if (DIAGONAL && !ROOMY) warp_arrive(EMPTY(tile % STAGES));
  if (row + NB > p->n) { /* unknowns beyond the matrix become zero, which zero times Inf is not */
    QN_UNROLL
    for (int e = 0; e < EIGHTS * 4; e++)
      if (row + 8 * EIGHT(e / 4) + 2 * q + e % 2 >= p->n) r[e / 4][e % 4] = 0;
  }
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) put_eight(own + 16 * EIGHT(s), r[s]);
  warp_arrive(SOLVED(i, w->set));
}

/* `inverses` are those of the triangle's blocks. What follows from n is worked out again and again,
 * for want of registers. */
QN_DEV void solve_columns(const elem *ring, double *xs, shared_place counters, int warp, int lane,
                          const triangle *p, const sides *b, const double *inverses, double alpha) {
  const int g = lane / 4, q = lane % 4;
  const worker w = {warp % SETS, warp / SETS, AT(g, 2 * q),
                    xs + ((warp % SETS * 8 + g) * XL + 2 * q) * 2};
  _Pragma("unroll 1") for (int first = 0; first < blocks_of(opaque(p->n)); first += HALF) {
#if ROOMY
    if (first > 0) take_first(ring, counters, &w, blocks_of(opaque(p->n)) - HALF);
#endif
    _Pragma("unroll 1") for (int i = first + w.second;; i += 2) {
      const int blocks = blocks_of(opaque(p->n)), half = opaque(first);
      if (i >= QN_MIN(half + HALF, blocks)) break;
      const int tile = (half ? SECOND_TILE(blocks - HALF) : 0) + TILES_BEFORE(i - half);
      solve_one(i, half, tile, ring, counters, &w, p, b, inverses + FIRST_ROW(i) / NB * KEPT,
                alpha);
    }
  }
}

QN_KERNEL __launch_bounds__(THREADS, 1) void trsm_tensor(int n, qn_i64 nrhs, int unit, elem alpha,
                                                         const elem *QN_RESTRICT a, qn_i64 off_a,
                                                         qn_i64 lda, elem *b, qn_i64 off_b,
                                                         qn_i64 bi, qn_i64 br,
                                                         const double *inverses, qn_i64 first) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, lane = t % 32;
  const shared_place counters = shared_of(memory);
  elem *const ring = (elem *)((char *)memory + COUNTER_BYTES);
  double *const xs = (double *)(ring + STAGES * TILE);
  if (t < MOST_TILES) counter_init(FULL(t), COPIERS);
  if (t < STAGES) counter_init(EMPTY(t), SETS * ARRIVALS);
  if (t < MOST_BLOCKS * SETS) counter_init(SOLVED(t / SETS, t % SETS), ARRIVALS);
  if (t < SETS) counter_init(FREE(t), 3 * ARRIVALS);
  QN_BARRIER();
  launch_wait();
  triangle p = {a + off_a, lda, n, unit, 0};
  p.wide = (qn_u64)p.a % 16 == 0 && lda % VW == 0;
  const sides all = {b, off_b, bi, br, nrhs, n};

  if (warp < WARPS) {
#if ROOMY && SETS == 4
    registers_take(216);
#endif
    solve_columns(ring, xs, counters, warp, lane, &p, &all, inverses + first * KEPT, alpha);
  } else {
#if ROOMY && SETS == 4
    registers_release(72);
#endif
    if (t < 32 * WARPS + COPIERS)
      copy_tiles(ring, counters, t - 32 * WARPS, &p);
    else
      store_columns(xs, counters, t - 32 * WARPS - COPIERS, &all);
  }
  launch_next();
}
