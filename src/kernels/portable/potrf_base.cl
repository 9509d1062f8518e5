/* Cholesky of a block of order nb <= NB in local memory, one group:
 * L(i, j) = a[off_a + i si + j sj]
 * (an upper triangle is the conjugate of a lower one with the strides exchanged).
 *
 *   for each panel of BS columns s:
 *     an item a row from s on, its BS elements in registers; a column of the block on the diagonal
 *     goes round by local memory, one barrier a column
 *     all items: what is right of the panel less the panel times itself
 *
 * `info` is 0 or the 1-based index of the first pivot that was not positive: then nothing more is
 * done, here and in later launches of the same routine. Beyond nb the matrix is continued by ones
 * on the diagonal.
 *
 * Macros: QN_T (f32 and wider); NB, a multiple of BS, at most THREADS; BS; THREADS, a multiple of
 * BS. Grid: one group. */
#include "portable/prelude.cl"
#include "portable/element.cl"

#if QN_IS_COMPLEX
#define REAL_PART(z)  ((z).x)
#define SCALED(z, by) acc_make((z).x *(by), (z).y *(by))
#else
#define REAL_PART(z)  (z)
#define SCALED(z, by) ((z) * (by))
#endif

/* Columns s ... s + BS - 1; how many of them have a root. */
QN_DEV int factor_panel(int t, int s, QN_LOCAL_PTR elem (*l)[NB + 1],
                        QN_LOCAL_PTR elem (*column)[BS]) {
  const int row = s + t;
  int done = BS;
  elem v[BS];
  QN_UNROLL
  for (int k = 0; k < BS; k++) v[k] = row < NB ? l[s + k][row] : acc_zero();
  QN_UNROLL
  for (int j = 0; j < BS; j++) {
    QN_LOCAL_PTR elem *const now = column[j % 2];
    if (t < BS) now[t] = v[j];
    QN_BARRIER();
    const real pivot = REAL_PART(now[j]);
    if (done == BS && !(pivot > 0)) done = j; /* the same for every item; NaN fails too */
    const real root = sqrt(pivot), inverse = 1 / root;
    v[j] = t == j ? acc_make(root, 0) : SCALED(v[j], inverse);
    QN_UNROLL
    for (int k = j + 1; k < BS; k++) v[k] = acc_fnma(v[j], acc_conj(SCALED(now[k], inverse)), v[k]);
  }
  QN_UNROLL
  for (int k = 0; k < BS; k++)
    if (row < NB && t >= k) l[s + k][row] = v[k];
  return done;
}

/* From row and column `from` on, less the BS columns before. */
QN_DEV void update(int t, int from, QN_LOCAL_PTR elem (*l)[NB + 1]) {
  for (int i = from + t % BS; i < NB; i += BS) {
    elem v[BS];
    QN_UNROLL
    for (int k = 0; k < BS; k++) v[k] = l[from - BS + k][i];
    for (int c = from + t / BS; c <= i; c += THREADS / BS) {
      elem sum = l[c][i];
      QN_UNROLL
      for (int k = 0; k < BS; k++) sum = acc_fnma(v[k], acc_conj(l[from - BS + k][c]), sum);
      l[c][i] = sum;
    }
  }
}

QN_KERNEL QN_WG_SIZE(THREADS, 1, 1) void potrf_base(int nb, qn_i64 first,
                                                    QN_GLOBAL elem *QN_RESTRICT a, qn_i64 off_a,
                                                    qn_i64 si, qn_i64 sj, int conj_a,
                                                    QN_GLOBAL qn_i64 *QN_RESTRICT info) {
  QN_LOCAL_VAR elem l[NB][NB + 1]; /* l[j][i] = L(i, j) */
  QN_LOCAL_VAR elem column[2][BS];
  QN_LOCAL_VAR int failed;
  const int t = QN_LID(0);
  if (t == 0) failed = info[0] != 0;
  QN_BARRIER();
  if (failed) return;
  a += off_a;
  for (int s = t; s < NB * NB; s += THREADS) {
    const int i = s % NB, j = s / NB;
    elem v = i == j ? acc_make(1, 0) : acc_zero();
    if (i >= j && i < nb) v = a[i * si + j * sj];
    l[j][i] = conj_a ? acc_conj(v) : v;
  }
  QN_BARRIER_GLOBAL();

  int done = 0; /* columns factored */
  for (int s = 0; s < nb; s += BS) {
    const int good = factor_panel(t, s, l, column);
    done += good;
    QN_BARRIER();
    if (good < BS) break;
    update(t, s + BS, l);
    QN_BARRIER();
  }
  done = done < nb ? done : nb;
  if (done < nb && t == 0) info[0] = first + done + 1;

  for (int s = t; s < nb * done; s += THREADS) {
    const int i = s % nb, j = s / nb;
    if (i < j) continue;
    a[i * si + j * sj] = conj_a ? acc_conj(l[j][i]) : l[j][i];
  }
}
