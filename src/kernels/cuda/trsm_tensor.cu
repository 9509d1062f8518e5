/* Solves op(A) X = alpha B in f64, or f32 by f64, for a triangle of up to a few blocks and many
 * right-hand sides in one launch, on the tensor cores:
 *
 *   for each block of 32 rows i:    r := alpha B_i
 *     for each tile j < i:          r := r - T_ij X_j
 *     X_i := V_i r                  by the inverse of the diagonal block and one correction, or by
 *                                   substitution (trsm_diagonal.cu)
 *
 * Two warps take 16 columns of X all the way, one the even blocks, the other the odd ones: while
 * one solves, the other multiplies what it needs before. X_i goes between them through shared
 * memory. The instruction is given X transposed: its 16 rows are columns of X, its 8 columns are
 * unknowns, and what it sums over are unknowns too,
 *
 *   lane = 4 g + q    sums: columns g and g + 8 of X, unknowns 2 q and 2 q + 1
 *                     left operand: the same columns, k = q and q + 4
 *                     right operand: k = q and q + 4, unknown g
 *
 * and since it is free which unknown is called k, k = q is unknown 2 q and k = q + 4 is 2 q + 1:
 * then sums are a left operand as they stand.
 *
 * Of four more warps two copy tiles, and two bring B and store X, block by block. All wait for one
 * another by counters alone.
 *
 * f32 is only how A and B lie in memory: the tensor cores do f64 as fast as others do f32, and X is
 * rounded once, when it leaves.
 *
 * Shared memory: counters; inverses of diagonal blocks; X [NC][XL], XL a little more than the
 * order; ring [STAGES] tiles, in the order of their use.
 *
 *   tile, rows contiguous in memory (TRANS = 0): [k][row], k contiguous (TRANS = 1): [row][k]
 *
 * Macros: QN_T = 2 or 3; MOST_BLOCKS, of the largest order; TRANS, BACK (element (r, k) of
 * op(A) is a[k + r lda]; the last unknown comes first); QN_SM >= 90. Grid: x = ceil(nrhs / NC). */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/copies.cu"
#include "cuda/trsm_inverse.cu"

#define SETS     4 /* of 16 columns */
#define NC       (16 * SETS)
#define WARPS    (2 * SETS) /* that multiply */
#define COPIERS  64         /* of tiles; as many are of columns */
#define THREADS  (32 * WARPS + 2 * COPIERS)
#define STAGES   (QN_T == 2 ? 10 : TRANS ? 5 : 6)
#define PITCH    (NB + (TRANS ? 8 : VW)) /* so that no two lanes of a read meet in a bank */
#define AT(r, k) (TRANS ? (r)*PITCH + (k) : (k)*PITCH + (r))
#define TILE     (NB * PITCH)
#define ROOMY    (QN_SM == 90) /* those who copy give registers to those who multiply */
#define DIAGONAL                                                                                   \
  (QN_T == 3) /* whether tiles of the diagonal are copied too: for the correction                  \
               */

/* First row of block i of the walk; the tiles of the blocks before it. */
#define FIRST_ROW(i)    ((BACK ? blocks - 1 - (i) : (i)) * NB)
#define TILES_BEFORE(i) (DIAGONAL ? (i) * ((i) + 1) / 2 : (i) * ((i)-1) / 2)

/* Counters: of each tile, whether it is there (not of its stage: who takes every other row of tiles
 * would not know in which round that is); of each stage, whether it is free; of each block, its B;
 * of each block and set, its X; and of the inverses. */
#define MOST_TILES     (MOST_BLOCKS * (MOST_BLOCKS + 1) / 2)
#define FULL(tile)     (counters + (tile)*8)
#define EMPTY(stage)   (FULL(MOST_TILES) + (stage)*8)
#define BROUGHT(i)     (EMPTY(STAGES) + (i)*8)
#define SOLVED(i, set) (BROUGHT(MOST_BLOCKS) + ((i)*SETS + (set)) * 8)
#define INVERTED       SOLVED(MOST_BLOCKS, 0)
#define COUNTER_BYTES  768
#if (MOST_TILES + STAGES + MOST_BLOCKS * (1 + SETS) + 1) * 8 > COUNTER_BYTES
#error "more counters than have room"
#endif

/* As in gemm_stage.cu: for racecheck alone all lanes arrive, and copiers once their copies are
 * there.
 */
#define FOR_RACECHECK 0
#define ARRIVALS      (FOR_RACECHECK ? 32 : 1) /* of a warp */

QN_DEV void warp_arrive(shared_place counter, int lane) {
  __syncwarp();
  if (FOR_RACECHECK || lane == 0) counter_arrive(counter);
}

