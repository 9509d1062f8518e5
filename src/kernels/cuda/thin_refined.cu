/* The diagonal block D of trsm_thin.cu for one column in f64, by its inverse V (thin_inverse.cu):
 * what substitution does in 16 turns takes three products of all threads, half as long.
 *
 *   x := V r;  x := x + V (r - D x)
 *
 * The correction takes what V's rounding did to x. Sums have a fixed order. */

#define WORK (NB + WARPS * NB + NB)

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

/* X := D^-1 r, unless it is not finite or sound; says whether. */
QN_DEV int solve_refined(const result *to, const elem *d, const elem *inverse, const elem *r,
                         elem *work, int t) {
  const int warp = t / 32, lane = t % 32;
  elem *const rest = work + WARPS * NB, *const x = rest + NB;
  int row;
  elem v = row_of_product(d, inverse, r, 0, warp, lane, &row);
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
  const elem by = row_of_product(d, inverse, rest, 0, warp, lane, &row);
  v = by + x[row];
  __syncwarp(); /* the pair's other lane has read x */
  if (lane % 2 == 0) x[row] = v;
  if (!__syncthreads_and((v - v == 0) & is_sound(v, by))) return 0;
  if (t < 32) put_rows(to, 0, 4 * t, x + 4 * t);
  return 1;
}
