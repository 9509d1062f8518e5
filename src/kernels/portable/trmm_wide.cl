/* B := alpha L B for up to BLOCKS NB rows, in place, one launch for any number of columns
 * (triangle.cl has the canonical form, wide.cl the layout).
 *
 * From the last block of rows up, so that what is still needed is not yet overwritten. Each sum
 * runs over exactly the elements of the triangle: a zero above the diagonal never meets an Inf of
 * B.
 *
 * Grid: x = ceil(nrhs / RHS). */
#define MULTIPLY_ADD acc_fma
#include "portable/wide.cl"

/* Of the tile on the diagonal the lower triangle alone. */
QN_DEV void add_diagonal(elem (*v)[VW], int t, QN_LOCAL_PTR const vec (*l)[LW],
                         QN_LOCAL_PTR elem (*x)[RHS + 1]) {
  const int row = t % ROWS * VW;
  for (int p = 0; p < row + VW; p++) {
    elem col[VW];
    UNVEC(col, 0, l[p][t % ROWS]);
    QN_UNROLL
    for (int u = 0; u < CW; u++) {
      const elem xp = x[p][t / ROWS + u * COLS];
      QN_UNROLL
      for (int i = 0; i < VW; i++)
        if (row + i >= p) v[u][i] = acc_fma(col[i], xp, v[u][i]);
    }
  }
}

QN_KERNEL QN_WG_SIZE(THREADS, 1, 1) void trmm_wide(int n, qn_i64 nrhs, int unit, int conj_a,
                                                   elem alpha, QN_GLOBAL const elem *QN_RESTRICT a,
                                                   qn_i64 off_a, qn_i64 si, qn_i64 sj,
                                                   QN_GLOBAL elem *QN_RESTRICT b, qn_i64 off_b,
                                                   qn_i64 bi, qn_i64 br) {
  QN_LOCAL_VAR vec l[NB][LW];
  QN_LOCAL_VAR elem x[BLOCKS * NB][RHS + 1];
  const int t = QN_LID(0), last = (n + NB - 1) / NB - 1;
  const qn_i64 r0 = (qn_i64)QN_WGID(0) * RHS;
  const int cols = nrhs - r0 < RHS ? (int)(nrhs - r0) : RHS;
  a += off_a;
  b += off_b + r0 * br;
  const share own = share_of(t, si);
  elem ahead[PER], v[CW][VW];
  fetch_tile(ahead, own, last, 0, n, unit, conj_a, a, si, sj);
  for (int i = 0; i <= last; i++)
    load_columns(x[i * NB], t, QN_MIN(n - i * NB, NB), cols, alpha, b + i * NB * bi, bi, br);

  for (int i = last; i >= 0; i--) {
    QN_UNROLL
    for (int u = 0; u < CW; u++) {
      QN_UNROLL
      for (int k = 0; k < VW; k++) v[u][k] = acc_zero();
    }
    for (int j = 0;; j++) {
      QN_BARRIER();
      keep_tile((QN_LOCAL_PTR elem *)l[0], ahead, own);
      QN_BARRIER();
      const int next_i = j < i ? i : i - 1, next_j = j < i ? j + 1 : 0;
      if (next_i >= 0) fetch_tile(ahead, own, next_i, next_j, n, unit, conj_a, a, si, sj);
      if (j == i) break;
      for (int p = 0; p < NB; p += BS) add_columns(v, t, p, l, x + j * NB);
    }
    add_diagonal(v, t, l, x + i * NB);
    QN_BARRIER();
    write_part(v, t, x + i * NB);
  }
  QN_BARRIER();
  for (int i = 0; i <= last; i++)
    store_columns(x[i * NB], t, n - i * NB, cols, b + i * NB * bi, bi, br);
}
