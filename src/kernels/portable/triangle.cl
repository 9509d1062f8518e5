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
 * A group of RHS items holds L and RHS columns in local memory, each item works on its own column:
 *
 *   l[p]: column p of L        x[i]: row i of the columns, one item a column, padded by one so that
 *   +----------+               +---+---+---+---+-+   items that move a column into place do not
 *   | 0 d . .  |  vec          | r0| r1| r2|...| |   meet in one bank
 *   +----------+               +---+---+---+---+-+
 *
 * Macros: QN_T (f32 and wider); NB (a multiple of BS), BS (rows that an item has in registers), RHS. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"

/* Lower triangle of a into l; above the diagonal and beyond nb zeros, diagonal ones beyond nb (and
 * for a unit triangle, whose stored diagonal is not read). */
QN_DEV void load_triangle(QN_LOCAL_PTR elem *l, int t, int nb, int unit, int conj_a,
                          QN_GLOBAL const elem *a, qn_i64 si, qn_i64 sj) {
  for (int s = t; s < NB * NB; s += RHS) {
    /* neighbouring items read neighbouring memory: along i or along j, whichever is contiguous */
    const int fast = s % NB, slow = s / NB;
    const int i = (si == 1 || si == -1) ? fast : slow, j = (si == 1 || si == -1) ? slow : fast;
    elem v = acc_zero();
    if (i == j && (unit || i >= nb)) {
      v = acc_make(1, 0);
    } else if (i < nb && j <= i) {
      v = a[i * si + j * sj];
      if (conj_a) v = acc_conj(v);
    }
    l[j * NB + i] = v;
  }
}

/* Moves nb rows of `cols` columns between b and x, scaled by alpha on the way in. */
QN_DEV void load_columns(QN_LOCAL_PTR elem *x, int t, int nb, int cols, elem alpha,
                         QN_GLOBAL const elem *b, qn_i64 bi, qn_i64 br) {
  for (int s = t; s < NB * RHS; s += RHS) {
    const int along_i = bi == 1 || bi == -1;
    const int i = along_i ? s % NB : s / RHS, r = along_i ? s / NB : s % RHS;
    elem v = acc_zero();
    if (i < nb && r < cols) v = acc_mul(alpha, b[i * bi + r * br]);
    x[i * (RHS + 1) + r] = v;
  }
}

QN_DEV void store_columns(QN_LOCAL_PTR const elem *x, int t, int nb, int cols,
                          QN_GLOBAL elem *b, qn_i64 bi, qn_i64 br) {
  for (int s = t; s < NB * RHS; s += RHS) {
    const int along_i = bi == 1 || bi == -1;
    const int i = along_i ? s % NB : s / RHS, r = along_i ? s / NB : s % RHS;
    if (i < nb && r < cols) b[i * bi + r * br] = x[i * (RHS + 1) + r];
  }
}
