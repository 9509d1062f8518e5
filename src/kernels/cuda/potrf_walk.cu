/* Cholesky of a matrix of any order in one launch: A = L L^H by tiles of NB, each made by one
 * thread block, left-looking.
 *
 *      +----+                    L_ij := (A_ij - sum over k < j of L_ik L_jk^H) L_jj^-H
 *      | 00 |                    L_ii := the factor of A_ii - sum over k < i of L_ik L_ik^H
 *      +----+----+
 *      | 10 | 11 |               The block that makes L_i,i-1 goes on to L_ii, which needs it last:
 * of
 *      +----+----+----+          each column the way from one diagonal tile to the next leads
 * through | 20 | 21 | 22 |          one block, and waits once.
 *      +----+----+----+
 *
 * Tickets go down the columns, the pair (j + 1, j), (j + 1, j + 1) first in column j, so that a
 * block waits for smaller tickets alone. Tiles travel through `shared` (exchange.cu), laid out as
 * shared memory has them (substitute.cu). L is lower: L(i, j) = a[off_a + i si + j sj], conjugated
 * if conj_a; an upper triangle has its strides exchanged.
 *
 * info is 0, or the 1-based index of the first pivot of the whole matrix that was not positive.
 * What an earlier launch has put there ends this one; else all tiles are made, those behind a
 * failed pivot without meaning, for nobody may wait in vain.
 *
 * Macros: QN_T (f32 and wider); NB; ALONG_I, whether si is 1. Grid: one thread block a ticket. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/exchange.cu"

#define THREADS 256
#define WARPS   8
#define TRANS   1 /* tiles as substitute.cu has them with k in runs */
#define BACK    0
#define CONJ    QN_IS_COMPLEX /* x L^H = r is conj(L) x^T = r^T */
#define CW      (32 / (NB / 8))
#define SETS    (NB / (WARPS * CW) > 1 ? NB / (WARPS * CW) : 1)
#include "cuda/substitute.cu"

#define TM            (NB / 16) /* rows and columns of a thread in an update */
#define RS            (NB + 1)  /* row stride of a tile that is being made, [row][column] */
#define PIECES        (NB * NB / VW / THREADS) /* of a tile, a thread's */
#define RPL           (NB / 32)
#define ROW_AT(place) (8 * ((place) % LQ) + (place) / LQ)

#if QN_T == 3 || QN_T == 5
#define RSQRT(x) rsqrt(x)
#else
#define RSQRT(x) rsqrtf(x)
#endif

typedef struct matrix {
  int n;
  elem *a;
  qn_i64 si, sj;
  int conj;
} matrix;

QN_DEV qn_i64 tile_at(int i, int j) {
  return ((qn_i64)i * (i + 1) / 2 + j) * (NB * NB);
}

/* ---- tiles on their way ---- */

/* Tile (i, j) of A to [row][column]; what lies outside the matrix becomes zero. Of a diagonal tile
 * the lower triangle alone. */
QN_DEV void copy_tile(elem *to, int t, const matrix *m, int i, int j) {
#pragma unroll 2
  for (int e = t; e < NB * NB; e += THREADS) {
    const int r = ALONG_I ? e % NB : e / NB, c = ALONG_I ? e / NB : e % NB;
    const int row = i * NB + r, col = j * NB + c, valid = row < m->n && col <= row;
    const elem *from = m->a + (valid ? row * m->si + col * m->sj : 0);
    copy_async(to + r * RS + c, from, sizeof(elem), valid ? (int)sizeof(elem) : 0);
  }
}

QN_DEV void look(piece *v, const elem *tile, int t) {
  QN_UNROLL
  for (int u = 0; u < PIECES; u++)
    v[u] = load_shared_by_groups((const piece *)tile + t + u * THREADS);
}

