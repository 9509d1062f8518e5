/* Solves L X = alpha B as textbooks do: a group for each right-hand side, one unknown after the
 * other, and each taken at once off all that follow. No blocks, no inverses, nothing kept near: the
 * triangle is read once for every right-hand side. What the blocked solve is measured against.
 *
 * L and the columns as triangle.cl has them, of any order.
 *
 * Macros: QN_T (f32 and wider); THREADS. Grid: x = nrhs. */
#include "portable/prelude.cl"
#include "portable/element.cl"

QN_KERNEL QN_WG_SIZE(THREADS, 1, 1) void trsm_columns(int n, qn_i64 nrhs, int unit, int conj_a,
                                                      elem alpha,
                                                      QN_GLOBAL const elem *QN_RESTRICT a,
                                                      qn_i64 off_a, qn_i64 si, qn_i64 sj,
                                                      QN_GLOBAL elem *QN_RESTRICT b, qn_i64 off_b,
                                                      qn_i64 bi, qn_i64 br) {
  QN_LOCAL_VAR elem solved;
  const int t = QN_LID(0);
  a += off_a;
  b += off_b + (qn_i64)QN_WGID(0) * br;
  for (int i = t; i < n; i += THREADS) b[i * bi] = acc_mul(alpha, b[i * bi]);
  for (int k = 0; k < n; k++) {
    QN_BARRIER_GLOBAL();
    if (t == 0) {
      const elem d = a[k * (si + sj)];
      const elem x = unit ? b[k * bi] : acc_div(b[k * bi], conj_a ? acc_conj(d) : d);
      b[k * bi] = x;
      solved = x;
    }
    QN_BARRIER_GLOBAL();
    const elem x = solved;
    for (int i = k + 1 + t; i < n; i += THREADS) {
      const elem l = a[i * si + k * sj];
      b[i * bi] = acc_fnma(conj_a ? acc_conj(l) : l, x, b[i * bi]);
    }
  }
}
