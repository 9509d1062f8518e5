/* Walks the blocks of a packed triangle over one panel, for one element type. Included by
 * tri_isa_template.h after the inner kernels. */

/* Asks for `bytes` bytes of the next panel, `next` from where they stand in this one: the panels of
 * a stage come from a far cache, a block of this one takes longer than that. Where the instruction
 * set's file says so. */
QN_INLINE void FOR(ask)(const void *p, size_t next, int64_t bytes) {
#ifdef ASK_AHEAD
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + next + i, 0, 2);
#else
  (void)p, (void)next, (void)bytes;
#endif
}

enum { FOR(block_bytes) = PLANES * TMR * TNR * (int)sizeof(REAL) };

static void FOR(solve)(int64_t n, bool divide, const void *triangle, void *panel, size_t next) {
  const REAL *t = triangle;
  REAL *x = (REAL *)panel + PLANES * TMR * (qn_round_up(n, TNR) - n);
  for (int64_t b = 0; b < qn_ceil_div(n, TNR); b++) {
    int64_t k = FOR(block_first)(n, b);
    REAL *out = (REAL *)panel + PLANES * TMR * TNR * b;
    FOR(ask)(out, next, FOR(block_bytes));
    if (divide) {
      FOR(solve_block)(k, true, t + FOR(block_at)(n, b), x, out);
    } else {
      FOR(solve_block)(k, false, t + FOR(block_at)(n, b), x, out);
    }
  }
}

/* From the last block up: a block's result replaces unknowns that only the blocks below it need. */
static void FOR(multiply)(int64_t n, const void *triangle, void *panel, size_t next) {
  const REAL *t = triangle;
  const REAL *x = (REAL *)panel + PLANES * TMR * (qn_round_up(n, TNR) - n);
  for (int64_t b = qn_ceil_div(n, TNR) - 1; b >= 0; b--) {
    REAL *out = (REAL *)panel + PLANES * TMR * TNR * b;
    FOR(ask)(out, next, FOR(block_bytes));
    FOR(multiply_block)(FOR(block_first)(n, b), t + FOR(block_at)(n, b), x, out);
  }
}

/* Beside the block's unknowns each block asks for a part of x. */
static void FOR(update)(int64_t k, int64_t blocks, bool solve, const void *rectangle, const void *x,
                        void *out, size_t next) {
  const REAL *t = rectangle, *part = x;
  const int64_t share = qn_ceil_div(k, blocks) * PLANES * TMR;
  REAL *y = out;
  for (int64_t b = 0; b < blocks; b++, t += k * PLANES * TNR, y += PLANES * TMR * TNR) {
    FOR(ask)(y, next, FOR(block_bytes));
    FOR(ask)(part + b * share, next, share * (int64_t)sizeof(REAL));
    if (solve) {
      FOR(update_block)(k, true, t, x, y);
    } else {
      FOR(update_block)(k, false, t, x, y);
    }
  }
}
