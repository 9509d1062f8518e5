/* Solves op(A) X = alpha B in f64, or f32 by f64, for a triangle of up to a few blocks and many
 * right-hand sides in one launch, by substitution: single unknowns by lanes, all products on the
 * tensor cores.
 *
 *   for each block of NB rows i:    acc := 0
 *     for each tile j < i:          acc := acc + T_ij X_j
 *     r := alpha B_i - acc
 *     for each eight unknowns p of the block:
 *       x_p := D_pp^-1 r_p          four turns, a lane's two unknowns each
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
 * f32 is only how A and B lie in memory: the tensor cores do f64 as fast as others do f32, and X is
 * rounded once, when it leaves.
 *
 * Shared memory: 1 / d [NB]; X [NC][XL], XL a little more than the order; ring [STAGES] tiles.
 * Tiles come in the order in which they are needed, STAGES - 1 ahead; one barrier a tile.
 *
 *   tile, rows contiguous in memory (TRANS = 0): [k][row], k contiguous (TRANS = 1): [row][k]
 *
 * Macros: QN_T = 2 or 3; NB STAGES; WARPS, 16 columns each; TRANS, BACK (element (r, k) of op(A) is
 * a[k + r lda]; the last unknown comes first); QN_SM. Grid: x = ceil(nrhs / NC). */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "portable/tame.cl"

typedef double2 pair;

#define NC       (16 * WARPS)
#define THREADS  (32 * WARPS)
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

/* The whole tile at (row, k), a warp along the memory's columns. */
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

/* ---- the instruction: sums += left right over 8 unknowns ---- */

QN_DEV void multiply(double sums[4], const double left[4], const double right[2]) {
#if QN_SM >= 90
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(left[0]), "d"(left[2]), "d"(left[1]), "d"(left[3]), "d"(right[0]), "d"(right[1]));
#else
  QN_UNROLL
  for (int h = 0; h < 4; h++)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(sums[h / 2 * 2]), "+d"(sums[h / 2 * 2 + 1])
        : "d"(left[h / 2 * 2 + h % 2]), "d"(right[h % 2]));
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
      for (int s = 0; s < EIGHTS; s++) multiply(r[s], left, now->right[s]);
    }
  }
}

/* ---- eight unknowns ---- */

/* x := D^-1 x of an 8 x 8 block, by the four lanes of a column: at each turn one of them has both
 * its unknowns, and the others take them off theirs. `d` is the block's first element, `inverse`
 * has 1 / d, or d itself unless the block is tame. */
QN_DEV void solve_eight(double x[4], const elem *d, const double *inverse, int q, int tame) {
  const double by0 = inverse[2 * q], by1 = inverse[2 * q + 1];
  const double own = BACK ? d[AT(2 * q, 2 * q + 1)] : d[AT(2 * q + 1, 2 * q)];
  QN_UNROLL
  for (int turn = 0; turn < 4; turn++) {
    const int p = BACK ? 3 - turn : turn;
    double v[4];
    QN_UNROLL
    for (int c = 0; c < 4; c += 2) { /* both columns */
      double first = BACK ? x[c + 1] : x[c], second = BACK ? x[c] : x[c + 1];
      first = tame ? first * (BACK ? by1 : by0) : first / (BACK ? by1 : by0);
      second = fma(-own, first, second);
      second = tame ? second * (BACK ? by0 : by1) : second / (BACK ? by0 : by1);
      v[c] = __shfl_sync(0xffffffffu, BACK ? second : first, p, 4);
      v[c + 1] = __shfl_sync(0xffffffffu, BACK ? first : second, p, 4);
    }
    QN_UNROLL
    for (int h = 0; h < 2; h++) { /* both of the lane's unknowns */
      const double l0 = d[AT(2 * q + h, 2 * p)], l1 = d[AT(2 * q + h, 2 * p + 1)];
      QN_UNROLL
      for (int c = 0; c < 4; c += 2) {
        if (q == p) x[c + h] = v[c + h];
        if (BACK ? q < p : q > p) {
          x[c + h] = fma(-(BACK ? l1 : l0), BACK ? v[c + 1] : v[c], x[c + h]);
          x[c + h] = fma(-(BACK ? l0 : l1), BACK ? v[c] : v[c + 1], x[c + h]);
        }
      }
    }
  }
}

/* The reciprocals of a diagonal block's diagonal, or itself where one of them is not tame; all
 * threads, with barriers. Says which. */
QN_DEV int invert_diagonal(double *inverse, const elem *d, int t, int row0, int n, int unit) {
  int wild = 0;
  QN_UNROLL
  for (int r = t; r < NB; r += THREADS) {
    const elem own = unit || row0 + r >= n ? 1 : d[AT(r, r)];
    inverse[r] = own;
    wild |= !is_tame(own);
  }
  const int tame = !__syncthreads_or(wild);
  for (int r = t; tame && r < NB; r += THREADS) inverse[r] = 1 / inverse[r];
  QN_BARRIER();
  return tame;
}

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

