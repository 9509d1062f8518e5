/* The inverses of all diagonal blocks of a triangle, for the base blocks of a solve
 * (trsm_tensor.cu).
 *
 * Macros: those of trsm_inverse.cu; QN_SM >= 90. Grid: x, a warp a block, WARPS a group. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/async.cu"
#include "cuda/trsm_inverse.cu"

#define WARPS 4

QN_KERNEL __launch_bounds__(32 * WARPS, 1) void trsm_invert(int n, int unit,
                                                            const elem *QN_RESTRICT a, qn_i64 off_a,
                                                            qn_i64 lda, double *kept) {
  QN_LOCAL_VAR pair memory[WARPS * INVERSE / 2];
  const int warp = QN_LID(0) / 32, lane = QN_LID(0) % 32, block = QN_WGID(0) * WARPS + warp;
  double *const v = (double *)memory + warp * INVERSE;
  const triangle p = {a + off_a, lda, n, unit, 0};
  launch_wait();
  if (block * NB < n) {
    double *const to = kept + (qn_i64)block * KEPT;
    const int fine = invert_block(v, &p, block * NB, lane);
    QN_UNROLL
    for (int e = 2 * lane; e < INVERSE; e += 64) *(pair *)(to + e) = *(const pair *)(v + e);
    if (lane == 0) to[INVERSE] = fine;
  }
  launch_next();
}
