/* What the triangular base blocks share: the canonical form and the way their operands reach local
 * memory.
 *
 * Every case of side, uplo and trans is one case here: a lower triangle L of order nb <= NB applied
 * to columns x of nb unknowns. The host gives signed strides from the first element of each,
 *
 *   L(i, j) = a[off_a + i * si + j * sj], conjugated if conj_a        (i >= j)
 *   x(i, r) = b[off_b + i * bi + r * br]                              (column r)
 *
 * so that an upper triangle is walked from its last element with negative strides and a right-hand
 * side matrix on the left of A by its rows.
 *
 * A group holds L and RHS columns in local memory. All THREADS items move them, BATCH loads in
 * flight at a time; then the first RHS items work, each on its own column:
 *
 *   l[p]: column p of L        x[i]: row i of the columns, one item a column, padded by one so that
 *   +----------+               +---+---+---+---+-+   items that move a column into place do not
 *   | 0 d . .  |  vec          | r0| r1| r2|...| |   meet in one bank
 *   +----------+               +---+---+---+---+-+
 *
 * Macros: QN_T (f32 and wider); NB (a multiple of BS), BS (rows that an item has in registers),
 * RHS, THREADS. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"

#define BATCH 8

#ifndef BLOCKS /* wide.cl has its own way */
/* Lower triangle of a into l; above the diagonal and beyond nb zeros, diagonal ones beyond nb (and
 * for a unit triangle, whose stored diagonal is not read). */
QN_DEV elem triangle_at(int i, int j, int nb, int unit, int conj_a, QN_GLOBAL const elem *a,
                        qn_i64 si, qn_i64 sj) {
  if (i == j && (unit || i >= nb)) return acc_make(1, 0);
  if (i >= nb || j > i) return acc_zero();
  const elem v = a[i * si + j * sj];
  return conj_a ? acc_conj(v) : v;
}

QN_DEV void load_triangle(QN_LOCAL_PTR elem *l, int t, int nb, int unit, int conj_a,
                          QN_GLOBAL const elem *a, qn_i64 si, qn_i64 sj) {
  /* neighbouring items read neighbouring memory: along i or along j, whichever is contiguous */
  const int along_i = si == 1 || si == -1;
  for (int s0 = t; s0 < NB * NB; s0 += BATCH * THREADS) {
    elem v[BATCH];
    QN_UNROLL
    for (int u = 0; u < BATCH; u++) {
      const int s = s0 + u * THREADS, i = along_i ? s % NB : s / NB, j = along_i ? s / NB : s % NB;
      v[u] = triangle_at(i, j, nb, unit, conj_a, a, si, sj);
    }
    QN_UNROLL
    for (int u = 0; u < BATCH; u++) {
      const int s = s0 + u * THREADS, i = along_i ? s % NB : s / NB, j = along_i ? s / NB : s % NB;
      if (s < NB * NB) l[j * NB + i] = v[u];
    }
  }
}

#endif

/* Moves nb rows of `cols` columns between b and x, scaled by alpha on the way in. */
QN_DEV void load_columns(QN_LOCAL_PTR elem *x, int t, int nb, int cols, elem alpha,
                         QN_GLOBAL const elem *b, qn_i64 bi, qn_i64 br) {
  const int along_i = bi == 1 || bi == -1;
  for (int s0 = t; s0 < NB * RHS; s0 += BATCH * THREADS) {
    elem v[BATCH];
    QN_UNROLL
    for (int u = 0; u < BATCH; u++) {
      const int s = s0 + u * THREADS, i = along_i ? s % NB : s / RHS,
                r = along_i ? s / NB : s % RHS;
      v[u] = i < nb && r < cols ? b[i * bi + r * br] : acc_zero();
    }
    QN_UNROLL
    for (int u = 0; u < BATCH; u++) {
      const int s = s0 + u * THREADS, i = along_i ? s % NB : s / RHS,
                r = along_i ? s / NB : s % RHS;
      if (s < NB * RHS) x[i * (RHS + 1) + r] = i < nb ? acc_mul(alpha, v[u]) : acc_zero();
    }
  }
}

QN_DEV void store_columns(QN_LOCAL_PTR const elem *x, int t, int nb, int cols, QN_GLOBAL elem *b,
                          qn_i64 bi, qn_i64 br) {
  const int along_i = bi == 1 || bi == -1;
  for (int s = t; s < NB * RHS; s += THREADS) {
    const int i = along_i ? s % NB : s / RHS, r = along_i ? s / NB : s % RHS;
    if (i < nb && r < cols) b[i * bi + r * br] = x[i * (RHS + 1) + r];
  }
}