/* The thread's pieces, once they are results, to shared memory. */
QN_DEV void await(elem *to, piece *v, const elem *tile, int t) {
  SPINS;
  QN_UNROLL
  for (int u = 0; u < PIECES; u++) {
    while (!IS_RESULT(v[u])) {
      SPIN;
      v[u] = load_shared_by_groups((const piece *)tile + t + u * THREADS);
    }
    ((piece *)to)[t + u * THREADS] = v[u];
  }
}

/* ---- arithmetic on tiles ---- */

/* sum += x y^H; the thread's rows and columns are TM places each. */
QN_DEV void update(acc (*sum)[TM], const elem *x, const elem *y, int tx, int ty) {
#pragma unroll 1
  for (int k = 0; k < NB; k += VW) {
    elem fx[TM][VW], fy[TM][VW];
    QN_UNROLL
    for (int r = 0; r < TM; r++) UNVEC(fx[r], 0, *(const vec *)(x + k * NB + (ty + 16 * r) * VW));
    QN_UNROLL
    for (int c = 0; c < TM; c++) UNVEC(fy[c], 0, *(const vec *)(y + k * NB + (tx + 16 * c) * VW));
    QN_UNROLL
    for (int v = 0; v < VW; v++) {
      QN_UNROLL
      for (int r = 0; r < TM; r++) {
        QN_UNROLL
        for (int c = 0; c < TM; c++) sum[r][c] = acc_fma(fx[r][v], acc_conj(fy[c][v]), sum[r][c]);
      }
    }
  }
}

QN_DEV void take_away(elem *tile, acc (*sum)[TM], int tx, int ty) {
  QN_UNROLL
  for (int r = 0; r < TM; r++) {
    QN_UNROLL
    for (int c = 0; c < TM; c++) {
      elem *at = tile + ROW_AT(ty + 16 * r) * RS + ROW_AT(tx + 16 * c);
      *at = acc_sub(*at, sum[r][c]);
      sum[r][c] = acc_zero();
    }
  }
}

/* [row][column] := itself times d^-H, row by row, as a tile to `to`, to `shared` and to A. */
QN_DEV void solve_tile(const elem *tile, const elem *d, const elem *inverse, int tame, elem *to,
                       elem *shared, const matrix *m, int i, int j, int warp, int lane) {
  const int q = lane % LQ;
  acc x[SETS][8];
  if (warp * CW >= NB) return;
  QN_UNROLL
  for (int c = 0; c < SETS; c++) {
    const int r = (c * WARPS + warp) * CW + lane / LQ;
    QN_UNROLL
    for (int s = 0; s < 8; s++) x[c][s] = tile[r * RS + 8 * q + s];
  }
  if (tame)
    substitute(x, lane, d, inverse, 1);
  else
    substitute(x, lane, d, inverse, 0);
  QN_UNROLL
  for (int c = 0; c < SETS; c++) {
    const int r = (c * WARPS + warp) * CW + lane / LQ, row = i * NB + r;
    QN_UNROLL
    for (int s = 0; s < 8; s += VW) {
      publish_run(shared + AT(r, 8 * q + s), &x[c][s], VW);
      QN_UNROLL
      for (int v = 0; v < VW; v++) to[AT(r, 8 * q + s + v)] = x[c][s + v];
    }
    QN_UNROLL
    for (int s = 0; s < 8; s++)
      if (row < m->n)
        m->a[row * m->si + (j * NB + 8 * q + s) * m->sj] = m->conj ? acc_conj(x[c][s]) : x[c][s];
  }
}

QN_DEV real real_part(acc x) {
#if QN_IS_COMPLEX
  return x.x;
#else
  return x;
#endif
}

QN_DEV acc times_real(acc x, real by) {
#if QN_IS_COMPLEX
  return acc_make(x.x * by, x.y * by);
#else
  return x * by;
#endif
}

/* The factor of the lower triangle in `tile`, [row][column], to `to` as a tile; eight columns at a
 * time. Each warp factors the 8 x 8 triangle and solves for all rows below it for itself, one row a
 * lane; then the columns to the right are spread over the warps. Returns how many columns had a
 * positive pivot. */
