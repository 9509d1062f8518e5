/* C := alpha op(A) B for a small triangle and many columns in one launch; C may be B. A thread
 * block takes NC columns all the way: alpha B lies in shared memory, the tiles of A pass by.
 *
 * Macros and memory: as trsm_wide.cu. Grid: x = ceil(nrhs / NC). */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/substitute.cu"
#include "cuda/tiles.cu"
#include "cuda/columns.cu"

/* x := x - D b of the diagonal tile, of which the triangle counts alone. */
QN_DEV void take_diagonal(acc (*x)[8], const elem *d, const elem *b, int xs, int q, int unit) {
#pragma unroll 1
  for (int k = 0; k < NB; k += RUN) {
    elem l[8][RUN];
    read_run(l, d, q, k);
    QN_UNROLL
    for (int v = 0; v < RUN; v++) {
      QN_UNROLL
      for (int s = 0; s < 8; s++) {
        const int below = BACK ? k + v - 8 * q - s : 8 * q + s - k - v;
        if (unit && below == 0) l[s][v] = acc_make(1, 0);
        QN_UNROLL
        for (int c = 0; c < SETS; c++)
          if (below >= 0) x[c][s] = acc_fnma(l[s][v], b[c * xs + k + v], x[c][s]);
      }
    }
  }
}

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, FIT) void trmm_wide(
    int n, qn_i64 nrhs, int unit, elem alpha, QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 lda, QN_GLOBAL const elem *b, qn_i64 off_b, qn_i64 bi, qn_i64 br, QN_GLOBAL elem *c,
    qn_i64 off_c, qn_i64 ci, qn_i64 cr) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, lane = t % 32, q = lane % LQ;
  const int blocks = (n + NB - 1) / NB, xl = blocks * NB + VW;
  elem *const ring = (elem *)memory, *const xs = ring + STAGES * NB * NB;
  const triangle p = triangle_of(n, a + off_a, lda);
  const qn_i64 column = (qn_i64)QN_WGID(0) * NC;
  const int cols = nrhs - column < NC ? (int)(nrhs - column) : NC;
  load_columns(xs, xl, t, blocks * NB, n, cols, acc_mul(alpha, acc_make(-1, 0)),
               b + off_b + column * br, bi, br);

  next_tile ahead = {0, 0};
#pragma unroll 1
  for (int s = 0; s < STAGES - 1; s++)
    copy_next(ring + s * (NB * NB), &ahead, 1, blocks, &p, warp, lane);
  /* the lane's columns lie side by side, CW apart; the last block first, for it is needed by no
   * other */
  elem *const own = xs + (warp * SETS * CW + lane / LQ) * xl;
  acc x[SETS][8];
  int i = blocks - 1, j = 0;
#pragma unroll 1
  for (int tile = 0; tile < blocks * (blocks + 1) / 2; tile++) {
    copy_wait(STAGES - 2);
    QN_BARRIER();
    copy_next(ring + (tile + STAGES - 1) % STAGES * (NB * NB), &ahead, 1, blocks, &p, warp, lane);
    const elem *const now = ring + tile % STAGES * (NB * NB);
    if (j == 0) {
      QN_UNROLL
      for (int k = 0; k < SETS; k++) {
        QN_UNROLL
        for (int s = 0; s < 8; s++) x[k][s] = acc_zero();
      }
    }
    if (j < i) {
      take_tile(x, now, own + FIRST_ROW(j), CW * xl, lane);
      j++;
      continue;
    }
    take_diagonal(x, now, own + FIRST_ROW(i), CW * xl, q, unit);
    __syncwarp();
    QN_UNROLL
    for (int k = 0; k < SETS; k++) {
      QN_UNROLL
      for (int s = 0; s < 8; s++) own[k * CW * xl + FIRST_ROW(i) + 8 * q + s] = x[k][s];
    }
    __syncwarp();
    i--;
    j = 0;
  }
  QN_BARRIER();
  store_columns(xs, xl, t, n, cols, c + off_c + column * cr, ci, cr);
}
