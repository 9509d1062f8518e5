/* C := alpha op(A) B for a triangle of any order and few columns in one launch; C may be B.
 *
 *      +----+                      C_i := D (alpha B_i) + sum over j < i of T_j (alpha B_j)
 *      | D  |
 *      +----+----+                 A thread block first publishes its own block of alpha B, then
 * sums | T0 | D  |                 the tiles of its row as the others come: as trsm_walk.cu, but
 * that
 *      +----+----+----+            nobody waits for more than the first step of another. B_i is
 * read i | T0 | T1 | D  |            by its own thread block alone, so C_i may take its place.
 *      +----+----+----+
 *
 * Macros and memory: as trsm_walk.cu. Grid: one thread block a ticket. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/exchange.cu"
#include "cuda/substitute.cu"
#include "cuda/tiles.cu"
#include "cuda/slices.cu"

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, FIT) void trmm_walk(
    int n, qn_i64 nrhs, int unit, elem alpha, QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 lda, QN_GLOBAL const elem *b, qn_i64 off_b, qn_i64 bi, qn_i64 br, QN_GLOBAL elem *c,
    qn_i64 off_c, qn_i64 ci, qn_i64 cr, int groups, QN_GLOBAL elem *shared, qn_i64 ticket) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0), warp = t / 32, lane = t % 32;
  elem *const sums = (elem *)memory, *const ring = sums + warp * (STAGES * SLICE);
  elem *const diag = sums + STAGES * NB * NB, *const xs = diag + NB * NB + warp * (KS * XS);
  QN_LOCAL_VAR int taken;
  if (t == 0) taken = atomicAdd((int *)(shared + ticket), 1) + 1; /* it begins as all ones, too */
  QN_BARRIER();

  const int blocks = (n + NB - 1) / NB, group = taken % groups, i = taken / groups;
  const triangle p = triangle_of(n, a + off_a, lda);
  const qn_i64 column = (qn_i64)group * NC;
  const int cols = nrhs - column < NC ? (int)(nrhs - column) : NC, row0 = FIRST_ROW(i);
  b += off_b + column * br;
  c += off_c + column * cr;
  shared += (qn_i64)group * blocks * (NC * NB);

  copy_part(diag, warp, lane, &p, row0, row0);
  start_row(ring, &p, blocks, row0, i, warp, lane);
  for (int e = t; e < NC * NB / VW; e += THREADS) {
    elem x[VW];
    const int r = bi == 1 ? e % (NB / VW) * VW : e / NC * VW, k = bi == 1 ? e / (NB / VW) : e % NC;
    QN_UNROLL
    for (int v = 0; v < VW; v++)
      x[v] = row0 + r + v < n && k < cols ? acc_mul(alpha, b[(row0 + r + v) * bi + k * br])
                                          : acc_zero();
    publish_run(shared + ((qn_i64)i * NC + k) * NB + r, x, VW);
  }

  acc sum[4][TC];
  sum_row(sum, ring, xs, shared + warp * KS, &p, blocks, row0, i, warp, lane);
  copy_wait(0);
  piece own[POLLS];
  const elem *mine = shared + (qn_i64)i * (NC * NB) + warp * KS;
  look(own, mine, lane);
  await(xs, own, mine, lane);
  __syncwarp();
  multiply(sum, diag + warp * SLICE, xs, lane, 1, warp * KS, unit);
  put_sums(ring, sum, lane);
  QN_BARRIER();
  for (int e = t; e < NC * NB; e += THREADS) {
    const int r = ci == 1 ? e % NB : e / NC, k = ci == 1 ? e / NB : e % NC;
    if (row0 + r < n && k < cols)
      c[(row0 + r) * ci + k * cr] = whole_sum(sums, k * NB + PLACE_OF_ROW(r));
  }
}