QN_DEV void copier_arrive(shared_place counter) {
#if FOR_RACECHECK
  copies_commit();
  copies_wait(0);
  counter_arrive(counter);
#else
  counter_arrive_copied(counter);
#endif
}

/* ---- tiles ---- */

/* `width` elements of op(A), at (row, k) in the matrix and (r, c) in the tile, both their place in
 * memory's order; what lies outside the matrix becomes zero. */
QN_DEV void copy_piece(elem *to, const triangle *p, int row, int k, int along, int across,
                       int width) {
  const int first = (TRANS ? k : row) + along, other = (TRANS ? row : k) + across;
  const int fit = other < p->n ? QN_MIN(QN_MAX(p->n - first, 0), width) : 0;
  const elem *from = fit > 0 ? p->a + first + other * p->lda : p->a;
  elem *place = to + (TRANS ? AT(across, along) : AT(along, across));
  if (width == VW)
    copy_async(place, from, 16, fit * (int)sizeof(elem));
  else
    copy_async(place, from, sizeof(elem), fit * (int)sizeof(elem));
}

/* The whole tile at (row, k), along the memory's columns. */
QN_DEV void copy_tile(elem *to, int t, const triangle *p, int row, int k) {
  if (p->wide) {
    const int along = t % (NB / VW) * VW;
    QN_UNROLL
    for (int across = 0; across < NB; across += COPIERS * VW / NB)
      copy_piece(to, p, row, k, along, across + t / (NB / VW), VW);
  } else {
    _Pragma("unroll 4") for (int across = t / NB; across < NB; across += COPIERS / NB)
        copy_piece(to, p, row, k, t % NB, across, 1);
  }
}

QN_DEV void copy_tiles(elem *ring, shared_place counters, int t, const triangle *p, int blocks) {
  int stage = 0, parity = 1, tile = 0; /* the first round finds all empty */
  for (int i = 0; i < blocks; i++) {
    for (int j = 0; j < i + DIAGONAL; j++, tile++) {
      counter_wait(EMPTY(stage), parity);
      copy_tile(ring + stage * TILE, t, p, FIRST_ROW(i), FIRST_ROW(j));
      copier_arrive(FULL(tile));
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
  }
}

/* Rows 8 r ... of a tile by its unknowns 8 k ...; `from` is the lane's place, AT(g, 2 q). */
QN_DEV void read_right(double right[2], const elem *from, int r, int k) {
  const elem *at = from + AT(8 * r, 8 * k);
#if TRANS && QN_T == 2
  const float2 both = *(const float2 *)at;
  right[0] = both.x, right[1] = both.y;
#elif TRANS
  const pair both = *(const pair *)at;
  right[0] = both.x, right[1] = both.y;
#else
  right[0] = at[0], right[1] = at[PITCH];
#endif
}

/* What one step over eight unknowns takes from shared memory. */
typedef struct step {
  pair low, high;
  double right[EIGHTS][2];
} step;

QN_DEV void read_step(step *f, const elem *from, const double *x, int xl, int k) {
  f->low = *(const pair *)(x + 8 * k);
  f->high = *(const pair *)(x + 8 * xl + 8 * k);
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) read_right(f->right[s], from, EIGHT(s), k);
}

/* r := r - tile X_j, a step read while the one before it is multiplied; the lane's columns of X_j
 * begin at x and x + 8 xl. */
QN_DEV void take_tile(double (*r)[4], const elem *from, const double *x, int xl) {
  step f[2];
  read_step(&f[0], from, x, xl, 0);
  QN_UNROLL
  for (int k = 0; k < EIGHTS; k++) {
    const step *now = &f[k % 2];
    if (k + 1 < EIGHTS) read_step(&f[(k + 1) % 2], from, x, xl, k + 1);
    const double left[4] = {now->low.x, now->low.y, now->high.x, now->high.y};
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) multiply_off(r[s], left, now->right[s]);
  }
}

/* A lane's numbers of eight unknowns, two of each of its columns, and their place. */
QN_DEV void put_eight(double *x, int xl, const double r[4]) {
  pair low, high;
  low.x = r[0], low.y = r[1], high.x = r[2], high.y = r[3];
  *(pair *)x = low;
  *(pair *)(x + 8 * xl) = high;
}

QN_DEV void get_eight(double r[4], const double *x, int xl) {
  const pair low = *(const pair *)x, high = *(const pair *)(x + 8 * xl);
  r[0] = low.x, r[1] = low.y, r[2] = high.x, r[3] = high.y;
}

#include "cuda/trsm_diagonal.cu"

/* ---- columns of X ---- */

/* Where the columns of a thread block are in memory. */
typedef struct columns {
  elem *b;
  qn_i64 bi, br;
  int n, cols;
} columns;

/* Where B lies until its block comes up: in the place of X; f32 in that half of each column which X
 * fills last. */