QN_DEV int factor(elem *tile, elem *to, int warp, int lane) {
  int good = NB;
#pragma unroll 1
  for (int p = 0; p < NB; p += 8) {
    acc d[8][8], own[RPL][8];
    real by[8];
    QN_UNROLL
    for (int s = 0; s < 8; s++) {
      QN_UNROLL
      for (int k = 0; k <= s; k++) d[s][k] = tile[(p + s) * RS + p + k];
    }
    QN_UNROLL
    for (int h = 0; h < RPL; h++) {
      QN_UNROLL
      for (int k = 0; k < 8; k++) own[h][k] = tile[(lane + 32 * h) * RS + p + k];
    }
    QN_UNROLL
    for (int k = 0; k < 8; k++) {
      const real pivot = real_part(d[k][k]);
      if (!(pivot > 0) && good == NB) good = p + k;
      by[k] = RSQRT(pivot);
      d[k][k] = acc_make(sqrt(pivot), 0);
      QN_UNROLL
      for (int s = k + 1; s < 8; s++) d[s][k] = times_real(d[s][k], by[k]);
      QN_UNROLL
      for (int c = k + 1; c < 8; c++) {
        QN_UNROLL
        for (int s = c; s < 8; s++) d[s][c] = acc_fnma(d[s][k], acc_conj(d[c][k]), d[s][c]);
      }
    }
    QN_UNROLL
    for (int h = 0; h < RPL; h++) {
      const int place = lane + 32 * h - p;
      QN_UNROLL
      for (int k = 0; k < 8; k++) {
        QN_UNROLL
        for (int j = 0; j < k; j++) own[h][k] = acc_fnma(own[h][j], acc_conj(d[k][j]), own[h][k]);
        own[h][k] = times_real(own[h][k], by[k]);
      }
      QN_UNROLL
      for (int s = 0; s < 8; s++) {
        QN_UNROLL
        for (int k = 0; k <= s; k++)
          if (place == s) own[h][k] = d[s][k];
      }
      if (warp == 0 && place >= 0) {
        QN_UNROLL
        for (int k = 0; k < 8; k++) to[AT(lane + 32 * h, p + k)] = own[h][k];
      }
    }
    for (int c = p + 8 + warp; c < NB; c += WARPS) {
      acc there[8];
      QN_UNROLL
      for (int k = 0; k < 8; k++) {
        acc mine = own[0][k];
#if RPL > 1
        if (c >= 32) mine = own[1][k];
#endif
        there[k] = acc_conj(from_lane(mine, c % 32));
      }
      QN_UNROLL
      for (int h = 0; h < RPL; h++) {
        const int row = lane + 32 * h;
        if (row < c) continue;
        acc v = tile[row * RS + c];
        QN_UNROLL
        for (int k = 0; k < 8; k++) v = acc_fnma(own[h][k], there[k], v);
        tile[row * RS + c] = v;
      }
    }
    QN_BARRIER();
  }
  return good;
}

/* ---- the walk ---- */

