/* Eight unknowns of trsm_tensor.cu and their 8 x 8 block D of the diagonal.
 *
 *   x := V r            V = D^-1, worked out ahead for all eights of the triangle
 *   x := x + V (r - D x)
 *
 * three instructions, each of which waits for the one before. The correction takes what V's
 * rounding did to x: backward errors are those of substitution as long as that is small, 8 u
 * norm(|V| |D|) <= 2^-10 (which rows graded by powers of two do not raise). In f32 V is of more
 * digits than X, and none is needed. Where V is no good, or x not finite, for then zeros of V may
 * have become NaN: by substitution, four turns of the lanes of a column.
 *
 * V lies as [row][column], a lane's fragment of it side by side. */

/* What is known of all eights, each in its place from the triangle's first row on. */
typedef struct eights {
  const double *v;
  const int *good;
  int n, unit;
} eights;

#define CONDITION_MOST (QN_T == 2 ? 1048576.0 : 1099511627776.0) /* 2^20, 2^40 */

/* Element (r, k) of a block of the triangle, rows and columns in the order of their solution. */
QN_DEV double eight_at(const triangle *p, int row0, int r, int k, int unit) {
  const int row = row0 + (BACK ? 7 - r : r), col = row0 + (BACK ? 7 - k : k);
  if (r == k && (unit || row >= p->n)) return 1;
  if (row >= p->n || col >= p->n) return 0;
  return p->a[TRANS ? col + row * p->lda : row + col * p->lda];
}

/* Column c of the inverse of one block by each of eight lanes; says whether it is good. */
QN_DEV int invert_eight(double *v, const triangle *p, int row0, int c, int unit) {
  double by[8], column[8], l[8][8], size = 0;
  const double own = eight_at(p, row0, c, c, unit);
  QN_UNROLL
  for (int r = 0; r < 8; r++) {
    QN_UNROLL
    for (int k = 0; k < r; k++) l[r][k] = eight_at(p, row0, r, k, unit);
  }
  QN_UNROLL
  for (int r = 0; r < 8; r++) by[r] = __shfl_sync(0xffffffffu, 1 / own, r, 8);
  QN_UNROLL
  for (int r = 0; r < 8; r++) {
    double sum = r == c, row = 0;
    QN_UNROLL
    for (int k = 0; k < r; k++) sum = fma(-l[r][k], column[k], sum), row += fabs(l[r][k]);
    column[r] = sum * by[r];
    if (r == c) size = row + fabs(own);
    v[(BACK ? 7 - r : r) * 8 + (BACK ? 7 - c : c)] = column[r];
  }
  int good = is_tame((elem)own);
  QN_UNROLL
  for (int r = 0; r < 8; r++) { /* row r of |V| |D| */
    double sum = fabs(column[r]) * size;
    QN_UNROLL
    for (int m = 4; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m);
    good = good && sum <= CONDITION_MOST;
  }
  QN_UNROLL
  for (int m = 4; m > 0; m /= 2) good &= __shfl_xor_sync(0xffffffffu, good, m);
  return good;
}

/* Of all eights, by those threads that multiply; a barrier has to follow. */
QN_DEV void invert_eights(double *v, int *good, const triangle *p, int count, int t, int unit) {
  _Pragma("unroll 1") for (int e = t / 8; e < count; e += 4 * WARPS) {
    const int fine = invert_eight(v + 64 * e, p, 8 * e, t % 8, unit);
    if (t % 8 == 0) good[e] = fine;
  }
}

QN_DEV int is_finite(double x) {
  return (QN_BITS_OF_F64(x) >> 52 & 0x7ff) != 0x7ff;
}

/* y := D^-1 r of eight p of a block by its inverse; says whether all of the warp's y are finite. */
QN_DEV int solve_by_inverse(double y[4], const double r[4], const elem *from, const eights *e,
                            int block, int p, int row, int lane) {
  const int g = lane / 4, q = lane % 4;
  const double *const at = e->v + (block * EIGHTS + p) * 64 + 2 * lane, zero[4] = {0, 0, 0, 0};
  const double v[2] = {at[0], at[1]};
  multiply_to(y, zero, r, v);
  if (QN_T == 3) {
    double d[2], rest[4];
    read_right(d, from, p, p);
    QN_UNROLL
    for (int h = 0; h < 2; h++) {
      const int k = 2 * q + h;
      if (BACK ? k < g : k > g) d[h] = 0;
      if (k == g && (e->unit || row + g >= e->n)) d[h] = 1;
    }
    const double left[4] = {-y[0], -y[1], -y[2], -y[3]};
    multiply_to(rest, r, left, d);
    multiply_to(y, y, rest, v);
  }
  return __all_sync(0xffffffffu,
                    is_finite(y[0]) && is_finite(y[1]) && is_finite(y[2]) && is_finite(y[3]));
}

/* The same by substitution: at each turn one of the four lanes of a column has both its unknowns,
 * and the others take them off theirs. `d` is the block's first element, `rows` of it are there. */
QN_DEV void solve_by_turns(double y[4], const double r[4], const elem *d, int rows, int unit,
                           int q) {
  const double by0 = unit || 2 * q >= rows ? 1 : d[AT(2 * q, 2 * q)],
               by1 = unit || 2 * q + 1 >= rows ? 1 : d[AT(2 * q + 1, 2 * q + 1)];
  const double own = BACK ? d[AT(2 * q, 2 * q + 1)] : d[AT(2 * q + 1, 2 * q)];
  double x[4] = {r[0], r[1], r[2], r[3]};
  _Pragma("unroll 1") for (int turn = 0; turn < 4; turn++) {
    const int p = BACK ? 3 - turn : turn;
    double v[4];
    QN_UNROLL
    for (int c = 0; c < 4; c += 2) { /* both columns */
      double first = BACK ? x[c + 1] : x[c], second = BACK ? x[c] : x[c + 1];
      first /= BACK ? by1 : by0;
      second = fma(-own, first, second) / (BACK ? by0 : by1);
      v[c] = __shfl_sync(0xffffffffu, BACK ? second : first, p, 4);
      v[c + 1] = __shfl_sync(0xffffffffu, BACK ? first : second, p, 4);
    }
    QN_UNROLL
    for (int h = 0; h < 2; h++) { /* both of the lane's unknowns */
      const double l0 = d[AT(2 * q + h, 2 * p)], l1 = d[AT(2 * q + h, 2 * p + 1)];
      QN_UNROLL
      for (int c = 0; c < 4; c += 2) {
        if (q == p) x[c + h] = v[c + h];
        if (BACK ? q < p : q > p) {
          x[c + h] = fma(-(BACK ? l1 : l0), BACK ? v[c + 1] : v[c], x[c + h]);
          x[c + h] = fma(-(BACK ? l0 : l1), BACK ? v[c] : v[c + 1], x[c + h]);
        }
      }
    }
  }
  QN_UNROLL
  for (int c = 0; c < 4; c++) y[c] = x[c];
}