QN_DEV elem *raw_column(double *xs, int xl, int c) {
  elem *column = (elem *)(xs + c * xl);
  return QN_T == 2 && !BACK ? column + xl - 8 : column;
}

/* Of the rows of B of one block, NB x NC, what a copier has: from `r`, `c` on, every so many rows
 * or columns, as they are; what lies outside becomes zero. Neighbours are so in memory, too. */
QN_DEV void bring_block(double *xs, int xl, int row, int t, const columns *b) {
  const int along = b->bi == 1,
            wide = along && ((qn_u64)b->b | (qn_u64)b->br * sizeof(elem)) % 16 == 0;
  const int width = wide ? VW : 1, lines = NB / width;
  const int r = row + (along ? t % lines * width : t / NC), c = along ? t / lines : t;
  const int dr = along ? 0 : COPIERS / NC, dc = along ? COPIERS / lines : 0;
  elem *to = raw_column(xs, xl, c) + r;
  const elem *from = b->b + r * b->bi + c * b->br;
  const qn_i64 step = dr * b->bi + dc * b->br;
  const int next = dr + dc * (xl * (int)(sizeof(double) / sizeof(elem)));
  const int count = along ? NC / dc : NB / dr;
  _Pragma("unroll 2") for (int e = 0; e < count; e++, to += next, from += step) {
    const int fit = c + e * dc < b->cols ? QN_MIN(QN_MAX(b->n - r - e * dr, 0), width) : 0;
    if (wide)
      copy_async(to, fit > 0 ? from : b->b, 16, fit * (int)sizeof(elem));
    else
      copy_async(to, fit > 0 ? from : b->b, sizeof(elem), fit * (int)sizeof(elem));
  }
}

/* 16 columns, from column c on, of a block that begins at `row`, from X to B, by one warp; several
 * are read before any of them is stored, for no read is moved ahead of a store. */
QN_DEV void store_block(const double *xs, int xl, int c, int lane, int row, const columns *b) {
  enum { EACH = 16 * NB / 32, AHEAD = 8 };
  const int along = b->bi == 1, dr = along ? 0 : 2, dc = along ? 1 : 0;
  const int r = row + (along ? lane : lane / 16), col = c + (along ? 0 : lane % 16);
  const int rows = (b->n - r + 1) / 2, cols = b->cols - col; /* that there are from there on */
  const int count = along ? (r < b->n ? cols : 0) : (cols > 0 ? rows : 0), next = dr + dc * xl;
  const double *from = xs + col * xl + r;
  elem *to = b->b + r * b->bi + col * b->br;
  const qn_i64 step = dr * b->bi + dc * b->br;
  _Pragma("unroll 1") for (int first = 0; first < EACH; first += AHEAD) {
    elem x[AHEAD];
    QN_UNROLL
    for (int e = 0; e < AHEAD; e++, from += next) x[e] = (elem)*from;
    QN_UNROLL
    for (int e = 0; e < AHEAD; e++, to += step)
      if (first + e < count) *to = x[e];
  }
}

QN_DEV void move_columns(double *xs, int xl, shared_place counters, int t, const columns *b,
                         int blocks) {
  for (int i = 0; i < blocks; i++) {
    bring_block(xs, xl, FIRST_ROW(i), t, b);
    copier_arrive(BROUGHT(i));
  }
  for (int i = 0; i < blocks; i++) {
    for (int set = t / 32; set < SETS; set += COPIERS / 32) {
      counter_wait(SOLVED(i, set), 0);
      store_block(xs, xl, 16 * set, t % 32, FIRST_ROW(i), b);
    }
  }
}

/* alpha B of a block that begins at `row`, in the order of its solution; c is the lane's column. */
QN_DEV void load_block(double (*r)[4], double *xs, int xl, int row, int c, double alpha) {
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) {
    const int at = row + 8 * EIGHT(s);
    QN_UNROLL
    for (int e = 0; e < 4; e++) r[s][e] = alpha * raw_column(xs, xl, c + e / 2 * 8)[at + e % 2];
  }
}

/* An inverse that was worked out ahead; says whether it is good. */
QN_DEV int copy_inverse(double *v, const double *kept, int lane) {
  QN_UNROLL
  for (int e = 2 * lane; e < INVERSE; e += 64) copy_async(v + e, kept + e, 16, 16);
  const int fine = kept[INVERSE] != 0;
  copy_commit();
  copy_wait(0);
  return fine;
}

/* ---- the walk ---- */

