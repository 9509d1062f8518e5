/* Solves L X = alpha B for a lower triangle of any order and the fewest right-hand sides in one
 * launch, by substitution, f32 and f64. A thread block makes NB rows of X for NC columns, as in
 * trsm_walk.cu: sums over the tiles of its row as X comes, then the diagonal block. Here blocks
 * are larger, for all that counts is the way through them, with a wait at each:
 *
 *   - tiles go from memory to registers, two chunks of KC columns ahead, so that the one next to
 *     the diagonal is there before its X is;
 *   - a warp substitutes for two columns at most, eight unknowns at a time: every lane solves for
 *     the eight, whose right sides it gets from two lanes, and takes them from its four rows.
 *
 * A thread has four rows and KT columns of a chunk. Where rows are contiguous in memory (TRANS 0)
 * a warp has all rows and KT columns; else 16 rows and all columns, eight lanes side by side.
 *
 * L(i, k) = a[off_a + i si + k sj], B(i, r) = b[off_b + i bi + r br]: strides may be negative, so
 * that an upper triangle is a lower one from its end. X travels through `shared` (exchange.cu).
 *
 * Macros: QN_T 2 or 3; TRANS: whether |sj| is 1, else |si| is; BACK: whether strides are negative;
 * NC; KC. Grid: one thread block a ticket. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/exchange.cu"
#include "portable/tame.cl"

#define NB      128
#define WARPS   8
#define THREADS (32 * WARPS)
#define LD      (NB + 4)                /* of the diagonal block in shared memory, [k][row] */
#define KT      (NB * KC / THREADS / 4) /* columns of a chunk that a thread has */
#define KW      (TRANS ? KC : KT)       /* and its warp */
#define CHUNKS  (NB / KC)               /* of a tile */
#define PARTS   (TRANS ? 1 : WARPS)     /* sums of a row */
#define OWN     (NC == 1 ? 1 : 2)       /* columns of a warp that substitutes */
#define PIECES  (NC * KW / VW)          /* of 16 bytes in what a warp needs of X */
#define POLLS   ((PIECES + 31) / 32)

typedef struct triangle {
  const elem *a;
  qn_i64 si, sj;
  int n;
} triangle;

/* The stride that is not the leading dimension. */
#define ALONG (BACK ? -1 : 1)

/* From one of the thread's rows or columns to the next. */
#define ROW_STEP (TRANS ? 4 : 32)
#define COL_STEP (TRANS ? 8 : 1)

/* Its first row and its first column of a chunk. */
typedef struct place {
  int warp, lane, row, col;
} place;

QN_DEV place place_of(int t) {
  const int warp = t / 32, lane = t % 32;
  const place at = {warp, lane, TRANS ? warp * 16 + lane / 8 : lane, TRANS ? lane % 8 : warp * KT};
  return at;
}

/* ---- a row of tiles ---- */

/* Rows beyond the matrix are zero. */
QN_DEV void load_chunk(elem (*to)[KT], const triangle *p, int row0, int k0, const place *at) {
  const qn_i64 si = TRANS ? p->si : ALONG, sj = TRANS ? ALONG : p->sj;
  const elem *from = p->a + (row0 + at->row) * si + (k0 + at->col) * sj;
  QN_UNROLL
  for (int s = 0; s < 4; s++) {
    const int there = row0 + at->row + s * ROW_STEP < p->n;
    QN_UNROLL
    for (int u = 0; u < KT; u++) to[s][u] = there ? from[s * ROW_STEP * si + u * COL_STEP * sj] : 0;
  }
}

/* What the warp needs of X for the chunk, [column][NB] at x. */
QN_DEV void look(piece *v, const elem *x, const place *at) {
  QN_UNROLL
  for (int u = 0; u < POLLS; u++) {
    const int q = QN_MIN(at->lane + 32 * u, PIECES - 1);
    v[u] = load_shared_by_groups((const piece *)(x + q / (KW / VW) * NB + q % (KW / VW) * VW));
  }
}

