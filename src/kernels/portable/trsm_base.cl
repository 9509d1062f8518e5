/* Solves L X = alpha B for a block of at most NB unknowns by substitution, in place, one launch for
 * any number of right-hand sides (triangle.cl has the canonical form and the layout).
 *
 * The columns are walked in steps of BS rows: an item first takes from its BS rows what the solved
 * part above gives (left-looking: BS products for one read of x and BS/VW of L, the same for all
 * items), then substitutes inside the BS x BS triangle in registers. Divisions are divisions: a
 * reciprocal would overflow where b / d does not.
 *
 * Grid: x = ceil(nrhs / RHS). */
#include "portable/triangle.cl"

/* One column, by one item. */
QN_DEV void solve_column(int t, int nb, int unit, QN_LOCAL_PTR const vec (*l)[NB / VW],
                         QN_LOCAL_PTR elem (*x)[RHS + 1]) {
  for (int i0 = 0; i0 < nb; i0 += BS) {
    elem v[BS], col[BS];
    QN_UNROLL for (int i = 0; i < BS; i++) v[i] = x[i0 + i][t];
    for (int p = 0; p < i0; p++) {
      const elem xp = x[p][t];
      QN_UNROLL for (int g = 0; g < BS / VW; g++) UNVEC(col, g * VW, l[p][i0 / VW + g]);
      QN_UNROLL for (int i = 0; i < BS; i++) v[i] = acc_fnma(col[i], xp, v[i]);
    }
    QN_UNROLL for (int j = 0; j < BS; j++) {
      QN_UNROLL for (int g = j / VW; g < BS / VW; g++) UNVEC(col, g * VW, l[i0 + j][i0 / VW + g]);
      if (!unit) v[j] = acc_div(v[j], col[j]);
      QN_UNROLL for (int i = j + 1; i < BS; i++) v[i] = acc_fnma(col[i], v[j], v[i]);
      x[i0 + j][t] = v[j];
    }
  }
}

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, 4) void
trsm_base(int nb, qn_i64 nrhs, int unit, int conj_a, elem alpha,
          QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a, qn_i64 si, qn_i64 sj,
          QN_GLOBAL elem *QN_RESTRICT b, qn_i64 off_b, qn_i64 bi, qn_i64 br) {
  QN_LOCAL_VAR vec l[NB][NB / VW];
  QN_LOCAL_VAR elem x[NB][RHS + 1];
  const int t = QN_LID(0);
  const qn_i64 r0 = (qn_i64)QN_WGID(0) * RHS;
  const int cols = nrhs - r0 < RHS ? (int)(nrhs - r0) : RHS;
  load_triangle((QN_LOCAL_PTR elem *)l[0], t, nb, unit, conj_a, a + off_a, si, sj);
  load_columns(x[0], t, nb, cols, alpha, b + off_b + r0 * br, bi, br);
  QN_BARRIER();

  if (t < RHS) solve_column(t, nb, unit, l, x);
  QN_BARRIER();
  store_columns(x[0], t, nb, cols, b + off_b + r0 * br, bi, br);
}