QN_DEV void solve_columns(double *xs, int xl, const elem *ring, const double *v, const int *good,
                          shared_place counters, int warp, int lane, const triangle *p, int blocks,
                          double alpha) {
  const int set = warp % SETS, g = lane / 4, q = lane % 4;
  double *const own = xs + (set * 16 + g) * xl + 2 * q;
  _Pragma("unroll 1") for (int i = warp / SETS; i < blocks; i += 2) {
    const int row = FIRST_ROW(i);
    int tile = TILES_BEFORE(i);
    double r[EIGHTS][4];
    counter_wait(BROUGHT(i), 0);
    load_block(r, xs, xl, row + 2 * q, 16 * set + g, alpha);
    __syncwarp(); /* X may come to the place of what another lane has read */
    inverse ready;
    _Pragma("unroll 1") for (int j = 0; j < i; j++, tile++) {
      const int stage = tile % STAGES;
      if (ROOMY && j == i - 1) { /* while there is something to do meanwhile */
        if (i == 1) counter_wait(INVERTED, 0);
        read_inverse(&ready, v + row / NB * INVERSE, lane);
      }
      counter_wait(FULL(tile), 0);
      counter_wait(SOLVED(j, set), 0);
      take_tile(r, ring + stage * TILE + AT(g, 2 * q), own + FIRST_ROW(j), xl);
      warp_arrive(EMPTY(stage), lane);
    }
    if (i == 0 || (!ROOMY && i == 1)) counter_wait(INVERTED, 0);
    const int stage = tile % STAGES, block = row / NB;
    if (ROOMY && i == 0) read_inverse(&ready, v + block * INVERSE, lane);
    inverse diagonal;
    if (DIAGONAL) {
      counter_wait(FULL(tile), 0);
      read_block(&diagonal, ring + stage * TILE, p->n - row, p->unit, lane);
      warp_arrive(EMPTY(stage), lane);
    }
    solve_block(r, &ready, v + block * INVERSE, good[block], &diagonal, p, row, lane, own + row,
                xl);
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) {
      /* unknowns beyond the matrix become zero, which zero times Inf is not */
      QN_UNROLL
      for (int e = 0; e < 4; e++)
        if (row + 8 * EIGHT(s) + 2 * q + e % 2 >= p->n) r[s][e] = 0;
      put_eight(own + row + 8 * EIGHT(s), xl, r[s]);
    }
    warp_arrive(SOLVED(i, set), lane);
  }
}

QN_KERNEL __launch_bounds__(THREADS, 1) void trsm_tensor(int n, qn_i64 nrhs, int unit, elem alpha,
                                                         const elem *QN_RESTRICT a, qn_i64 off_a,
                                                         qn_i64 lda, elem *b, qn_i64 off_b,
                                                         qn_i64 bi, qn_i64 br, int kept,
                                                         const double *ahead, qn_i64 first) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, lane = t % 32;
  const int blocks = (n + NB - 1) / NB, xl = blocks * NB + 8;
  const shared_place counters = shared_of(memory);
  double *const v = (double *)memory + COUNTER_BYTES / 8, *const xs = v + blocks * INVERSE;
  elem *const ring = (elem *)(xs + NC * xl);
  QN_LOCAL_VAR int good[MOST_BLOCKS];
  if (t < MOST_TILES) counter_init(FULL(t), COPIERS);
  if (t < STAGES) counter_init(EMPTY(t), SETS * ARRIVALS);
  if (t < MOST_BLOCKS) counter_init(BROUGHT(t), COPIERS);
  if (t < MOST_BLOCKS * SETS) counter_init(SOLVED(t / SETS, t % SETS), ARRIVALS);
  if (t == 0) counter_init(INVERTED, WARPS * ARRIVALS);
  QN_BARRIER();
  launch_wait();
  triangle p = {a + off_a, lda, n, unit, 0};
  p.wide = (qn_u64)p.a % 16 == 0 && lda % VW == 0;
  const qn_i64 column = (qn_i64)QN_WGID(0) * NC;
  const columns those = {b + off_b + column * br, bi, br, n,
                         nrhs - column < NC ? (int)(nrhs - column) : NC};

  if (warp < WARPS) {
#if ROOMY
    registers_take(216);
#endif
    _Pragma("unroll 1") for (int i = warp; i < blocks; i += WARPS) {
      const int fine = kept ? copy_inverse(v + i * INVERSE, ahead + (first + i) * KEPT, lane)
                            : invert_block(v + i * INVERSE, &p, i * NB, lane);
      if (lane == 0) good[i] = fine;
    }
    warp_arrive(INVERTED, lane);
    solve_columns(xs, xl, ring, v, good, counters, warp, lane, &p, blocks, alpha);
  } else {
#if ROOMY
    registers_release(72);
#endif
    if (t < 32 * WARPS + COPIERS)
      copy_tiles(ring, counters, t - 32 * WARPS, &p, blocks);
    else
      move_columns(xs, xl, counters, t - 32 * WARPS - COPIERS, &those, blocks);
  }
  launch_next();
}