/* Looks again until all of it is there, and puts it to xs, [k][NC]. */
QN_DEV void await(elem *xs, piece *v, const elem *x, const place *at) {
  SPINS;
  for (;;) {
    int ready = 1;
    QN_UNROLL
    for (int u = 0; u < POLLS; u++) ready = ready && IS_RESULT(v[u]);
    if (__all_sync(0xffffffffu, ready)) break;
    SPIN;
    look(v, x, at);
  }
  __syncwarp();
  QN_UNROLL
  for (int u = 0; u < POLLS; u++) {
    const int q = at->lane + 32 * u, c = q / (KW / VW), k = q % (KW / VW) * VW;
    const elem *e = (const elem *)&v[u];
    if (q < PIECES) {
      QN_UNROLL
      for (int s = 0; s < VW; s++) xs[(k + s) * NC + c] = e[s];
    }
  }
  __syncwarp();
}

QN_DEV void multiply(acc *sum, elem (*l)[KT], const elem *xs, const place *at) {
  QN_UNROLL
  for (int u = 0; u < KT; u++) {
    const elem *from = xs + (TRANS ? u * COL_STEP + at->col : u) * NC;
    elem x[NC];
#if NC % VW == 0
    QN_UNROLL
    for (int c = 0; c < NC; c += VW) UNVEC(x, c, *(const vec *)(from + c));
#else
    QN_UNROLL
    for (int c = 0; c < NC; c++) x[c] = from[c];
#endif
    QN_UNROLL
    for (int s = 0; s < 4; s++) {
      QN_UNROLL
      for (int c = 0; c < NC; c++) sum[s * NC + c] = acc_fma(l[s][u], x[c], sum[s * NC + c]);
    }
  }
}

/* sum := the row's tiles before the diagonal times X. */
QN_DEV void sum_row(acc *sum, elem *xs, const elem *x, const triangle *p, int row0,
                    const place *at) {
  const int chunks = row0 / KC;
  elem ahead[2][4][KT];
  piece next[POLLS];
  QN_UNROLL
  for (int h = 0; h < 2; h++)
    if (h < chunks) load_chunk(ahead[h], p, row0, h * KC, at);
  x += TRANS ? 0 : at->col;
  if (chunks > 0) look(next, x, at);
#pragma unroll 1
  for (int j = 0; j < chunks; j += 2) {
    QN_UNROLL
    for (int h = 0; h < 2; h++) {
      const int now = j + h;
      if (now >= chunks) break;
      const elem *const there = x + (now / CHUNKS * NC * NB + now % CHUNKS * KC);
      await(xs, next, there, at);
      if (now + 1 < chunks)
        look(next, x + ((now + 1) / CHUNKS * NC * NB + (now + 1) % CHUNKS * KC), at);
      multiply(sum, ahead[h], xs, at);
      if (now + 2 < chunks) load_chunk(ahead[h], p, row0, (now + 2) * KC, at);
    }
  }
}

/* The sums to shared memory, [part][column][NB]. */
QN_DEV void put_sums(elem *to, acc *sum, const place *at) {
#if TRANS
  acc *v = sum; /* over the eight lanes of a row; each keeps a share */
  int first = 0, half = 2 * NC;
  QN_UNROLL
  for (int m = 4; m > 0; m /= 2) {
    const int upper = (at->lane & m) != 0;
    QN_UNROLL
    for (int e = 0; e < 2 * NC; e++) {
      if (e >= half) continue;
      const acc keep = upper ? v[e + half] : v[e], give = upper ? v[e] : v[e + half];
      v[e] = keep + __shfl_xor_sync(0xffffffffu, give, m);
    }
    if (half == 0) v[0] += __shfl_xor_sync(0xffffffffu, v[0], m);
    first += upper ? half : 0;
    half /= 2;
  }
  QN_UNROLL
  for (int e = 0; e < QN_MAX(NC / 2, 1); e++) {
    const int at_sum = first + e;
    to[at_sum % NC * NB + at->row + at_sum / NC * ROW_STEP] = v[e];
  }
#else
  QN_UNROLL
  for (int c = 0; c < NC; c++) {
    QN_UNROLL
    for (int s = 0; s < 4; s++)
      to[(at->warp * NC + c) * NB + at->row + s * ROW_STEP] = sum[s * NC + c];
  }
#endif
}

