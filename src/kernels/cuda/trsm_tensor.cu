/* Solves op(A) X = alpha B in f64, or f32 by f64, for a triangle of up to a few blocks and many
 * right-hand sides in one launch, by substitution: single unknowns by lanes, all products on the
 * tensor cores.
 *
 *   for each block of NB rows i:    acc := 0
 *     for each tile j < i:          acc := acc + T_ij X_j
 *     r := alpha B_i - acc
 *     for each eight unknowns p of the block:
 *       x_p := D_pp^-1 r_p          by the inverse (trsm_eights.cu), or in four turns, a lane's
 *                                   two unknowns each
 *       r := r - D_p x_p            of all that follow
 *
 * A warp takes 16 columns of X all the way. The instruction is given X transposed: its 16 rows are
 * columns of X, its 8 columns are unknowns, and what it sums over are unknowns too,
 *
 *   lane = 4 g + q    sums: columns g and g + 8 of X, unknowns 2 q and 2 q + 1
 *                     left operand: the same columns, k = q and q + 4
 *                     right operand: k = q and q + 4, unknown g
 *
 * and since it is free which unknown is called k, k = q is unknown 2 q and k = q + 4 is 2 q + 1:
 * then sums are a left operand as they stand, and x_p goes from its solution to its products in
 * registers.
 *
 * WARPS warps multiply; as many more copy tiles and store blocks of X meanwhile.
 *
 * f32 is only how A and B lie in memory: the tensor cores do f64 as fast as others do f32, and X is
 * rounded once, when it leaves.
 *
 * Shared memory: inverses of the eights; X [NC][XL], XL a little more than the order; ring [STAGES]
 * tiles.
 * Tiles come in the order in which they are needed, STAGES - 1 ahead; one barrier a tile.
 *
 *   tile, rows contiguous in memory (TRANS = 0): [k][row], k contiguous (TRANS = 1): [row][k]
 *
 * Macros: QN_T = 2 or 3; NB STAGES; MOST_EIGHTS, of the largest order; WARPS that multiply, 16
 * columns each; TRANS, BACK (element (r, k) of op(A) is a[k + r lda]; the last unknown comes
 * first); QN_SM. Grid: x = ceil(nrhs / NC). */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "portable/tame.cl"
#if QN_SM >= 90
#include "cuda/hopper.cu"
#endif

typedef double2 pair;

#define NC       (16 * WARPS)
#define THREADS  (64 * WARPS)            /* one half multiplies, the other copies */
#define PITCH    (NB + (TRANS ? 8 : VW)) /* so that no two lanes of a read meet in a bank */
#define AT(r, k) (TRANS ? (r)*PITCH + (k) : (k)*PITCH + (r))
#define TILE     (NB * PITCH)
#define EIGHTS   (NB / 8)

/* First row of block i of the walk. */
#define FIRST_ROW(i) ((BACK ? blocks - 1 - (i) : (i)) * NB)

typedef struct triangle {
  int n;
  const elem *a;
  qn_i64 lda;
  int wide; /* 16-byte copies are possible */
} triangle;

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

/* The whole tile at (row, k), by WARPS warps, each along the memory's columns. */
QN_DEV void copy_tile(elem *to, int warp, int lane, const triangle *p, int row, int k) {
  if (p->wide) {
    const int along = lane % (NB / VW) * VW, lines = 32 * VW / NB; /* that a warp has at a time */
    _Pragma("unroll 4") for (int across = warp * lines + lane / (NB / VW); across < NB;
                             across += WARPS * lines) copy_piece(to, p, row, k, along, across, VW);
  } else {
    _Pragma("unroll 1") for (int across = warp; across < NB;
                             across += WARPS) for (int along = lane; along < NB; along += 32)
        copy_piece(to, p, row, k, along, across, 1);
  }
  copy_commit();
}

/* The tiles in the order of their use. */
typedef struct next_tile {
  int i, j;
} next_tile;

QN_DEV void copy_next(elem *to, next_tile *next, int blocks, const triangle *p, int warp,
                      int lane) {
  if (next->i < blocks)
    copy_tile(to, warp, lane, p, FIRST_ROW(next->i), FIRST_ROW(next->j));
  else
    copy_commit();
  if (next->j++ == next->i) next->i++, next->j = 0;
}

/* ---- the instruction: out := sums + left right over 8 unknowns ---- */

QN_DEV void multiply_to(double out[4], const double sums[4], const double left[4],
                        const double right[2]) {
#if QN_SM >= 90
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=d"(out[0]), "=d"(out[1]), "=d"(out[2]), "=d"(out[3])
      : "d"(left[0]), "d"(left[2]), "d"(left[1]), "d"(left[3]), "d"(right[0]), "d"(right[1]),
        "d"(sums[0]), "d"(sums[1]), "d"(sums[2]), "d"(sums[3]));
