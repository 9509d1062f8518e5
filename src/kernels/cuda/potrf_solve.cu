/* A tile of a Cholesky factor by substitution, and a diagonal one, eight columns at a time. Two
 * warps have a row a thread; all have the products that take what these made from the columns
 * behind it. Needs potrf_tile.cu and the words of potrf_walk.cu. */

QN_DEV void publish_row(elem *row, const acc *own) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++) publish_element(row + k * NB, own[k]);
}

/* x := the tile L_ij from its sums, with L_jj as it comes, to y; its square to that of the pair. It
 * leaves for `shared` as it is made; its columns come to their rows by way of `staged`. */
QN_DEV void solve_tile(wide *sum, wide *square, elem *x, elem *y, elem *staged,
                       const elem *diagonal, elem *shared, int pair, int t, const place *at) {
  const int row = row_of(at), squares = pair && !warp_is_above(at);
  piece next = look_panel(diagonal, 0, t);
#pragma unroll 1
  for (int p = 0; p < NB; p += STEP) {
    elem *const now = x + p * LD, *const l = y + p * LD;
    acc own[STEP];
    put_columns(staged, sum, p, at);
    if (t < PANEL_PIECES) await_piece(y, next, diagonal, p * NB / VW + t);
    QN_BARRIER();
    if (p + STEP < NB) next = look_panel(diagonal, p + STEP, t);
    if (row < NB) solve_row(own, now + row, staged + p * LD + row, l + p);
    if (squares && p > 0) add_products(square, now - STEP * LD, now - STEP * LD, at);
    QN_BARRIER();
    if (row < NB) publish_row(shared + p * NB + row, own);
    if (!warp_is_before(at, p + STEP)) add_products(sum, now, l, at);
  }
  elem *const last = x + (NB - STEP) * LD;
  if (squares) add_products(square, last, last, at);
}

/* x := the factor of the tile that `square` has, which leaves for `shared` as it is made; columns
 * come to their rows by way of `staged`. What the next columns need is taken from them first, the
 * rest while they are worked on. Returns to the threads of the rows how many columns had a positive
 * pivot. */
QN_DEV int factor_tile(wide *square, elem *x, elem *staged, elem *shared, const place *at) {
  const int row = row_of(at), squares = !warp_is_above(at);
  int good = NB;
  put_columns(staged, square, 0, at);
#pragma unroll 1
  for (int p = 0; p < NB; p += STEP) {
    elem *const now = x + p * LD;
    elem *const from = staged + p * LD;
    acc own[STEP];
    QN_BARRIER();
    if (row < NB) {
      const int made = factor_row(own, now + row, from + row, from + p, row - p);
      if (made < STEP && good == NB) good = p + made;
    } else if (squares && p > 0) {
      add_rest(square, now - STEP * LD, p, at);
    }
    QN_BARRIER();
    if (row < NB) {
      publish_row(shared + p * NB + row, own);
    } else if (squares && has_columns(at, p + STEP)) {
      add_next(square, now, p + STEP, at);
      put_columns(staged, square, p + STEP, at);
    }
  }
  return good;
}
