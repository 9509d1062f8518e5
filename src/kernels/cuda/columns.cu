/* Columns of X that stay in shared memory while the tiles of a triangle pass by. Needs copies.cu,
 * tiles.cu.
 *
 * Macros of the includer: those of tiles.cu; SETS, columns of a lane. */

#define CW (32 / LQ)
#define NC (WARPS * SETS * CW)

/* alpha B to X, [column][xl]; what lies outside becomes zero. */
QN_DEV void load_columns(elem *xs, int xl, int t, int height, int n, int cols, elem alpha,
                         const elem *b, qn_i64 bi, qn_i64 br) {
  for (int e = t; e < NC * height; e += THREADS) {
    const int r = bi == 1 ? e % height : e / NC, c = bi == 1 ? e / height : e % NC;
    xs[c * xl + r] = r < n && c < cols ? acc_mul(alpha, b[r * bi + c * br]) : acc_zero();
  }
}

QN_DEV void store_columns(const elem *xs, int xl, int t, int n, int cols, elem *b, qn_i64 bi,
                          qn_i64 br) {
  for (int e = t; e < NC * n; e += THREADS) {
    const int r = bi == 1 ? e % n : e / NC, c = bi == 1 ? e / n : e % NC;
    if (c < cols) b[r * bi + c * br] = xs[c * xl + r];
  }
}

/* The tiles in the order of their use: rows of blocks from the first down, or from the last up. */
typedef struct next_tile {
  int turn, j;
} next_tile;

QN_DEV void copy_next(elem *to, next_tile *next, int up, int blocks, const triangle *p, int warp,
                      int lane) {
  const int i = up ? blocks - 1 - next->turn : next->turn;
  if (next->turn < blocks) copy_part(to, warp, lane, p, FIRST_ROW(i), FIRST_ROW(next->j));
  copy_commit();
  if (next->j++ == i) next->turn++, next->j = 0;
}
