/* The inverse V of a diagonal block D of trsm_thin.cu, in doubles, worked out while the blocks
 * before this one are solved, and whether it is accurate enough.
 *
 * D lies in shared memory as [k][row], its upper triangle free: there V goes, as [row][k], but for
 * its diagonal, which is 1 / d.
 *
 *      k, or V's row                       V by halves, from its blocks of 16 on:
 *      +---+                                 +-----+          D21 V11 =: T
 *      |d  D D D    D: row after k           | V11 |          V21 := -V22 T
 *      |V  d D D                             +-----+-----+
 *      |V  V d D    V: k before row          | V21 | V22 |    T where V21 goes
 *      +-- row, or V's k                     +-----+-----+
 *
 * Needs thin_block.cu. What runs once runs cold: its time is that of its instructions. */

/* The most that norm(|V| |D|) may be, which rows graded by powers of two do not raise. Where V is
 * of more digits than X, its rounding then does less to X than X's own; else one correction leaves
 * less of it. */
#define CONDITION_MOST (WIDENS ? 1048576.0 : 131072.0) /* 2^20, 2^17 */

/* ---- D ---- */

/* x, from here on unknown to the compiler, which then does not work out anew what follows from it.
 */
QN_DEV qn_i64 kept(qn_i64 x) {
  asm volatile("" : "+l"(x));
  return x;
}

/* D to d in doubles, the reciprocals of its diagonal, the sums of the rows of |D| to `size`, which
 * has room for 2 NB. Says whether all reciprocals are tame. */
QN_DEV int load_block(double *d, double *inverse, double *size, const triangle *p, int row0,
                      int unit, int t) {
  const int r0 = FIRST_ROW, k0 = FIRST_COL;
  const elem *const from = p->a + (row0 + r0) * SI + (row0 + k0) * SJ;
  double *const to = d + k0 * LD + r0;
  const qn_i64 step = kept((COL_OF(ROWS_OF) - COL_OF(0)) * SJ);
  elem v[EACH], sum[4] = {0, 0, 0, 0};
  QN_UNROLL
  for (int m = 0; m < ROWS_OF; m++) {
    const int rows = p->n - row0 - r0 - ROW_OF(m);
    const elem *next = from + ROW_OF(m) * SI;
    QN_UNROLL
    for (int u = m; u < EACH; u += ROWS_OF, next += step)
      v[u] = k0 + COL_OF(u) <= r0 + ROW_OF(u) && rows > 0 ? *next : 0;
  }
  QN_UNROLL
  for (int u = 0; u < EACH; u++) {
    const int r = ROW_OF(u), k = COL_OF(u);
    if (k0 + k <= r0 + r) to[k * LD + r] = v[u];
    if (k0 + k < r0 + r) sum[u % 4] += fabs(v[u]);
  }
#if TRANS
  QN_UNROLL
  for (int e = 0; e < 4; e++) {
    QN_UNROLL
    for (int m = 4; m > 0; m /= 2) sum[e] += __shfl_xor_sync(0xffffffffu, sum[e], m);
    if (t % 8 == 0) size[r0 + 32 * e] = sum[e];
  }
#else
  size[t] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
#endif
  QN_BARRIER();
  int tame = 1;
  if (t < NB) {
    elem own = 1;
    if (!unit && row0 + t < p->n) own = (elem)d[t * LD + t];
    tame = is_tame(own);
    d[t * LD + t] = own;
    inverse[t] = 1 / (double)own;
    size[t] += fabs(own) + (TRANS ? 0 : size[t + NB]);
  }
  return __syncthreads_and(tame);
}

/* ---- V ---- */

/* V of a block of 16, a column each of 16 lanes. */
QN_DEV void invert_16(double *d, const double *inverse, int lane) {
  const int c = lane % 16;
  double v[16];
  QN_UNROLL
  for (int r = 0; r < 16; r++) {
    double sum = r == c;
    QN_UNROLL
    for (int k = 0; k < r; k++) sum = fma(-d[k * LD + r], v[k], sum);
    v[r] = sum * inverse[r];
  }
  QN_UNROLL
  for (int r = 0; r < 16; r++)
    if (r > c && lane < 16) d[r * LD + c] = v[r];
}

QN_DEV void put_columns(double *to, double (*sum)[4], int count, double sign) {
  QN_UNROLL
  for (int m = 0; m < count; m++) {
    QN_UNROLL
    for (int e = 0; e < 4; e++) to[(16 * m + e / 2 * 8) * LD + e % 2] = sign * sum[m][e];
  }
}

