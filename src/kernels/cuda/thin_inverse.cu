/* The diagonal block D of trsm_thin.cu by its inverse V: what substitution does in 16 turns takes
 * three products of all threads, in f64 half as long. V is worked out while the blocks before this
 * one are solved.
 *
 *   x := V r;  x := x + V (r - D x)
 *
 * The correction takes what V's rounding did to x, as long as NB u norm(|V| |D|), which rows graded
 * by powers of two do not raise, is at most 2^-8; else, where D's diagonal is not tame, or x not
 * finite, for then zeros of V may have become NaN: by substitution. Sums have a fixed order.
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
 * Needs trsm_thin.cu's macros and read_rows. */

#define FIRST_INVERTED 5              /* the blocks before it would wait for V longer than for X */
#define CONDITION_MOST 274877906944.0 /* 2^38 */

/* ---- the inverse ---- */

/* V of a block of 16, a column each of 16 lanes. */
QN_DEV void invert_16(elem *d, const elem *inverse, int lane) {
  const int c = lane % 16;
  elem v[16];
  QN_UNROLL
  for (int r = 0; r < 16; r++) {
    elem sum = r == c;
    QN_UNROLL
    for (int k = 0; k < r; k++) sum = acc_fnma(d[k * LD + r], v[k], sum);
    v[r] = sum * inverse[r];
  }
  QN_UNROLL
  for (int r = 0; r < 16; r++)
    if (r > c && lane < 16) d[r * LD + c] = v[r];
}

/* sum[r][c] += left[r] right[c], 4 x 4. */
QN_DEV void add_outer(elem (*sum)[4], const elem *left, const elem *right) {
  QN_UNROLL
  for (int r = 0; r < 4; r++) {
    QN_UNROLL
    for (int c = 0; c < 4; c++) sum[r][c] = acc_fma(left[r], right[c], sum[r][c]);
  }
}

/* 4 x 4 of T := D21 V11 from row r, column k on; d and inverse begin at the pair of size s. */
QN_DEV void multiply_lower(elem (*sum)[4], const elem *d, const elem *inverse, int s, int r,
                           int k) {
#pragma unroll 1
  for (int j = k; j < s; j++) {
    elem left[4], right[4];
    read_rows(left, d + j * LD + s + r, 4);
    read_rows(right, d + j * LD + k, 4);
    QN_UNROLL
    for (int c = 0; c < 4; c++)
      if (j <= k + c) right[c] = j == k + c ? inverse[j] : 0;
    add_outer(sum, left, right);
  }
}

/* The same of V22 T. */
QN_DEV void multiply_upper(elem (*sum)[4], const elem *d, const elem *inverse, int s, int r,
                           int k) {
  d += s * LD;
#pragma unroll 1
  for (int j = 0; j <= r; j += 4) {
    elem v[4][4];
    QN_UNROLL
    for (int a = 0; a < 4; a++) {
      read_rows(v[a], d + (r + a) * LD + s + j, 4);
      QN_UNROLL
      for (int e = 0; e < 4; e++)
        if (j == r && e >= a) v[a][e] = e == a ? inverse[s + r + a] : 0;
    }
    QN_UNROLL
    for (int e = 0; e < 4; e++) {
      elem right[4];
      const elem left[4] = {v[0][e], v[1][e], v[2][e], v[3][e]};
      read_rows(right, d + (j + e) * LD + k, 4);
      add_outer(sum, left, right);
    }
  }
}

QN_DEV void put_4x4(elem *d, int row, int k, elem (*sum)[4], elem sign) {
  QN_UNROLL
  for (int r = 0; r < 4; r++) {
    QN_UNROLL
    for (int c = 0; c < 4; c++) d[(row + r) * LD + k + c] = sign * sum[r][c];
  }
}

/* V from its halves of s rows, for all pairs of them: a thread has 4 x 4. */
QN_DEV void join_halves(elem *d, const elem *inverse, int s, int t) {
  const int side = s / 4, pair = t / (side * side), fast = t % side, slow = t / side % side;
  const int there = pair < NB / (2 * s), first = there ? pair * 2 * s : 0;
  elem *const block = d + first * LD + first, sum[4][4] = {{0}}, product[4][4] = {{0}};
  if (there) {
    multiply_lower(sum, block, inverse + first, s, 4 * fast, 4 * slow);
    put_4x4(block, s + 4 * fast, 4 * slow, sum, 1);
  }
  QN_BARRIER();
  if (there) multiply_upper(product, block, inverse + first, s, 4 * slow, 4 * fast);
  QN_BARRIER();
  if (there) put_4x4(block, s + 4 * slow, 4 * fast, product, -1);
  QN_BARRIER();
}

