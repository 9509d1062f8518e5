/* The diagonal block D of trsm_thin.cu for several columns, by products of tensor cores with its
 * inverse V in doubles (thin_inverse.cu), 16 rows a warp:
 *
 *   x := V r;  in f64 x := x + V (r - D x)
 *
 * In f32 V is of so many more digits than X that no correction is needed: what its rounding does to
 * X, 2^-53 NB norm(|V| |D|) at most, is less than X's own rounding. Right sides and X lie as
 * [column][RL]. Sums have a fixed order. */

#define RL        (NB + 4)
#define OVER_SUMS (!WIDENS) /* where right sides lie, for which there is no other room */
#define WORK      (OVER_SUMS ? 0 : NC * RL)

/* sum += the product of a fragment with right sides. */
QN_DEV void multiply_fragment(double *sum, const double *a, const double *right) {
  const double b[2] = {right[0], right[4]};
  mma_f64(sum, a, b);
}

/* x := V r, or D r; x[2 h + e] is row first + g + 8 h of column 2 q + e; `part` has one of the two
 * sums of each. */
QN_DEV void multiply_block(double *x, double *part, const double *d, const double *inverse,
                           int of_d, const double *r, int first, int lane) {
  const int g = lane / 4, q = lane % 4, along = of_d ? LD : 1, down = of_d ? 8 : 8 * LD;
  const double *from = of_d ? d + q * LD + first + g : d + (first + g) * LD + q;
  const double *right = r + (NC < 8 ? g % NC : g) * RL + q; /* some twice, not none */
  double sum[2][4] = {{0}};
#pragma unroll 2
  for (int k = 0; k < first; k += 16) {
    QN_UNROLL
    for (int s = 0; s < 2; s++, from += 8 * along, right += 8) {
      const double a[4] = {from[0], from[down], from[4 * along], from[4 * along + down]};
      multiply_fragment(sum[s], a, right);
    }
  }
  QN_UNROLL
  for (int s = 0; s < 2; s++, from += 8 * along, right += 8) {
    double a[4];
    QN_UNROLL
    for (int e = 0; e < 4; e++) {
      const int row = g + e % 2 * 8, j = 8 * s + q + e / 2 * 4;
      const double v = from[e / 2 * 4 * along + e % 2 * down],
                   own = of_d ? v : inverse[first + row];
      a[e] = j < row ? v : j == row ? own : 0;
    }
    multiply_fragment(sum[s], a, right);
  }
  QN_UNROLL
  for (int e = 0; e < 4; e++) x[e] = sum[0][e] + sum[1][e], part[e] = sum[0][e];
}

/* Where a thread's sum e is, of its warp's rows from `first` on. */
#define SUM_COLUMN(e) (2 * (lane % 4) + (e) % 2)
#define SUM_ROW(e)    (first + lane / 4 + (e) / 2 * 8)

#if !WIDENS
/* x := x + V (r - D x), `by` so much */
QN_DEV void correct(double *x, double *by, const double *d, const double *inverse, double *r,
                    int first, int lane) {
  double *const all = r + NC * RL;
  double sum[4], part[4];
  QN_UNROLL
  for (int e = 0; e < 4; e++)
    if (SUM_COLUMN(e) < NC) all[SUM_COLUMN(e) * RL + SUM_ROW(e)] = x[e];
  QN_BARRIER();
  multiply_block(sum, part, d, inverse, 1, all, first, lane);
  QN_UNROLL
  for (int e = 0; e < 4; e++)
    if (SUM_COLUMN(e) < NC) r[SUM_COLUMN(e) * RL + SUM_ROW(e)] -= sum[e];
  QN_BARRIER();
  multiply_block(by, part, d, inverse, 0, r, first, lane);
  QN_UNROLL
  for (int e = 0; e < 4; e++) x[e] += by[e];
}
#endif

/* X := D^-1 r, unless it is not finite or sound; says whether. Room for X follows r. */
QN_DEV int solve_columns(const result *to, const double *d, const double *inverse, double *r,
                         int t) {
  const int warp = t / 32, lane = t % 32;
  const int first = 16 * (warp < 4 ? warp : 11 - warp); /* long with short on each unit */
  double sum[4], part[4];
  elem x[4];
  int fine = 1;
  multiply_block(sum, part, d, inverse, 0, r, first, lane);
#if !WIDENS
  correct(sum, part, d, inverse, r, first, lane);
#endif
  QN_UNROLL
  for (int e = 0; e < 4; e++) {
    x[e] = (elem)sum[e];
    fine &= (SUM_COLUMN(e) >= NC) | ((x[e] - x[e] == 0) & is_sound(sum[e], part[e]));
  }
  if (!__syncthreads_and(fine)) return 0;
  QN_UNROLL
  for (int e = 0; e < 4; e++)
    if (SUM_COLUMN(e) < NC) publish_one(to->shared + SUM_COLUMN(e) * NB + SUM_ROW(e), x[e]);
  QN_UNROLL
  for (int e = 0; e < 4; e++)
    if (SUM_COLUMN(e) < to->cols && SUM_ROW(e) < to->rows)
      to->b[SUM_ROW(e) * to->bi + SUM_COLUMN(e) * to->br] = x[e];
  return 1;
}