/* ---- the diagonal block ---- */

QN_DEV void copy_diagonal(elem *to, const triangle *p, int row0, int t) {
#pragma unroll 4
  for (int e = t; e < NB * NB; e += THREADS) {
    const int r = TRANS ? e / NB : e % NB, k = TRANS ? e % NB : e / NB;
    const int there = k <= r && row0 + r < p->n;
    const elem *from = p->a + (there ? (row0 + r) * p->si + (row0 + k) * p->sj : 0);
    copy_async(to + k * LD + r, from, sizeof(elem), there * (int)sizeof(elem));
  }
}

/* The reciprocals of the diagonal, or itself where one of them is not tame; ones where there is
 * none. Says which. */
QN_DEV int invert_diagonal(elem *inverse, elem *d, int row0, int n, int unit, int t) {
  int wild = 0;
  elem v = 1;
  if (t < NB && !unit && row0 + t < n) v = d[t * LD + t];
  if (t < NB) wild = !is_tame(v);
  const int tame = !__syncthreads_or(wild);
  if (t < NB) inverse[t] = tame ? 1 / v : v, d[t * LD + t] = v;
  QN_BARRIER();
  return tame;
}

QN_DEV void read_rows(elem *to, const elem *from, int count) {
  QN_UNROLL
  for (int i = 0; i < count; i += VW) UNVEC(to, i, *(const vec *)(from + i));
}

/* x := D^-1 r; a lane has rows 4 lane ... of each column. */
QN_DEV void substitute(acc (*x)[4], acc (*r)[4], const elem *d, const elem *inverse, int tame,
                       int lane) {
#pragma unroll 1
  for (int p = 0; p < NB / 8; p++) {
    const elem *const tri = d + 8 * p * LD + 8 * p;
    elem l[8][8], by[8], own[4];
    acc v[OWN][8];
    QN_UNROLL
    for (int c = 0; c < OWN; c++) {
      QN_UNROLL
      for (int k = 0; k < 8; k++) v[c][k] = __shfl_sync(0xffffffffu, r[c][k % 4], 2 * p + k / 4);
    }
    read_rows(by, inverse + 8 * p, 8);
    QN_UNROLL
    for (int k = 0; k < 8; k++)
      read_rows(l[k] + k / VW * VW, tri + k * LD + k / VW * VW, 8 - k / VW * VW);
    QN_UNROLL
    for (int k = 0; k < 8; k++) {
      QN_UNROLL
      for (int c = 0; c < OWN; c++) {
        v[c][k] = tame ? v[c][k] * by[k] : v[c][k] / by[k];
        QN_UNROLL
        for (int s = k + 1; s < 8; s++) v[c][s] = acc_fnma(l[k][s], v[c][k], v[c][s]);
      }
    }
    QN_UNROLL
    for (int c = 0; c < OWN; c++) {
      QN_UNROLL
      for (int s = 0; s < 4; s++)
        if (lane / 2 == p) x[c][s] = lane % 2 ? v[c][s + 4] : v[c][s];
    }
    QN_UNROLL
    for (int k = 0; k < 8; k++) {
      read_rows(own, d + (8 * p + k) * LD + 4 * lane, 4);
      QN_UNROLL
      for (int c = 0; c < OWN; c++) {
        QN_UNROLL
        for (int s = 0; s < 4; s++) r[c][s] = acc_fnma(own[s], v[c][k], r[c][s]);
      }
    }
  }
}

/* ---- one column ---- */

#define INVERTS (NC == 1 && QN_T == 3)
#if INVERTS
#include "cuda/thin_inverse.cu"

/* r := r less all sums, in shared memory. */
QN_DEV void settle_row(elem *r, const elem *sums, int rows, int t) {
  if (t < NB) {
    elem all = 0;
    QN_UNROLL
    for (int w = 0; w < PARTS; w++) all += sums[w * NB + t];
    r[t] = t < rows ? r[t] - all : 0; /* which zero times Inf is not */
  }
  QN_BARRIER();
}
#endif