/* The warp's columns of B, along the memory's columns. */
QN_DEV void load_columns(double *xs, int xl, int warp, int lane, int height, const columns *b) {
  if (b->bi != 1) {
    _Pragma("unroll 4") for (int r = lane / 16; r < height; r += 2)
        copy_rows(xs, xl, b, r, 16 * warp + lane % 16, 1);
  } else if (((qn_u64)b->b | (qn_u64)b->br * sizeof(elem)) % 16 == 0) {
    _Pragma("unroll 1") for (int c = 0; c < 16; c++) {
      _Pragma("unroll 4") for (int r = VW * lane; r < height; r += 32 * VW)
          copy_rows(xs, xl, b, r, 16 * warp + c, VW);
    }
  } else {
    _Pragma("unroll 1") for (int c = 0; c < 16; c++) for (int r = lane; r < height; r += 32)
        copy_rows(xs, xl, b, r, 16 * warp + c, 1);
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

/* The warp's columns of a block that begins at row0, from X to B, along the memory's columns. */
QN_DEV void store_block(const double *xs, int xl, int warp, int lane, int row0, const columns *b) {
  const int along = b->bi == 1;
  _Pragma("unroll 4") for (int e = lane; e < 16 * NB; e += 32) {
    const int r = row0 + (along ? e % NB : e / 16), c = 16 * warp + (along ? e / NB : e % 16);
    if (r < b->n && c < b->cols) b->b[r * b->bi + c * b->br] = (elem)xs[c * xl + r];
  }
}

/* ---- a diagonal block ---- */

/* x := D^-1 x of a diagonal block: its eights come in the order of their solution, x[0] the one at
 * hand. One loop, for a kernel that runs each instruction a few times waits for their fetching. */
QN_DEV void solve_block(double (*x)[4], const elem *d, const elem *from, const double *inverse,
                        int lane, int tame, double *own, int xl, int rows) {
  _Pragma("unroll 1") for (int turn = 0; turn < EIGHTS; turn++) {
    const int p = BACK ? EIGHTS - 1 - turn : turn;
    solve_eight(x[0], d + AT(8 * p, 8 * p), inverse + 8 * p, lane % 4, tame);
    store_eight(own + 8 * p, xl, x[0], rows - 8 * p);
    const double left[4] = {-x[0][0], -x[0][1], -x[0][2], -x[0][3]};
    QN_UNROLL
    for (int later = 1; later < EIGHTS; later++) {
      if (turn + later < EIGHTS) {
        double right[2];
        read_right(right, from, BACK ? p - later : p + later, p);
        multiply(x[later], left, right);
      }
      QN_UNROLL
      for (int e = 0; e < 4; e++) x[later - 1][e] = x[later][e];
    }
  }
}

QN_KERNEL __launch_bounds__(THREADS, 1) void trsm_tensor(int n, qn_i64 nrhs, int unit, elem alpha,
                                                         const elem *QN_RESTRICT a, qn_i64 off_a,
                                                         qn_i64 lda, elem *b, qn_i64 off_b,
                                                         qn_i64 bi, qn_i64 br) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, g = t % 32 / 4, q = t % 4;
  const int blocks = (n + NB - 1) / NB, xl = blocks * NB + 8;
  double *const inverse = (double *)memory, *const xs = inverse + NB;
  elem *const ring = (elem *)(xs + NC * xl);
  triangle p = {n, a + off_a, lda, 0};
  p.wide = (qn_u64)p.a % 16 == 0 && lda % VW == 0;
  const qn_i64 column = (qn_i64)QN_WGID(0) * NC;
  const columns those = {b + off_b + column * br, bi, br, n,
                         nrhs - column < NC ? (int)(nrhs - column) : NC};

  load_columns(xs, xl, warp, t % 32, blocks * NB, &those); /* awaited with the first tile */
  next_tile ahead = {0, 0};
  _Pragma("unroll 1") for (int s = 0; s < STAGES - 1; s++)
      copy_next(ring + s * TILE, &ahead, blocks, &p, warp, t % 32);

  double *const own = xs + (warp * 16 + g) * xl + 2 * q;
  double r[EIGHTS][4];
  int i = 0, j = 0;
  _Pragma("unroll 1") for (int tile = 0; tile < blocks * (blocks + 1) / 2; tile++) {
    copy_wait(STAGES - 2);
    QN_BARRIER();
    copy_next(ring + (tile + STAGES - 1) % STAGES * TILE, &ahead, blocks, &p, warp, t % 32);
    const elem *const now = ring + tile % STAGES * TILE, *const from = now + AT(g, 2 * q);
    const int row0 = FIRST_ROW(i);
    if (j == 0) load_block(r, xs, xl, row0 + 2 * q, 16 * warp + g, alpha);
    if (j < i) {
      take_tile(r, from, own + FIRST_ROW(j), xl);
      j++;
      continue;
    }
    const int rows = n - row0 - 2 * q;
    if (invert_diagonal(inverse, now, t, row0, n, unit))
      solve_block(r, now, from, inverse, t % 32, 1, own + row0, xl, rows);
    else
      solve_block(r, now, from, inverse, t % 32, 0, own + row0, xl, rows);
    __syncwarp();
    store_block(xs, xl, warp, t % 32, row0, &those);
    i++;
    j = 0;
  }
}