/* V from its halves of s rows, for all pairs of them: a warp has eight columns of a pair. */
QN_DEV void join_halves(double *d, const double *inverse, const int s, int warp, int lane) {
  const int tiles = s / 8, pair = warp / tiles, g = lane / 4, q = lane % 4;
  /* of two warps on one unit one has more to do in T, the other less */
  const int tile = s < 64 || warp < 4 ? warp % tiles : 11 - warp, k = 8 * tile + g;
  double *const block = d + pair * 2 * s * (LD + 1);
  double *const to = block + (s + g) * LD + 8 * tile + 2 * q;
  double sum[4][4] = {{0}}, product[4][4] = {{0}};
  inverse += pair * 2 * s;
#pragma unroll 1
  for (int j0 = 8 * tile; j0 < s; j0 += 8) {
    double b[2];
    QN_UNROLL
    for (int e = 0; e < 2; e++) {
      const int j = j0 + q + 4 * e;
      const double own = inverse[j], v = block[j * LD + k];
      b[e] = j > k ? v : j == k ? own : 0;
    }
    QN_UNROLL
    for (int m = 0; m < s / 16; m++) {
      double a[4];
      QN_UNROLL
      for (int e = 0; e < 4; e++)
        a[e] = block[(j0 + q + e / 2 * 4) * LD + s + 16 * m + g + e % 2 * 8];
      mma_f64(sum[m], a, b);
    }
  }
  put_columns(to, sum, s / 16, 1);
  QN_BARRIER();
  QN_UNROLL
  for (int j0 = 0; j0 < s; j0 += 8) {
    const double *const from = block + (s + j0 + q) * LD + k;
    const double b[2] = {from[0], from[4 * LD]};
    QN_UNROLL
    for (int m = j0 / 16; m < s / 16; m++) {
      double a[4];
      QN_UNROLL
      for (int e = 0; e < 4; e++) {
        const int row = s + 16 * m + g + e % 2 * 8, j = s + j0 + q + e / 2 * 4;
        const double own = inverse[row], v = block[row * LD + j];
        a[e] = m > j0 / 16 || j < row ? v : j == row ? own : 0;
      }
      mma_f64(product[m], a, b);
    }
  }
  QN_BARRIER();
  put_columns(to, product, s / 16, -1);
  QN_BARRIER();
}

/* ---- its worth ---- */

QN_DEV double size_of(double v, int absolute) {
  return absolute ? fabs(v) : v;
}

/* Row warp + 8 (first) of V x, or of |V| x, first by the bits of the lane but the last. Each lane
 * adds up every 32nd unknown of 16 rows, of which no more than j / 4 + 1 are on or before the
 * diagonal. */
QN_DEV double row_of_product(const double *d, const double *inverse, const double *x, int absolute,
                             int warp, int lane, int *row) {
  double own[4], sum[16];
  int first = 0;
  QN_UNROLL
  for (int u = 0; u < 4; u++) own[u] = x[lane + 32 * u];
  QN_UNROLL
  for (int j = 0; j < 16; j++) {
    const int r = warp + 8 * j, last = j / 4;
    const int k = lane + 32 * last;
    sum[j] = k > r ? 0 : size_of(k == r ? inverse[r] : d[r * LD + k], absolute) * own[last];
    QN_UNROLL
    for (int u = 0; u < last; u++)
      sum[j] = fma(size_of(d[r * LD + lane + 32 * u], absolute), own[u], sum[j]);
  }
  QN_UNROLL
  for (int round = 0; round < 4; round++) {
    const int half = 8 >> round, m = 2 * half, upper = (lane & m) != 0;
    QN_UNROLL
    for (int e = 0; e < 8; e++) {
      if (e >= half) continue;
      const double keep = upper ? sum[e + half] : sum[e], give = upper ? sum[e] : sum[e + half];
      sum[e] = keep + __shfl_xor_sync(0xffffffffu, give, m);
    }
    first += upper ? half : 0;
  }
  *row = warp + 8 * first;
  return sum[0] + __shfl_xor_sync(0xffffffffu, sum[0], 1);
}

/* Puts V to d; says whether norm(|V| |D|), from the sums of the rows of |D|, allows for it. */
QN_DEV int invert_block(double *d, const double *inverse, const double *size, int t) {
  const int warp = t / 32, lane = t % 32, first = warp * 16;
  int row;
  invert_16(d + first * (LD + 1), inverse + first, lane);
  QN_BARRIER();
  join_halves(d, inverse, 16, warp, lane);
  join_halves(d, inverse, 32, warp, lane);
  join_halves(d, inverse, 64, warp, lane);
  const double norm = row_of_product(d, inverse, size, 1, warp, lane, &row);
  return __syncthreads_and(norm <= CONDITION_MOST);
}
