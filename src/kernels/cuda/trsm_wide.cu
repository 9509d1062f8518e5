/* Solves op(A) X = alpha B for a small triangle and many right-hand sides in one launch, by
 * substitution: a thread block takes NC columns all the way, X stays in shared memory, nothing is
 * shared between blocks.
 *
 *   for each block of NB rows i:  x := alpha B_i
 *     for each tile j < i:        x := x - T_ij X_j         all warps on one tile, each its columns
 *     x := D_i^-1 x
 *
 * Tiles come in the order in which they are needed, STAGES - 1 ahead; one barrier a tile.
 *
 * Shared memory: ring [STAGES] tiles; 1 / d; X [NC][XL], XL a little more than the order.
 *
 * Macros: as trsm_walk.cu; SETS columns of a lane. NC is WARPS * SETS * (32 / LQ).
 * Grid: x = ceil(nrhs / NC). */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/substitute.cu"
#include "cuda/tiles.cu"
#include "cuda/columns.cu"

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, FIT) void trsm_wide(
    int n, qn_i64 nrhs, int unit, elem alpha, QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 lda, QN_GLOBAL elem *b, qn_i64 off_b, qn_i64 bi, qn_i64 br) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, lane = t % 32, q = lane % LQ;
  const int blocks = (n + NB - 1) / NB, xl = blocks * NB + VW;
  elem *const ring = (elem *)memory, *const inverse = ring + STAGES * NB * NB;
  elem *const xs = inverse + NB;
  const triangle p = triangle_of(n, a + off_a, lda);
  const qn_i64 column = (qn_i64)QN_WGID(0) * NC;
  const int cols = nrhs - column < NC ? (int)(nrhs - column) : NC;
  b += off_b + column * br;

  load_columns(xs, xl, t, blocks * NB, n, cols, alpha, b, bi, br);

  next_tile ahead = {0, 0};
#pragma unroll 1
  for (int s = 0; s < STAGES - 1; s++)
    copy_next(ring + s * (NB * NB), &ahead, 0, blocks, &p, warp, lane);

  /* the lane's columns lie side by side, CW apart */
  elem *const own = xs + (warp * SETS * CW + lane / LQ) * xl;
  acc x[SETS][8];
  int i = 0, j = 0;
#pragma unroll 1
  for (int tile = 0; tile < blocks * (blocks + 1) / 2; tile++) {
    const int row0 = FIRST_ROW(i);
    copy_wait(STAGES - 2);
    QN_BARRIER();
    copy_next(ring + (tile + STAGES - 1) % STAGES * (NB * NB), &ahead, 0, blocks, &p, warp, lane);
    const elem *const now = ring + tile % STAGES * (NB * NB);
    if (j == 0) {
      QN_UNROLL
      for (int c = 0; c < SETS; c++) {
        QN_UNROLL
        for (int s = 0; s < 8; s++) x[c][s] = own[c * CW * xl + row0 + 8 * q + s];
      }
    }
    if (j < i) {
      take_tile(x, now, own + FIRST_ROW(j), CW * xl, lane);
      j++;
      continue;
    }
    const int tame = invert_diagonal(inverse, now, t, row0, n, unit);
    QN_UNROLL
    for (int c = 0; c < SETS; c++) {
      QN_UNROLL
      for (int s = 0; s < 8; s++)
        if (row0 + 8 * q + s >= n) x[c][s] = acc_zero(); /* which zero times Inf is not */
    }
    if (tame)
      substitute(x, lane, now, inverse, 1);
    else
      substitute(x, lane, now, inverse, 0);
    QN_UNROLL
    for (int c = 0; c < SETS; c++) {
      QN_UNROLL
      for (int s = 0; s < 8; s++) own[c * CW * xl + row0 + 8 * q + s] = x[c][s];
    }
    __syncwarp();
    i++;
    j = 0;
  }

  QN_BARRIER();
  store_columns(xs, xl, t, n, cols, b, bi, br);
}