/* Which tile a ticket makes: row 0 is the first diagonal tile alone. */
QN_DEV void place_of(int ticket, int blocks, int *i, int *j) {
  *i = 0;
  *j = -1;
  if (ticket == 0) return;
  ticket--;
  int c = 0;
  while (ticket >= blocks - 1 - c) ticket -= blocks - 1 - c++;
  *i = c + 1 + ticket;
  *j = c;
}

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1,
                              RESIDENT) void potrf_walk(int n, qn_i64 first, QN_GLOBAL elem *a,
                                                        qn_i64 off_a, qn_i64 si, qn_i64 sj,
                                                        int conj_a, QN_GLOBAL qn_i64 *info,
                                                        QN_GLOBAL elem *shared, qn_i64 ticket) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, lane = t % 32;
  const int ty = lane % 8 + 8 * (warp % 2), tx = lane / 8 + 4 * (warp / 2);
  elem *const x = (elem *)memory, *const y = x + NB * NB, *const inverse = y + NB * NB;
  elem *const made = inverse + NB, *const diag = made + NB * RS;
  QN_LOCAL_VAR int taken, over;
  if (t == 0) {
    const qn_i64 before = *(volatile qn_i64 *)info;
    over = before != 0 && before <= first; /* a pivot of this launch has a larger index */
    taken = atomicAdd((int *)(shared + ticket), 1) + 1; /* it begins as all ones, too */
  }
  QN_BARRIER();
  if (over) return;
  const int blocks = (n + NB - 1) / NB;
  int i, j;
  place_of(taken, blocks, &i, &j);
  const int pair = i == j + 1;
  const matrix m = {n, a + off_a, si, sj, conj_a};

  if (j >= 0) copy_tile(made, t, &m, i, j);
  if (pair) copy_tile(diag, t, &m, i, i);
  copy_commit();
  acc sum[TM][TM], square[TM][TM];
  QN_UNROLL
  for (int r = 0; r < TM; r++) {
    QN_UNROLL
    for (int c = 0; c < TM; c++) sum[r][c] = square[r][c] = acc_zero();
  }

  piece nx[PIECES], ny[PIECES];
  if (j > 0) {
    look(nx, shared + tile_at(i, 0), t);
    look(ny, shared + tile_at(j, 0), t);
  }
#pragma unroll 1
  for (int k = 0; k < j; k++) {
    await(x, nx, shared + tile_at(i, k), t);
    await(y, ny, shared + tile_at(j, k), t);
    QN_BARRIER();
    if (k + 1 < j) {
      look(nx, shared + tile_at(i, k + 1), t);
      look(ny, shared + tile_at(j, k + 1), t);
    }
    update(sum, x, y, tx, ty);
    if (pair) update(square, x, x, tx, ty);
    QN_BARRIER();
  }

  copy_wait(0);
  QN_BARRIER();
#if QN_IS_COMPLEX
  if (conj_a) {
    for (int e = t; e < NB * RS; e += THREADS)
      made[e] = acc_conj(made[e]), diag[e] = acc_conj(diag[e]);
    QN_BARRIER();
  }
#endif
  if (j >= 0) {
    take_away(made, sum, tx, ty);
    look(ny, shared + tile_at(j, j), t);
    await(y, ny, shared + tile_at(j, j), t);
    QN_BARRIER();
    int wild = 0;
    if (t < NB) {
      inverse[t] = y[AT(t, t)];
      wild = !is_tame(inverse[t]);
    }
    const int tame = !__syncthreads_or(wild);
    if (tame && t < NB) inverse[t] = acc_div(acc_make(1, 0), inverse[t]);
    QN_BARRIER();
    solve_tile(made, y, inverse, tame, x, shared + tile_at(i, j), &m, i, j, warp, lane);
    if (!pair) return;
    QN_BARRIER();
    update(square, x, x, tx, ty);
  }
  take_away(diag, square, tx, ty);
  QN_BARRIER();
  if (t < NB && i * NB + t >= n) diag[t * RS + t] = acc_make(1, 0); /* rows that are not there */
  QN_BARRIER();
  const int good = factor(diag, y, warp, lane);
  QN_UNROLL
  for (int u = 0; u < PIECES; u++) {
    const int e = (t + u * THREADS) * VW;
    publish_run(shared + tile_at(i, i) + e, y + e, VW);
  }
  for (int e = t; e < NB * NB; e += THREADS) {
    const int r = ALONG_I ? e % NB : e / NB, c = ALONG_I ? e / NB : e % NB;
    if (r < c || c >= good || i * NB + r >= n) continue;
    const elem v = y[AT(r, c)];
    m.a[(i * NB + r) * si + (i * NB + c) * sj] = conj_a ? acc_conj(v) : v;
  }
  if (t == 0 && good < NB)
    atomicCAS((unsigned long long *)info, 0ull, (unsigned long long)(first + i * NB + good + 1));
}
