/* Walks the blocks of a packed triangle over one panel, for one element type. Included by
 * tri_isa_template.h after the inner kernels. */

static void FOR(solve)(int64_t n, bool divide, const void *triangle, void *panel) {
  const REAL *t = triangle;
  REAL *x = (REAL *)panel + PLANES * TMR * (qn_round_up(n, TNR) - n);
  for (int64_t b = 0; b < qn_ceil_div(n, TNR); b++) {
    int64_t k = FOR(block_first)(n, b);
    REAL *out = (REAL *)panel + PLANES * TMR * TNR * b;
    if (divide) {
      FOR(solve_block)(k, true, t + FOR(block_at)(n, b), x, out);
    } else {
      FOR(solve_block)(k, false, t + FOR(block_at)(n, b), x, out);
    }
  }
}

/* From the last block up: a block's result replaces unknowns that only the blocks below it need. */
static void FOR(multiply)(int64_t n, const void *triangle, void *panel) {
  const REAL *t = triangle;
  const REAL *x = (REAL *)panel + PLANES * TMR * (qn_round_up(n, TNR) - n);
  for (int64_t b = qn_ceil_div(n, TNR) - 1; b >= 0; b--) {
    REAL *out = (REAL *)panel + PLANES * TMR * TNR * b;
    FOR(multiply_block)(FOR(block_first)(n, b), t + FOR(block_at)(n, b), x, out);
  }
}

static void FOR(update)(int64_t k, int64_t blocks, bool solve, const void *rectangle, const void *x,
                        void *out) {
  const REAL *t = rectangle;
  REAL *y = out;
  for (int64_t b = 0; b < blocks; b++, t += k * PLANES * TNR, y += PLANES * TMR * TNR) {
    if (solve) {
      FOR(update_block)(k, true, t, x, y);
    } else {
      FOR(update_block)(k, false, t, x, y);
    }
  }
}
