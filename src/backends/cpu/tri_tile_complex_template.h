/* The triangular inner kernels of one complex type, planes apart: as tri_tile_real_template.h, with
 * one vector of real and one of imaginary parts for each unknown. */

typedef struct FOR(pair) {
  ON(vec) re, im;
} FOR(pair);

QN_INLINE FOR(pair) FOR(pair_load)(const REAL *x) {
  return (FOR(pair)){ON(load)(x), ON(load)(x + TMR)};
}
QN_INLINE void FOR(pair_store)(REAL *x, FOR(pair) y) {
  ON(store)(x, y.re);
  ON(store)(x + TMR, y.im);
}

/* acc - x t and acc + x t; t has its imaginary part TNR further on. */
QN_INLINE FOR(pair) FOR(pair_sub)(FOR(pair) acc, FOR(pair) x, const REAL *t) {
  acc.re -= x.re * t[0];
  acc.im -= x.im * t[0];
  acc.re += x.im * t[TNR];
  acc.im -= x.re * t[TNR];
  return acc;
}
QN_INLINE FOR(pair) FOR(pair_add)(FOR(pair) acc, FOR(pair) x, const REAL *t) {
  acc.re += x.re * t[0];
  acc.im += x.im * t[0];
  acc.re -= x.im * t[TNR];
  acc.im += x.re * t[TNR];
  return acc;
}

/* x times the packed reciprocal, or Smith's quotient by the packed element. */
QN_INLINE FOR(pair) FOR(pair_solve)(FOR(pair) x, const REAL *t, const bool divide) {
  REAL re = t[0], im = t[TNR];
  if (!divide) return (FOR(pair)){x.re * re - x.im * im, x.re * im + x.im * re};
  bool swap = (re < 0 ? -re : re) < (im < 0 ? -im : im);
  REAL ratio = swap ? re / im : im / re, scale = swap ? im + re * ratio : re + im * ratio;
  if (swap) return (FOR(pair)){(x.re * ratio + x.im) / scale, (x.im * ratio - x.re) / scale};
  return (FOR(pair)){(x.re + x.im * ratio) / scale, (x.im - x.re * ratio) / scale};
}

/* acc := acc - x t (solve) or acc + x t over k steps. */
QN_INLINE void FOR(block_steps)(int64_t k, const REAL *t, const REAL *x, FOR(pair) acc[TNR],
                                const bool solve) {
  for (int64_t p = 0; p < k; p++, t += 2 * TNR, x += 2 * TMR) {
    FOR(pair) y = FOR(pair_load)(x);
    QN_UNROLL
    for (int c = 0; c < TNR; c++)
      acc[c] = solve ? FOR(pair_sub)(acc[c], y, t + c) : FOR(pair_add)(acc[c], y, t + c);
  }
}

/* The unknowns at `out`, those of the k steps before it at x. */
QN_INLINE void FOR(solve_block)(int64_t k, const bool divide, const REAL *t, const REAL *x,
                                REAL *out) {
  FOR(pair) acc[TNR];
  QN_UNROLL
  for (int c = 0; c < TNR; c++) acc[c] = FOR(pair_load)(out + c * 2 * TMR);
  FOR(block_steps)(k, t, x, acc, true);
  t += k * 2 * TNR;
  QN_UNROLL
  for (int c = 0; c < TNR; c++) {
    acc[c] = FOR(pair_solve)(acc[c], t + c * 2 * TNR + c, divide);
    QN_UNROLL
    for (int e = c + 1; e < TNR; e++) acc[e] = FOR(pair_sub)(acc[e], acc[c], t + c * 2 * TNR + e);
    FOR(pair_store)(out + c * 2 * TMR, acc[c]);
  }
}

QN_INLINE void FOR(multiply_block)(int64_t k, const REAL *t, const REAL *x, REAL *out) {
  FOR(pair) acc[TNR] = {0};
  FOR(block_steps)(k, t, x, acc, false);
  t += k * 2 * TNR;
  QN_UNROLL
  for (int p = 0; p < TNR; p++) {
    FOR(pair) y = FOR(pair_load)(out + p * 2 * TMR);
    QN_UNROLL
    for (int c = p; c < TNR; c++) acc[c] = FOR(pair_add)(acc[c], y, t + p * 2 * TNR + c);
  }
  QN_UNROLL
  for (int c = 0; c < TNR; c++) FOR(pair_store)(out + c * 2 * TMR, acc[c]);
}

QN_INLINE void FOR(update_block)(int64_t k, const bool solve, const REAL *t, const REAL *x,
                                 REAL *out) {
  FOR(pair) acc[TNR];
  QN_UNROLL
  for (int c = 0; c < TNR; c++) acc[c] = FOR(pair_load)(out + c * 2 * TMR);
  FOR(block_steps)(k, t, x, acc, solve);
  QN_UNROLL
  for (int c = 0; c < TNR; c++) FOR(pair_store)(out + c * 2 * TMR, acc[c]);
}