#else
  double half[4];
  QN_UNROLL
  for (int h = 0; h < 4; h++) {
    const int c = h / 2 * 2;
    const double *from = h % 2 ? half : sums;
    double *to = h % 2 ? out : half;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
        : "=d"(to[c]), "=d"(to[c + 1])
        : "d"(left[h]), "d"(right[h % 2]), "d"(from[c]), "d"(from[c + 1]));
  }
#endif
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
  for (int s = 0; s < EIGHTS; s++) read_right(f->right[s], from, BACK ? EIGHTS - 1 - s : s, k);
}

/* r := r - tile X_j, a step read while the one before it is multiplied; the lane's columns of X_j
 * begin at x and x + 8 xl. */
QN_DEV void take_tile(double (*r)[4], const elem *from, const double *x, int xl) {
  step f[2];
  read_step(&f[0], from, x, xl, 0);
  _Pragma("unroll 1") for (int k = 0; k < EIGHTS; k += 2) {
    QN_UNROLL
    for (int half = 0; half < 2; half++) {
      const step *now = &f[half];
      if (half == 0 || k + 2 < EIGHTS) read_step(&f[1 - half], from, x, xl, k + half + 1);
      const double left[4] = {-now->low.x, -now->low.y, -now->high.x, -now->high.y};
      QN_UNROLL
      for (int s = 0; s < EIGHTS; s++) multiply_to(r[s], r[s], left, now->right[s]);
    }
  }
}

#include "cuda/trsm_eights.cu"

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

/* Rows r ... of column c as they are; what lies outside becomes zero. */
QN_DEV void copy_rows(double *xs, int xl, const columns *b, int r, int c, int width) {
  const int fit = c < b->cols ? QN_MIN(QN_MAX(b->n - r, 0), width) : 0;
  const elem *from = fit > 0 ? b->b + r * b->bi + c * b->br : b->b;
  elem *to = raw_column(xs, xl, c) + r;
  if (width == VW)
    copy_async(to, from, 16, fit * (int)sizeof(elem));
  else
    copy_async(to, from, sizeof(elem), fit * (int)sizeof(elem));
}

/* 16 columns of B from column c on, along the memory's columns. */
QN_DEV void load_columns(double *xs, int xl, int c, int lane, int height, const columns *b) {
  if (b->bi != 1) {
    _Pragma("unroll 4") for (int r = lane / 16; r < height; r += 2)
        copy_rows(xs, xl, b, r, c + lane % 16, 1);
  } else if (((qn_u64)b->b | (qn_u64)b->br * sizeof(elem)) % 16 == 0) {
    _Pragma("unroll 1") for (int e = 0; e < 16; e++) {
      _Pragma("unroll 4") for (int r = VW * lane; r < height; r += 32 * VW)
          copy_rows(xs, xl, b, r, c + e, VW);
    }
  } else {
    _Pragma("unroll 1") for (int e = 0; e < 16; e++) for (int r = lane; r < height; r += 32)
        copy_rows(xs, xl, b, r, c + e, 1);
  }
}

/* alpha B of a block that begins at `row`, in the order of its solution; c is the lane's column. */
QN_DEV void load_block(double (*r)[4], double *xs, int xl, int row, int c, double alpha) {
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) {
    const int at = row + 8 * (BACK ? EIGHTS - 1 - s : s);
    QN_UNROLL
    for (int e = 0; e < 4; e++) r[s][e] = alpha * raw_column(xs, xl, c + e / 2 * 8)[at + e % 2];
  }
}

/* The lane's solved unknowns to X, two of each of its columns. Those beyond the matrix, of which
 * there are `rows` from here on, become zero, which zero times Inf is not. */
QN_DEV void store_eight(double *x, int xl, double r[4], int rows) {
  QN_UNROLL
  for (int e = 0; e < 4; e++)
    if (e % 2 >= rows) r[e] = 0;
  pair low, high;
  low.x = r[0], low.y = r[1], high.x = r[2], high.y = r[3];
  *(pair *)x = low;
  *(pair *)(x + 8 * xl) = high;
}

/* 16 columns, from column c on, of a block that begins at row0, from X to B, along the memory's
 * columns; the share `part` of `parts`. */
QN_DEV void store_block(const double *xs, int xl, int c, int lane, int row0, const columns *b,
                        int part, int parts) {
  const int along = b->bi == 1;
  _Pragma("unroll 4") for (int e = lane + 32 * part; e < 16 * NB; e += 32 * parts) {
    const int row = row0 + (along ? e % NB : e / 16), col = c + (along ? e / NB : e % 16);
    if (row < b->n && col < b->cols) b->b[row * b->bi + col * b->br] = (elem)xs[col * xl + row];
  }
}

