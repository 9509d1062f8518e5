/* The diagonal block D of trsm_thin.cu by substitution, in shared memory as [k][row] with columns
 * LD long: a warp has two columns at most and solves for eight unknowns at a time, all of whose
 * right sides each lane gets from two lanes, and takes them from its four rows. */

#define OWN (NC == 1 ? 1 : 2) /* columns of a warp that substitutes */

/* A thread's elements of D are (r0 + ROW_OF(u), k0 + COL_OF(u)). */
#define EACH      (NB * NB / THREADS)
#define FIRST_ROW (TRANS ? t / 8 : t % NB)
#define FIRST_COL (TRANS ? t % 8 : t / NB)
#define ROW_OF(u) (TRANS ? (u) % 4 * 32 : 0)
#define ROWS_OF   (TRANS ? 4 : 1)
#define COL_OF(u) (TRANS ? (u) / 4 * 8 : (u) * (THREADS / NB))

QN_DEV void copy_diagonal(elem *to, const triangle *p, int row0, int t) {
  const int r0 = FIRST_ROW, k0 = FIRST_COL;
  const elem *from = p->a + (row0 + r0) * SI + (row0 + k0) * SJ;
  to += k0 * LD + r0;
#pragma unroll 16
  for (int u = 0; u < EACH; u++) {
    const int r = ROW_OF(u), k = COL_OF(u);
    const int there = k0 + k <= r0 + r && row0 + r0 + r < p->n;
    copy_async(to + k * LD + r, there ? from + r * SI + k * SJ : p->a, sizeof(elem),
               there * (int)sizeof(elem));
  }
  copy_commit();
}

/* The reciprocals of the diagonal, or itself where one of them is not tame; ones where there is
 * none. Says which. */
QN_DEV int invert_diagonal(elem *inverse, elem *d, int row0, int n, int unit, int t) {
  int wild = 0;
  elem v = 1;
  if (t < NB && !unit && row0 + t < n) v = d[t * LD + t];
  if (t < NB) wild = !is_tame(v);
  const int tame = !__syncthreads_or(wild);
  if (t < NB) inverse[t] = tame ? 1 / v : v, d[t * LD + t] = v;
  QN_BARRIER();
  return tame;
}

/* What copy_diagonal began is there. */
QN_DEV int ready_diagonal(elem *d, elem *inverse, int row0, int n, int unit, int t) {
  copy_wait(0);
  QN_BARRIER();
  return invert_diagonal(inverse, d, row0, n, unit, t);
}

/* D to d, where all threads have done with what was there. */
QN_DEV int bring_diagonal(elem *d, elem *inverse, const triangle *p, int row0, int unit, int t) {
  copy_diagonal(d, p, row0, t);
  return ready_diagonal(d, inverse, row0, p->n, unit, t);
}

/* x := D^-1 r; a lane has rows 4 lane ... of each column. */
QN_DEV void substitute(acc (*x)[4], acc (*r)[4], const elem *d, const elem *inverse, int tame,
                       int lane) {
#pragma unroll 1
  for (int p = 0; p < NB / 8; p++) {
    const elem *const tri = d + 8 * p * LD + 8 * p;
    elem l[8][8], by[8], own[4];
    acc v[OWN][8];
    QN_UNROLL
    for (int c = 0; c < OWN; c++) {
      QN_UNROLL
      for (int k = 0; k < 8; k++) v[c][k] = __shfl_sync(0xffffffffu, r[c][k % 4], 2 * p + k / 4);
    }
    read_rows(by, inverse + 8 * p, 8);
    QN_UNROLL
    for (int k = 0; k < 8; k++)
      read_rows(l[k] + k / VW * VW, tri + k * LD + k / VW * VW, 8 - k / VW * VW);
    QN_UNROLL
    for (int k = 0; k < 8; k++) {
      QN_UNROLL
      for (int c = 0; c < OWN; c++) {
        v[c][k] = tame ? v[c][k] * by[k] : v[c][k] / by[k];
        QN_UNROLL
        for (int s = k + 1; s < 8; s++) v[c][s] = acc_fnma(l[k][s], v[c][k], v[c][s]);
      }
    }
    QN_UNROLL
    for (int c = 0; c < OWN; c++) {
      QN_UNROLL
      for (int s = 0; s < 4; s++)
        if (lane / 2 == p) x[c][s] = lane % 2 ? v[c][s + 4] : v[c][s];
    }
    QN_UNROLL
    for (int k = 0; k < 8; k++) {
      read_rows(own, d + (8 * p + k) * LD + 4 * lane, 4);
      QN_UNROLL
      for (int c = 0; c < OWN; c++) {
        QN_UNROLL
        for (int s = 0; s < 4; s++) r[c][s] = acc_fnma(own[s], v[c][k], r[c][s]);
      }
    }
  }
}
