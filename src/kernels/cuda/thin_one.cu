/* The diagonal block of trsm_thin.cu for one column in f32 by a product with its inverse V in
 * doubles (thin_inverse.cu). V is of so many more digits than X that no correction is needed: what
 * its rounding does to X, 2^-53 NB norm(|V| |D|) at most, is less than X's own rounding.
 *
 * Every eighth pair of unknowns is a warp's, which has the columns of V for them in registers, a
 * lane the rows lane + 32 s. A warp needs the right sides of its unknowns alone, so that all
 * threads meet but twice. Sums have a fixed order. */

#define WORK  (WARPS * NB + NB)
#define SHARE (NB / WARPS)
#define HELD  40 /* of V in a thread: s >= j / 4 in column j */

/* Unknown j of a warp. */
#define UNKNOWN(warp, j) (2 * (warp) + (j) / 2 * 16 + (j) % 2)

/* The thread's part of V. */
QN_DEV void hold_inverse(double *v, const double *d, const double *inverse, int warp, int lane) {
  QN_UNROLL
  for (int j = 0, at = 0; j < SHARE; j += 2) {
    const int k = UNKNOWN(warp, j);
    QN_UNROLL
    for (int s = j / 4; s < 4; s++, at += 2) {
      const int r = lane + 32 * s;
      const double2 two = *(const double2 *)(d + r * LD + k);
      const double own = inverse[r];
      v[at] = s > j / 4 || r > k ? two.x : r == k ? own : 0;
      v[at + 1] = s > j / 4 || r > k + 1 ? two.y : r == k + 1 ? own : 0;
    }
  }
}

/* rhs - sums of unknown j of the warp; lanes 0 and 16 on have the same. */
QN_DEV elem right_side(const elem *rhs, const elem *sums, int rows, int warp, int lane) {
  const int k = UNKNOWN(warp, lane % 16);
  elem all = 0;
#if BY_EIGHTHS
  QN_UNROLL
  for (int w = 0; w < PARTS; w += 2) all += sums[SUM_AT(w + lane / 16, 0, k)];
  all += __shfl_xor_sync(0xffffffffu, all, 16);
#else
  all = sums[k];
#endif
  return k < rows ? rhs[k] - all : 0;
}

/* X := V (rhs - sums), unless it is not finite or sound; says whether. */
QN_DEV int solve_held(const result *to, const double *v, const elem *rhs, const elem *sums,
                      double *work, int t) {
  const int warp = t / 32, lane = t % 32;
  double *const mine = work + WARPS * NB + warp * SHARE;
  double sum[4][2] = {{0}};
  const elem right = right_side(rhs, sums, to->rows, warp, lane);
  if (lane < 16) mine[lane] = right;
  __syncwarp();
  QN_UNROLL
  for (int j = 0, at = 0; j < SHARE; j += 2) {
    const double2 two = *(const double2 *)(mine + j);
    QN_UNROLL
    for (int s = j / 4; s < 4; s++, at += 2) {
      sum[s][0] = fma(v[at], two.x, sum[s][0]);
      sum[s][1] = fma(v[at + 1], two.y, sum[s][1]);
    }
  }
  QN_UNROLL
  for (int s = 0; s < 4; s++) work[warp * NB + lane + 32 * s] = sum[s][0] + sum[s][1];
  QN_BARRIER();
  elem x = 0;
  double all = 0, part = 0;
  if (t < NB) {
    double w[WARPS];
    QN_UNROLL
    for (int e = 0; e < WARPS; e++) w[e] = work[e * NB + t];
    part = (w[0] + w[1]) + (w[2] + w[3]);
    all = part + ((w[4] + w[5]) + (w[6] + w[7]));
    x = (elem)all;
  }
  if (!__syncthreads_and((x - x == 0) & is_sound(all, part))) return 0;
  if (t < NB) publish_one(to->shared + t, x);
  if (t < NB && t < to->rows) to->b[t * to->bi] = x;
  return 1;
}