/* ---- a diagonal block ---- */

/* x := D^-1 x of a diagonal block: its eights come in the order of their solution, x[0] the one at
 * hand, and move up by one as it is taken from them, the next one first. One loop, for a kernel
 * that runs each instruction a few times waits for their fetching. */
QN_DEV void solve_block(double (*x)[4], const elem *d, const elem *from, const eights *e, int block,
                        int row0, int lane, double *own, int xl) {
  _Pragma("unroll 1") for (int turn = 0; turn < EIGHTS; turn++) {
    const int p = BACK ? EIGHTS - 1 - turn : turn, row = row0 + 8 * p;
    double y[4], right[EIGHTS][2];
    QN_UNROLL
    for (int later = 1; later < EIGHTS; later++)
      read_right(right[later], from, BACK ? QN_MAX(p - later, 0) : QN_MIN(p + later, EIGHTS - 1),
                 p);
    if (!e->good[block * EIGHTS + p] || !solve_by_inverse(y, x[0], from, e, block, p, row, lane))
      solve_by_turns(y, x[0], d + AT(8 * p, 8 * p), e->n - row, e->unit, lane % 4);
    store_eight(own + 8 * p, xl, y, e->n - row - lane % 4 * 2);
    const double left[4] = {-y[0], -y[1], -y[2], -y[3]};
    QN_UNROLL
    for (int later = 1; later < EIGHTS; later++) {
      if (turn + later < EIGHTS) multiply_to(x[later - 1], x[later], left, right[later]);
    }
  }
}

QN_KERNEL __launch_bounds__(THREADS, 1) void trsm_tensor(int n, qn_i64 nrhs, int unit, elem alpha,
                                                         const elem *QN_RESTRICT a, qn_i64 off_a,
                                                         qn_i64 lda, elem *b, qn_i64 off_b,
                                                         qn_i64 bi, qn_i64 br) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), lane = t % 32, g = lane / 4, q = lane % 4;
  const int warp = t / 32 % WARPS, copies = t / 32 / WARPS; /* 16 columns of each role */
  const int blocks = (n + NB - 1) / NB, xl = blocks * NB + 8;
  double *const inverses = (double *)memory, *const xs = inverses + blocks * (NB * 8);
  elem *const ring = (elem *)(xs + NC * xl);
  QN_LOCAL_VAR int good[MOST_EIGHTS];
#if QN_SM >= 90
  launch_wait();
#endif
  triangle p = {n, a + off_a, lda, 0};
  p.wide = (qn_u64)p.a % 16 == 0 && lda % VW == 0;
  const qn_i64 column = (qn_i64)QN_WGID(0) * NC;
  const columns those = {b + off_b + column * br, bi, br, n,
                         nrhs - column < NC ? (int)(nrhs - column) : NC};

  const eights inverted = {inverses, good, n, unit};
  next_tile ahead = {0, 0};
  if (copies) {
    load_columns(xs, xl, 16 * warp, lane, blocks * NB, &those); /* awaited with the first tile */
    _Pragma("unroll 1") for (int s = 0; s < STAGES - 1; s++)
        copy_next(ring + s * TILE, &ahead, blocks, &p, warp, lane);
  } else {
    invert_eights(inverses, good, &p, blocks * EIGHTS, t, unit);
  }

  double *const own = xs + (warp * 16 + g) * xl + 2 * q;
  double r[EIGHTS][4];
  int i = 0, j = 0;
  _Pragma("unroll 1") for (int tile = 0; tile < blocks * (blocks + 1) / 2; tile++) {
    copy_wait(STAGES - 2);
    QN_BARRIER();
    const elem *const now = ring + tile % STAGES * TILE, *const from = now + AT(g, 2 * q);
    const int row0 = FIRST_ROW(i);
    if (copies) {
      copy_next(ring + (tile + STAGES - 1) % STAGES * TILE, &ahead, blocks, &p, warp, lane);
      if (j == 0 && i > 0) store_block(xs, xl, 16 * warp, lane, FIRST_ROW(i - 1), &those, 0, 1);
    } else {
      if (j == 0) load_block(r, xs, xl, row0 + 2 * q, 16 * warp + g, alpha);
      if (j < i)
        take_tile(r, from, own + FIRST_ROW(j), xl);
      else
        solve_block(r, now, from, &inverted, row0 / NB, row0, lane, own + row0, xl);
    }
    if (j++ == i) i++, j = 0;
  }
#if QN_SM >= 90
  launch_next();
#endif
  QN_BARRIER();
  store_block(xs, xl, 16 * warp, lane, FIRST_ROW(blocks - 1), &those, copies, 2);
}
