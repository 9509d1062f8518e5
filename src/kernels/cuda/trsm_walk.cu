/* Solves op(A) X = alpha B for a triangle of any order and few right-hand sides in one launch, by
 * substitution. A thread block makes one block of NB rows of X for a group of NC columns:
 *
 *      +----+                      X_i := D^-1 (alpha B_i - sum over j < i of T_j X_j)
 *      | D  |
 *      +----+----+                 The tiles T_j of its row are summed as X_j comes, each warp on
 * its | T0 | D  |                 own KS unknowns of every tile: it copies its slice of the tile
 *      +----+----+----+            ahead of time, waits for its slice of X_j alone, and adds to
 * sums of i | T0 | T1 | D  |            all NB rows. Then the warps' sums are added, in a fixed
 * order. The
 *      +----+----+----+            tile next to D waits for the block before this one: on that way
 *                                  through all blocks lie one wait, one tile, one substitution, no
 *                                  barrier, each warp with its own columns.
 *
 * X travels through `shared` (exchange.cu). Work is taken by an integer ticket, rows in the order
 * of the solve, so that whoever waits, waits for smaller tickets, which others have begun: no order
 * and no number of resident blocks is assumed. Every sum has a fixed order: bits do not depend on
 * timing.
 *
 * Shared memory:
 *   ring    [WARPS][STAGES] slices on their way; then the sums of the warps, [NC][NB] each
 *   diag, last  D and the tile next to it
 *   inverse 1 / d
 *   rhs     [NC][NB] alpha B_i
 *   xs      [NB][XS] slices of X_j, a warp its own
 *   xl      [NC][XL] X_i-1
 *
 * Macros: QN_T (f32 and wider); TRANS: op(A)(i, k) is contiguous along 0 i, 1 k; BACK: from the
 * last row up; CONJ; NB NC WARPS STAGES RESIDENT; SETS, columns of a lane that substitutes. Grid:
 * one thread block a ticket. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/exchange.cu"
#include "cuda/substitute.cu"
#include "cuda/tiles.cu"

#include "cuda/slices.cu"

#define XL    (NB + VW)
#define CW    (32 / LQ) /* columns that a warp substitutes, SETS times */
#define MINE  (SETS * CW)
#define SUBST (NC / MINE)           /* warps that do */
#define WHOLE (MINE * NB / VW / 32) /* a lane's pieces of the warp's columns of X_j, whole */

/* Waits for the warp's columns of X_j and puts them to `to`, [column][XL]. */
QN_DEV void await_columns(elem *to, const elem *x, int lane) {
  SPINS;
  QN_UNROLL
  for (int u = 0; u < WHOLE; u++) {
    const int q = (lane + 32 * u) * VW;
    piece v = load_shared_by_groups((const piece *)(x + q));
    while (!IS_RESULT(v)) {
      SPIN;
      v = load_shared_by_groups((const piece *)(x + q));
    }
    *(piece *)(to + q / NB * XL + q % NB) = v;
  }
  __syncwarp();
}

/* ---- the walk ---- */

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, FIT) void trsm_walk(
    int n, qn_i64 nrhs, int unit, elem alpha, QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 lda, QN_GLOBAL elem *b, qn_i64 off_b, qn_i64 bi, qn_i64 br, int groups,
    QN_GLOBAL elem *shared, qn_i64 ticket) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, lane = t % 32;
  elem *const sums = (elem *)memory, *const ring = sums + warp * (STAGES * SLICE);
  elem *const diag = sums + STAGES * NB * NB, *const last = diag + NB * NB;
  elem *const inverse = last + NB * NB, *const rhs = inverse + NB;
  elem *const xs = rhs + NC * NB + warp * (KS * XS), *const xl = rhs + NC * NB + NB * XS;
  QN_LOCAL_VAR int taken;
  if (t == 0) taken = atomicAdd((int *)(shared + ticket), 1) + 1; /* it begins as all ones, too */
  QN_BARRIER();

  const int blocks = (n + NB - 1) / NB, group = taken % groups, i = taken / groups;
  const triangle p = triangle_of(n, a + off_a, lda);
  const qn_i64 column = (qn_i64)group * NC;
  const int cols = nrhs - column < NC ? (int)(nrhs - column) : NC;
  b += off_b + column * br;
  shared += (qn_i64)group * blocks * (NC * NB);

  const int row0 = FIRST_ROW(i),
            tiles = i - 1; /* the tile next to the diagonal is not among them */
  copy_part(diag, warp, lane, &p, row0, row0);
  if (i > 0) copy_part(last, warp, lane, &p, row0, FIRST_ROW(i - 1));
  start_row(ring, &p, blocks, row0, tiles, warp, lane);
  for (int e = t; e < NC * NB; e += THREADS) {
    const int r = bi == 1 ? e % NB : e / NC, c = bi == 1 ? e / NB : e % NC;
    rhs[c * NB + PLACE_OF_ROW(r)] =
        row0 + r < n && c < cols ? acc_mul(alpha, b[(row0 + r) * bi + c * br]) : acc_zero();
  }

  acc sum[4][TC];
  sum_row(sum, ring, xs, shared + warp * KS, &p, blocks, row0, tiles, warp, lane);
  copy_wait(0);
  put_sums(ring, sum, lane);
  QN_BARRIER();
  const int tame = invert_diagonal(inverse, diag, t, row0, n, unit);
  if (warp >= SUBST) return;

  const int q = lane % LQ, c = warp * MINE + lane / LQ; /* and every CW columns on */
  acc x[SETS][8];
  QN_UNROLL
  for (int k = 0; k < SETS; k++) {
    QN_UNROLL
    for (int s = 0; s < 8; s++) {
      const int at = (c + k * CW) * NB + PLACE_OF(q, s);
      x[k][s] = acc_sub(rhs[at], whole_sum(sums, at));
    }
  }
  if (i > 0) {
    await_columns(xl + warp * (MINE * XL), shared + ((qn_i64)(i - 1) * NC + warp * MINE) * NB,
                  lane);
    take_tile(x, last, xl + c * XL, CW * XL, lane);
  }
  QN_UNROLL
  for (int k = 0; k < SETS; k++) {
    QN_UNROLL
    for (int s = 0; s < 8; s++)
      if (row0 + 8 * q + s >= n) x[k][s] = acc_zero(); /* which zero times Inf is not */
  }
  if (tame)
    substitute(x, lane, diag, inverse, 1);
  else
    substitute(x, lane, diag, inverse, 0);
  QN_UNROLL
  for (int k = 0; k < SETS; k++)
    publish_run(shared + ((qn_i64)i * NC + c + k * CW) * NB + 8 * q, x[k], 8);
  QN_UNROLL
  for (int k = 0; k < SETS; k++) {
    QN_UNROLL
    for (int s = 0; s < 8; s++) {
      const int r = row0 + 8 * q + s, at = c + k * CW;
      if (r < n && at < cols) b[r * bi + at * br] = x[k][s];
    }
  }
}