/* Whether norm(|V| |D|) allows for V; `row` is work. */
QN_DEV int is_good(const elem *d, const elem *inverse, elem *row, int t) {
  elem size = 0;
  if (t < NB) {
#pragma unroll 4
    for (int k = 0; k <= t; k++) size += fabs(d[k * LD + t]);
    row[t] = size;
  }
  QN_BARRIER();
  if (t < NB) {
    size *= fabs(inverse[t]);
#pragma unroll 4
    for (int k = 0; k < t; k++) size = acc_fma(fabs(d[t * LD + k]), row[k], size);
  }
  return __syncthreads_and(size <= CONDITION_MOST);
}

/* Puts V to d; says whether it is good. The diagonal is in place, `row` is work. */
QN_DEV int invert_block(elem *d, const elem *inverse, elem *row, int t) {
  const int first = t / 32 * 16;
  invert_16(d + first * LD + first, inverse + first, t % 32);
  QN_BARRIER();
#pragma unroll 1
  for (int s = 16; s < NB; s *= 2) join_halves(d, inverse, s, t);
  return is_good(d, inverse, row, t);
}

/* ---- the solution ---- */

/* Row warp + 8 (first) of V x, first by the bits of the lane but the last. Each lane adds up every
 * 32nd unknown of 16 rows, of which no more than j / 4 + 1 are on or before the diagonal. */
QN_DEV elem row_of_product(const elem *d, const elem *inverse, const elem *x, int warp, int lane,
                           int *row) {
  elem own[4], sum[16];
  int first = 0;
  QN_UNROLL
  for (int u = 0; u < 4; u++) own[u] = x[lane + 32 * u];
  QN_UNROLL
  for (int j = 0; j < 16; j++) {
    const int r = warp + 8 * j, last = j / 4;
    const int k = lane + 32 * last;
    sum[j] = k > r ? 0 : (k == r ? inverse[r] : d[r * LD + k]) * own[last];
    QN_UNROLL
    for (int u = 0; u < last; u++) sum[j] = acc_fma(d[r * LD + lane + 32 * u], own[u], sum[j]);
  }
  QN_UNROLL
  for (int round = 0; round < 4; round++) {
    const int half = 8 >> round, m = 2 * half, upper = (lane & m) != 0;
    QN_UNROLL
    for (int e = 0; e < 8; e++) {
      if (e >= half) continue;
      const elem keep = upper ? sum[e + half] : sum[e], give = upper ? sum[e] : sum[e + half];
      sum[e] = keep + __shfl_xor_sync(0xffffffffu, give, m);
    }
    first += upper ? half : 0;
  }
  *row = warp + 8 * first;
  return sum[0] + __shfl_xor_sync(0xffffffffu, sum[0], 1);
}

/* The warp's part of D x, every eighth unknown, to its place in `parts`. */
QN_DEV void put_parts(elem *parts, const elem *d, const elem *x, int warp, int lane) {
  elem sum[4] = {0, 0, 0, 0};
  QN_UNROLL
  for (int j = 0; j < 16; j++) {
    const int k = warp + 8 * j;
    const elem xk = x[k];
    QN_UNROLL
    for (int s = j / 4; s < 4; s++) {
      const int r = lane + 32 * s;
      if (s > j / 4 || r >= k) sum[s] = acc_fma(d[k * LD + r], xk, sum[s]);
    }
  }
  QN_UNROLL
  for (int s = 0; s < 4; s++) parts[warp * NB + lane + 32 * s] = sum[s];
}

/* x := D^-1 r by all threads; says whether it is finite. `work` has room for 9 NB. */
QN_DEV int solve_inverted(elem *x, const elem *r, const elem *d, const elem *inverse, elem *work,
                          int t) {
  const int warp = t / 32, lane = t % 32;
  elem *const rest = work + WARPS * NB;
  int row;
  elem v = row_of_product(d, inverse, r, warp, lane, &row);
  if (lane % 2 == 0) x[row] = v;
  QN_BARRIER();
  put_parts(work, d, x, warp, lane);
  QN_BARRIER();
  if (t < NB) {
    elem sum = work[t];
    QN_UNROLL
    for (int w = 1; w < WARPS; w++) sum += work[w * NB + t];
    rest[t] = r[t] - sum;
  }
  QN_BARRIER();
  v = row_of_product(d, inverse, rest, warp, lane, &row) + x[row];
  __syncwarp(); /* the pair's other lane has read x */
  if (lane % 2 == 0) x[row] = v;
  return __syncthreads_and(v - v == 0);
}
