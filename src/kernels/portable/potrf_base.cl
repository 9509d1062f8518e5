/* Cholesky of a block of order nb <= NB in local memory, one group: L(i, j) = a[off_a + i si + j sj]
 * (an upper triangle is the conjugate of a lower one with the strides exchanged).
 *
 * Right-looking: the pivot's root, its column, then the products of that column with itself, spread
 * over the group; two barriers a column. `info` is 0 or the 1-based index of the first pivot that
 * was not positive: then nothing more is done, here and in later launches of the same routine.
 *
 * Macros: QN_T (f32 and wider); NB; THREADS. Grid: one group. */
#include "portable/prelude.cl"
#include "portable/element.cl"

QN_KERNEL QN_WG_SIZE(THREADS, 1, 1) void
potrf_base(int nb, qn_i64 first, QN_GLOBAL elem *QN_RESTRICT a, qn_i64 off_a, qn_i64 si, qn_i64 sj,
           int conj_a, QN_GLOBAL qn_i64 *QN_RESTRICT info) {
  QN_LOCAL_VAR elem l[NB][NB + 1]; /* l[j][i] = L(i, j) */
  QN_LOCAL_VAR int failed;
  const int t = QN_LID(0);
  if (t == 0) failed = info[0] != 0;
  QN_BARRIER();
  if (failed) return;
  a += off_a;
  for (int s = t; s < nb * nb; s += THREADS) {
    const int i = s % nb, j = s / nb;
    if (i < j) continue;
    const elem v = a[i * si + j * sj];
    l[j][i] = conj_a ? acc_conj(v) : v;
  }
  QN_BARRIER();

  int done = nb; /* columns factored */
  for (int j = 0; j < nb; j++) {
#if QN_IS_COMPLEX
    const real pivot = l[j][j].x;
#else
    const real pivot = l[j][j];
#endif
    if (!(pivot > 0)) { /* the same for every item; NaN fails too */
      if (t == 0) info[0] = first + j + 1;
      done = j;
      break;
    }
    const real root = sqrt(pivot);
    QN_BARRIER();
    for (int i = j + t; i < nb; i += THREADS) {
#if QN_IS_COMPLEX
      if (i == j) {
        l[j][j].x = root;
        l[j][j].y = 0;
      } else {
        l[j][i].x /= root;
        l[j][i].y /= root;
      }
#else
      l[j][i] = i == j ? root : l[j][i] / root;
#endif
    }
    QN_BARRIER();
    const int left = nb - j - 1;
    for (int s = t; s < left * left; s += THREADS) {
      const int i = j + 1 + s % left, c = j + 1 + s / left;
      if (i < c) continue;
      l[c][i] = acc_fnma(l[j][i], acc_conj(l[j][c]), l[c][i]);
    }
    QN_BARRIER();
  }

  for (int s = t; s < nb * done; s += THREADS) {
    const int i = s % nb, j = s / nb;
    if (i < j) continue;
    a[i * si + j * sj] = conj_a ? acc_conj(l[j][i]) : l[j][i];
  }
}
