/* The triangular inner kernels of one real type: a block of TNR unknowns of TMR right-hand sides in
 * registers. Included by tri_isa_template.h with the words of tri_pack_template.h. */

QN_INLINE void FOR(block_load)(const REAL *x, ON(vec) acc[TNR][TMR / LANES]) {
  QN_UNROLL
  for (int c = 0; c < TNR; c++) {
    QN_UNROLL
    for (int v = 0; v < TMR / LANES; v++) acc[c][v] = ON(load)(x + c * TMR + v * LANES);
  }
}

QN_INLINE void FOR(block_store)(REAL *x, ON(vec) acc[TNR][TMR / LANES]) {
  QN_UNROLL
  for (int c = 0; c < TNR; c++) {
    QN_UNROLL
    for (int v = 0; v < TMR / LANES; v++) ON(store)(x + c * TMR + v * LANES, acc[c][v]);
  }
}

/* acc := acc - x t (solve) or acc + x t over k steps. */
QN_INLINE void FOR(block_steps)(int64_t k, const REAL *t, const REAL *x,
                                ON(vec) acc[TNR][TMR / LANES], const bool solve) {
  for (int64_t p = 0; p < k; p++, t += TNR, x += TMR) {
    ON(vec) xv[TMR / LANES];
    QN_UNROLL
    for (int v = 0; v < TMR / LANES; v++) xv[v] = ON(load)(x + v * LANES);
    QN_UNROLL
    for (int c = 0; c < TNR; c++) {
      QN_UNROLL
      for (int v = 0; v < TMR / LANES; v++)
        acc[c][v] = solve ? acc[c][v] - xv[v] * t[c] : acc[c][v] + xv[v] * t[c];
    }
  }
}

/* The unknowns at `out`, those of the k steps before it at x. */
QN_INLINE void FOR(solve_block)(int64_t k, const bool divide, const REAL *t, const REAL *x,
                                REAL *out) {
  ON(vec) acc[TNR][TMR / LANES];
  FOR(block_load)(out, acc);
  FOR(block_steps)(k, t, x, acc, true);
  t += k * TNR;
  QN_UNROLL
  for (int c = 0; c < TNR; c++) {
    QN_UNROLL
    for (int v = 0; v < TMR / LANES; v++) {
      ON(vec) y = acc[c][v] = divide ? acc[c][v] / t[c * TNR + c] : acc[c][v] * t[c * TNR + c];
      QN_UNROLL
      for (int e = c + 1; e < TNR; e++) acc[e][v] -= y * t[c * TNR + e];
    }
  }
  FOR(block_store)(out, acc);
}

QN_INLINE void FOR(multiply_block)(int64_t k, const REAL *t, const REAL *x, REAL *out) {
  ON(vec) acc[TNR][TMR / LANES] = {0};
  FOR(block_steps)(k, t, x, acc, false);
  t += k * TNR;
  QN_UNROLL
  for (int p = 0; p < TNR; p++) {
    QN_UNROLL
    for (int v = 0; v < TMR / LANES; v++) {
      ON(vec) y = ON(load)(out + p * TMR + v * LANES);
      QN_UNROLL
      for (int c = p; c < TNR; c++) acc[c][v] += y * t[p * TNR + c];
    }
  }
  FOR(block_store)(out, acc);
}

QN_INLINE void FOR(update_block)(int64_t k, const bool solve, const REAL *t, const REAL *x,
                                 REAL *out) {
  ON(vec) acc[TNR][TMR / LANES];
  FOR(block_load)(out, acc);
  FOR(block_steps)(k, t, x, acc, solve);
  FOR(block_store)(out, acc);
}