/* ---- the walk ---- */

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, 1) void trsm_thin(
    int n, qn_i64 nrhs, int unit, elem alpha, QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 si, qn_i64 sj, QN_GLOBAL elem *b, qn_i64 off_b, qn_i64 bi, qn_i64 br, int groups,
    QN_GLOBAL elem *shared, qn_i64 ticket) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0);
  const place at = place_of(t);
  elem *const d = (elem *)memory, *const inverse = d + NB * LD, *const rhs = inverse + NB;
  elem *const sums = rhs + NC * NB, *const xs = sums + PARTS * NC * NB + at.warp * (KW * NC);
  QN_LOCAL_VAR int taken;
  if (t == 0) taken = atomicAdd((int *)(shared + ticket), 1) + 1; /* it begins as all ones, too */
  QN_BARRIER();
  const int blocks = (n + NB - 1) / NB, group = taken % groups, i = taken / groups;
  const int row0 = i * NB;
  const triangle p = {a + off_a, si, sj, n};
  const qn_i64 column = (qn_i64)group * NC;
  const int cols = nrhs - column < NC ? (int)(nrhs - column) : NC;
  b += off_b + column * br;
  shared += (qn_i64)group * blocks * (NC * NB);

  copy_diagonal(d, &p, row0, t);
  copy_commit();
  const int own = at.warp * OWN, row = 4 * at.lane; /* of those who substitute */
  QN_UNROLL
  for (int c = 0; c < OWN; c++) {
    if (own >= NC) break;
    QN_UNROLL
    for (int s = 0; s < 4; s++) {
      const int there = own + c < cols && row0 + row + s < n;
      rhs[(own + c) * NB + row + s] =
          there ? acc_mul(alpha, b[(row0 + row + s) * bi + (own + c) * br]) : acc_zero();
    }
  }
  acc sum[4 * NC];
  QN_UNROLL
  for (int e = 0; e < 4 * NC; e++) sum[e] = acc_zero();
  copy_wait(0);
  QN_BARRIER();
  const int tame = invert_diagonal(inverse, d, row0, n, unit, t);
#if INVERTS
  elem *const solution = xs + (WARPS - at.warp) * (KW * NC), *const work = solution + NB;
  const int good = tame && i >= FIRST_INVERTED && invert_block(d, inverse, work, t);
#endif
  sum_row(sum, xs, shared, &p, row0, &at);
  put_sums(sums, sum, &at);
  QN_BARRIER();
  acc r[OWN][4], x[OWN][4];
#if INVERTS
  settle_row(rhs, sums, n - row0, t);
  const int solved = good && solve_inverted(solution, rhs, d, inverse, work, t);
  if (own >= NC) return;
  read_rows(r[0], rhs + row, 4);
  read_rows(x[0], solution + row, 4);
#else
  const int solved = 0;
  if (own >= NC) return;
  QN_UNROLL
  for (int c = 0; c < OWN; c++) {
    acc all[4] = {0, 0, 0, 0};
    read_rows(r[c], rhs + (own + c) * NB + row, 4);
    QN_UNROLL
    for (int w = 0; w < PARTS; w++) {
      elem part[4];
      read_rows(part, sums + (w * NC + own + c) * NB + row, 4);
      QN_UNROLL
      for (int s = 0; s < 4; s++) all[s] += part[s];
    }
    QN_UNROLL
    for (int s = 0; s < 4; s++)
      r[c][s] = row0 + row + s < n ? r[c][s] - all[s] : 0; /* which zero times Inf is not */
  }
#endif
  if (solved) {
  } else if (tame)
    substitute(x, r, d, inverse, 1, at.lane);
  else
    substitute(x, r, d, inverse, 0, at.lane);
  QN_UNROLL
  for (int c = 0; c < OWN; c++)
    publish_run(shared + ((qn_i64)i * NC + own + c) * NB + row, x[c], 4);
  QN_UNROLL
  for (int c = 0; c < OWN; c++) {
    QN_UNROLL
    for (int s = 0; s < 4; s++)
      if (own + c < cols && row0 + row + s < n) b[(row0 + row + s) * bi + (own + c) * br] = x[c][s];
  }
}
