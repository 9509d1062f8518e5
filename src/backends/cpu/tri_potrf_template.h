/* Cholesky of a small block of one real type, in a copy with padded columns. Included by
 * tri_real_template.h.
 *
 * Four columns at a time, each brought up to date by all columns before them (left-looking):
 *
 *        k ->        j
 *      +-----------+----+
 *      |           |    |           update   L(i, j..j+3) -= sum over k of L(i, k) L(j..j+3, k)
 *    j | ......... | \  |           corner   the four pivots
 *      |           |  \ |           below    rows divided by the corner
 *    i | ========= | || |
 *
 * Rows run along the vectors and may run over n into the padding, as may the last columns. */

enum { FOR(potrf_rows) = 2 * LANES };

QN_INLINE void FOR(potrf_update)(REAL *l, int64_t ld, int64_t j, int64_t i) {
  ON(vec) acc[4][2];
  QN_UNROLL
  for (int c = 0; c < 4; c++) {
    QN_UNROLL
    for (int v = 0; v < 2; v++) acc[c][v] = ON(load)(l + i + v * LANES + (j + c) * ld);
  }
  for (int64_t k = 0; k < j; k++) {
    ON(vec) x[2] = {ON(load)(l + i + k * ld), ON(load)(l + i + LANES + k * ld)};
    QN_UNROLL
    for (int c = 0; c < 4; c++) {
      QN_UNROLL
      for (int v = 0; v < 2; v++) acc[c][v] -= x[v] * l[j + c + k * ld];
    }
  }
  QN_UNROLL
  for (int c = 0; c < 4; c++) {
    QN_UNROLL
    for (int v = 0; v < 2; v++) ON(store)(l + i + v * LANES + (j + c) * ld, acc[c][v]);
  }
}

/* The corner at (j, j); returns how many of its columns have a positive pivot. */
static int FOR(potrf_corner)(REAL *corner, int64_t ld, int cols) {
  for (int c = 0; c < cols; c++) {
    for (int q = 0; q < c; q++) {
      for (int r = c; r < cols; r++) corner[r + c * ld] -= corner[r + q * ld] * corner[c + q * ld];
    }
    REAL pivot = corner[c + c * ld];
    if (!(pivot > 0)) return c;
    REAL root = REAL_SQRT(pivot);
    corner[c + c * ld] = root;
    for (int r = c + 1; r < cols; r++) corner[r + c * ld] /= root;
  }
  return cols;
}

QN_INLINE void FOR(potrf_below)(const REAL *corner, int64_t ld, int cols, REAL *rows) {
  for (int c = 0; c < cols; c++) {
    for (int v = 0; v < 2; v++) {
      ON(vec) x = ON(load)(rows + v * LANES + c * ld);
      for (int q = 0; q < c; q++) x -= ON(load)(rows + v * LANES + q * ld) * corner[c + q * ld];
      ON(store)(rows + v * LANES + c * ld, x / corner[c + c * ld]);
    }
  }
}

static int64_t FOR(potrf_padded)(int64_t n, REAL *l, int64_t ld) {
  for (int64_t j = 0; j < n; j += 4) {
    for (int64_t i = j; i < n; i += FOR(potrf_rows)) FOR(potrf_update)(l, ld, j, i);
    int cols = (int)qn_min64(4, n - j), good = FOR(potrf_corner)(l + j * (ld + 1), ld, cols);
    for (int64_t i = j + cols; i < n; i += FOR(potrf_rows))
      FOR(potrf_below)(l + j * (ld + 1), ld, good, l + i + j * ld);
    if (good < cols) return j + good + 1;
  }
  return 0;
}

static int64_t FOR(potrf_ld)(int64_t n) {
  return qn_round_up(n, FOR(potrf_rows)) + FOR(potrf_rows);
}

static size_t FOR(potrf_workspace)(int64_t n) {
  return (size_t)(FOR(potrf_ld)(n) * qn_round_up(n, 4)) * sizeof(REAL);
}

/* Copies the lower triangle: element (i, j) from src[i si + j sj] to dst[i di + j dj]. */
static void FOR(potrf_copy)(int64_t n, const REAL *src, ptrdiff_t si, ptrdiff_t sj, REAL *dst,
                            ptrdiff_t di, ptrdiff_t dj) {
  for (int64_t j = 0; j < n; j++) {
    if (si == 1 && di == 1) {
      memcpy(dst + j + j * dj, src + j + j * sj, (size_t)(n - j) * sizeof(REAL));
    } else {
      for (int64_t i = j; i < n; i++) dst[i * di + j * dj] = src[i * si + j * sj];
    }
  }
}

/* Element (i, j) of the lower factor at a[i ai + j aj]. Returns 0 or the first bad pivot. */
static int64_t FOR(potrf)(void *a, ptrdiff_t ai, ptrdiff_t aj, int64_t n, void *workspace) {
  REAL *l = workspace;
  int64_t ld = FOR(potrf_ld)(n);
  memset(l, 0, FOR(potrf_workspace)(n));
  FOR(potrf_copy)(n, a, ai, aj, l, 1, ld);
  int64_t info = FOR(potrf_padded)(n, l, ld);
  FOR(potrf_copy)(n, l, 1, ld, a, ai, aj);
  return info;
}
