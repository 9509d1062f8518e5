/* What trsm_wide and trmm_wide share: a triangle of several blocks and a few columns, in one
 * launch.
 *
 * L is walked by tiles of NB x NB in the order in which they are needed; the one after the next is
 * on its way in registers while a tile is multiplied. The columns stay in local memory from the
 * first tile to the last:
 *
 *   l[p]: column p of a tile         x[i]: row i of the columns, all blocks
 *
 * An item has VW rows of a block and CW of the columns, in registers:
 *
 *   t -> rows (t % ROWS) VW ..., columns t / ROWS + u COLS, u < CW
 *
 * Macros: those of triangle.cl; BLOCKS, the most blocks there are. THREADS is a multiple of NB.
 * MULTIPLY_ADD of the including file is acc_fma or acc_fnma. */
#include "portable/triangle.cl"

#define LW   (NB / VW + 1) /* padded: neighbouring columns begin in different banks */
#define PER  (NB * NB / THREADS)
#define ROWS (NB / VW)
#define COLS (THREADS / ROWS)
#define CW   (RHS / COLS)

/* Where an item's elements of a tile lie: (r, p), then DOWN rows or columns further each time.
 * Neighbouring items have neighbouring memory. */
#define DOWN (THREADS / NB)
typedef struct share {
  int r, p, dr, dp;
} share;

QN_DEV share share_of(int t, qn_i64 si) {
  const int along_i = si == 1 || si == -1;
  share s;
  s.r = along_i ? t % NB : t / NB;
  s.p = along_i ? t / NB : t % NB;
  s.dr = along_i ? 0 : DOWN;
  s.dp = along_i ? DOWN : 0;
  return s;
}

/* The item's share of tile (i, j), which begins at row i NB and column j NB. */
QN_DEV void fetch_tile(elem *ahead, share s, int i, int j, int n, int unit, int conj_a,
                       QN_GLOBAL const elem *a, qn_i64 si, qn_i64 sj) {
  const int left = n - i * NB;
  const qn_i64 step = s.dr * si + s.dp * sj;
  int r = s.r, p = s.p;
  a += (i * NB + r) * si + (j * NB + p) * sj;
  QN_UNROLL
  for (int u = 0; u < PER; u++) {
    const int stored = r < left && (i > j || p < r || (p == r && !unit));
    elem v = i == j && p == r ? acc_make(1, 0) : acc_zero();
    if (stored) v = *a;
    ahead[u] = conj_a ? acc_conj(v) : v;
    a += step; /* not an index: compilers multiply that out for each element */
    r += s.dr;
    p += s.dp;
  }
}

QN_DEV void keep_tile(QN_LOCAL_PTR elem *l, const elem *ahead, share s) {
  l += s.p * (LW * VW) + s.r;
  const int step = s.dp * (LW * VW) + s.dr;
  QN_UNROLL
  for (int u = 0; u < PER; u++) l[u * step] = ahead[u];
}

/* The item's part of a block of x. */
QN_DEV void read_part(elem (*v)[VW], int t, QN_LOCAL_PTR elem (*x)[RHS + 1]) {
  QN_UNROLL
  for (int u = 0; u < CW; u++) {
    QN_UNROLL
    for (int i = 0; i < VW; i++) v[u][i] = x[t % ROWS * VW + i][t / ROWS + u * COLS];
  }
}

QN_DEV void write_part(elem (*v)[VW], int t, QN_LOCAL_PTR elem (*x)[RHS + 1]) {
  QN_UNROLL
  for (int u = 0; u < CW; u++) {
    QN_UNROLL
    for (int i = 0; i < VW; i++) x[t % ROWS * VW + i][t / ROWS + u * COLS] = v[u][i];
  }
}

/* v := v + (BS columns of the tile, from p0 on) x, or minus that. */
QN_DEV void add_columns(elem (*v)[VW], int t, int p0, QN_LOCAL_PTR const vec (*l)[LW],
                        QN_LOCAL_PTR elem (*x)[RHS + 1]) {
  QN_UNROLL
  for (int k = 0; k < BS; k++) {
    elem col[VW];
    UNVEC(col, 0, l[p0 + k][t % ROWS]);
    QN_UNROLL
    for (int u = 0; u < CW; u++) {
      const elem xp = x[p0 + k][t / ROWS + u * COLS];
      QN_UNROLL
      for (int i = 0; i < VW; i++) v[u][i] = MULTIPLY_ADD(col[i], xp, v[u][i]);
    }
  }
}
