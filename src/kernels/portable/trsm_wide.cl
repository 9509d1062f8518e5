/* Solves L X = alpha B for up to BLOCKS NB unknowns by substitution, in place, one launch for any
 * number of right-hand sides (triangle.cl has the canonical form, wide.cl the layout).
 *
 *   for each block of rows i:  v := alpha B_i            in registers
 *     for each tile j < i:     v := v - L_ij X_j         all items
 *     X_i := L_ii^-1 v         BS rows at a time: an item a column solves them, then all items
 *                              take them from the rows below
 *
 * Grid: x = ceil(nrhs / RHS). */
#define MULTIPLY_ADD acc_fnma
#include "portable/wide.cl"
#include "portable/tame.cl"

/* Rows r0 ... r0 + BS - 1 of column t, in registers and by reciprocals. */
QN_DEV void solve_rows(int t, int r0, QN_LOCAL_PTR const vec (*l)[LW],
                       QN_LOCAL_PTR const elem *inverse, QN_LOCAL_PTR elem (*x)[RHS + 1]) {
  elem v[BS], col[BS];
  QN_UNROLL
  for (int i = 0; i < BS; i++) v[i] = x[r0 + i][t];
  QN_UNROLL
  for (int j = 0; j < BS; j++) {
    QN_UNROLL
    for (int g = j / VW; g < BS / VW; g++) UNVEC(col, g * VW, l[r0 + j][r0 / VW + g]);
    v[j] = acc_mul(v[j], inverse[r0 + j]);
    QN_UNROLL
    for (int i = j + 1; i < BS; i++) v[i] = acc_fnma(col[i], v[j], v[i]);
    x[r0 + j][t] = v[j];
  }
}

/* The same by divisions: a reciprocal would overflow where b / d does not. */
QN_DEV void divide_rows(int t, int r0, QN_LOCAL_PTR const vec (*l)[LW],
                        QN_LOCAL_PTR elem (*x)[RHS + 1]) {
  for (int j = r0; j < r0 + BS; j++) {
    QN_LOCAL_PTR const elem *col = (QN_LOCAL_PTR const elem *)l[j];
    const elem v = acc_div(x[j][t], col[j]);
    x[j][t] = v;
    for (int i = j + 1; i < r0 + BS; i++) x[i][t] = acc_fnma(col[i], v, x[i][t]);
  }
}

QN_KERNEL QN_WG_SIZE(THREADS, 1, 1) void trsm_wide(int n, qn_i64 nrhs, int unit, int conj_a,
                                                   elem alpha, QN_GLOBAL const elem *QN_RESTRICT a,
                                                   qn_i64 off_a, qn_i64 si, qn_i64 sj,
                                                   QN_GLOBAL elem *QN_RESTRICT b, qn_i64 off_b,
                                                   qn_i64 bi, qn_i64 br) {
  QN_LOCAL_VAR vec l[NB][LW];
  QN_LOCAL_VAR elem x[BLOCKS * NB][RHS + 1];
  QN_LOCAL_VAR elem inverse[NB];
  QN_LOCAL_VAR int wild; /* the last block on whose diagonal a reciprocal would not do, from 1 */
  const int t = QN_LID(0), blocks = (n + NB - 1) / NB;
  const qn_i64 r0 = (qn_i64)QN_WGID(0) * RHS;
  const int cols = nrhs - r0 < RHS ? (int)(nrhs - r0) : RHS;
  a += off_a;
  b += off_b + r0 * br;
  const share own = share_of(t, si);
  elem ahead[PER], v[CW][VW];
  fetch_tile(ahead, own, 0, 0, n, unit, conj_a, a, si, sj);
  for (int i = 0; i < blocks; i++)
    load_columns(x[i * NB], t, QN_MIN(n - i * NB, NB), cols, alpha, b + i * NB * bi, bi, br);
  if (t == 0) wild = 0;

  for (int i = 0; i < blocks; i++) {
    for (int j = 0;; j++) {
      QN_BARRIER();
      keep_tile((QN_LOCAL_PTR elem *)l[0], ahead, own);
      QN_BARRIER();
      const int next_i = j < i ? i : i + 1, next_j = j < i ? j + 1 : 0;
      if (next_i < blocks) fetch_tile(ahead, own, next_i, next_j, n, unit, conj_a, a, si, sj);
      if (j == 0) read_part(v, t, x + i * NB);
      if (j == i) break;
      for (int p = 0; p < NB; p += BS) add_columns(v, t, p, l, x + j * NB);
    }
    QN_LOCAL_PTR elem(*xi)[RHS + 1] = x + i * NB;
    if (t < NB) {
      const elem d = ((QN_LOCAL_PTR const elem *)l[t])[t];
      inverse[t] = acc_div(acc_make(1, 0), d);
      if (!is_tame(d)) wild = i + 1;
    }
    for (int s = 0; s < NB; s += BS) {
      const int row = t % ROWS * VW;
      if (row >= s && row < s + BS) write_part(v, t, xi);
      QN_BARRIER();
      if (t < RHS && wild != i + 1) solve_rows(t, s, l, inverse, xi);
      if (t < RHS && wild == i + 1) divide_rows(t, s, l, xi);
      QN_BARRIER();
      if (row >= s + BS) add_columns(v, t, s, l, xi);
    }
  }
  QN_BARRIER();
  for (int i = 0; i < blocks; i++)
    store_columns(x[i * NB], t, n - i * NB, cols, b + i * NB * bi, bi, br);
}
