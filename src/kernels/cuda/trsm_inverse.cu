/* The inverses of diagonal blocks, NB x NB, of op(A), for trsm_tensor.cu, by a warp each.
 *
 * V lies by eights: those at (i, j), j <= i, rows and columns in the order of their solution, one
 * after another, each [row][column] as in memory, where a lane's fragment is side by side.
 *
 * Macros: QN_T = 2 or 3; TRANS, BACK (element (r, k) of op(A) is a[k + r lda]; the last unknown
 * comes first). */
#include "portable/tame.cl"

typedef double2 pair;

#define NB     32
#define EIGHTS (NB / 8)

/* Which eight of a block in memory is number s of its solution. */
#define EIGHT(s) (BACK ? EIGHTS - 1 - (s) : (s))

/* out := sums + left right over 8 unknowns, the instruction of trsm_tensor.cu */

QN_DEV void multiply_to(double out[4], const double sums[4], const double left[4],
                        const double right[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%10,%11,%12,%13};"
      : "=d"(out[0]), "=d"(out[1]), "=d"(out[2]), "=d"(out[3])
      : "d"(left[0]), "d"(left[2]), "d"(left[1]), "d"(left[3]), "d"(right[0]), "d"(right[1]),
        "d"(sums[0]), "d"(sums[1]), "d"(sums[2]), "d"(sums[3]));
}

/* out := out - left right */
QN_DEV void multiply_off(double out[4], const double left[4], const double right[2]) {
  const double minus[4] = {-left[0], -left[1], -left[2], -left[3]};
  multiply_to(out, out, minus, right);
}

typedef struct triangle {
  const elem *a;
  qn_i64 lda;
  int n, unit;
  int wide; /* 16-byte copies are possible */
} triangle;

#define SUB(i, j)      (((i) * ((i) + 1) / 2 + (j)) * 64)
#define INVERSE        (EIGHTS * (EIGHTS + 1) / 2 * 64)
#define KEPT           (INVERSE + 2) /* in memory, with a number that says whether it is good */
#define CONDITION_MOST (QN_T == 2 ? 1048576.0 : 274877906944.0) /* 2^20, 2^38 */

/* Element (r, k) of op(A), both in memory's order, of the triangle alone. No branch: all of a
 * lane's are read at a time. */
QN_DEV double element_at(const triangle *p, int r, int k) {
  const int there = r < p->n && k < p->n && (BACK ? r <= k : r >= k);
  const double x = there ? p->a[TRANS ? k + r * p->lda : r + k * p->lda] : (elem)0;
  return r == k && (p->unit || r >= p->n) ? 1 : x;
}

/* The block that begins at `row` as it is. */
QN_DEV void read_diagonal(double *v, const triangle *p, int row, int lane) {
  const int along = lane % 8, across = lane / 8, r = TRANS ? across : along,
            k = TRANS ? along : across, h = TRANS ? 32 : 4; /* four rows, or columns, on */
  double x[EIGHTS][EIGHTS][2];
  QN_UNROLL
  for (int i = 0; i < EIGHTS; i++) {
    QN_UNROLL
    for (int e = 0; e < 2 * (i + 1); e++)
      x[i][e / 2][e % 2] = element_at(p, row + 8 * EIGHT(i) + r + (TRANS ? e % 2 * 4 : 0),
                                      row + 8 * EIGHT(e / 2) + k + (TRANS ? 0 : e % 2 * 4));
  }
  QN_UNROLL
  for (int i = 0; i < EIGHTS; i++) {
    QN_UNROLL
    for (int e = 0; e < 2 * (i + 1); e++)
      v[SUB(i, e / 2) + r * 8 + k + e % 2 * h] = x[i][e / 2][e % 2];
  }
  __syncwarp();
}

/* Sum over k of |row r of the block's eight `own`| times size k of the lanes, or of 1. Lanes begin
 * at various k, so that they do not meet in a bank. */
QN_DEV double sum_row(const double *v, int own, int r, const double *size) {
  double sum[2] = {0, 0};
  QN_UNROLL
  for (int j = 0; j < EIGHTS; j++) {
    QN_UNROLL
    for (int k = 0; k < 8; k++) {
      const double times = size ? __shfl_sync(0xffffffffu, *size, 8 * j + (r + k) % 8) : 1;
      if (j <= own) sum[k % 2] += fabs(v[SUB(own, j) + r * 8 + (r + k) % 8]) * times;
    }
  }
  return sum[0] + sum[1];
}

#define PLACE(x) (BACK ? 7 - (x) : (x)) /* in memory, of number x of the solution */

/* Each of the eights at the diagonal becomes its inverse, a column by each of eight lanes. */
QN_DEV void invert_eights(double *v, int lane) {
  double *const d = v + SUB(lane / 8, lane / 8);
  const int c = lane % 8;
  const double own = 1 / d[PLACE(c) * 9];
  double column[8];
  QN_UNROLL
  for (int r = 0; r < 8; r++) {
    double sum = r == c;
    QN_UNROLL
    for (int k = 0; k < r; k++) sum = fma(-d[PLACE(r) * 8 + PLACE(k)], column[k], sum);
    column[r] = sum * __shfl_sync(0xffffffffu, own, r, 8);
  }
  __syncwarp();
  QN_UNROLL
  for (int r = 0; r < 8; r++) d[PLACE(r) * 8 + PLACE(c)] = column[r];
  __syncwarp();
}

/* The lane's numbers of the eights at `v`. */
QN_DEV void read_eight(double right[2], const double *v, int lane) {
  const pair both = *(const pair *)(v + 2 * lane);
  right[0] = both.x, right[1] = both.y;
}

/* Solves for the columns of the identity, 16 at a time, by the inverses of the eights. */
QN_DEV void invert_rest(double *v, int lane) {
  const int g = lane / 4, q = lane % 4;
  const double zero[4] = {0, 0, 0, 0};
  double y[2][EIGHTS][4];
  QN_UNROLL
  for (int h = 0; h < 2; h++) {
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) {
      QN_UNROLL
      for (int e = 0; e < 4; e++) y[h][s][e] = s == 2 * h + e / 2 && g == 2 * q + e % 2;
    }
    QN_UNROLL
    for (int s = 2 * h; s < EIGHTS; s++) {
      double right[2];
      read_eight(right, v + SUB(s, s), lane);
      multiply_to(y[h][s], zero, y[h][s], right);
      QN_UNROLL
      for (int later = s + 1; later < EIGHTS; later++) {
        read_eight(right, v + SUB(later, s), lane);
        multiply_off(y[h][later], y[h][s], right);
      }
    }
  }
  __syncwarp();
  QN_UNROLL
  for (int h = 0; h < 2; h++) {
    QN_UNROLL
    for (int s = 2 * h; s < EIGHTS; s++) {
      QN_UNROLL
      for (int e = 0; e < 4; e++) {
        const int j = 2 * h + e / 2;
        if (j < s) v[SUB(s, j) + (2 * q + e % 2) * 8 + g] = y[h][s][e];
      }
    }
  }
  __syncwarp();
}

/* By one warp; says whether the inverse is good. */
QN_DEV int invert_block(double *v, const triangle *p, int row, int lane) {
  const int own = lane / 8, r = lane % 8;
  read_diagonal(v, p, row, lane);
  const int tame = is_tame((elem)v[SUB(own, own) + r * 9]);
  const double size = sum_row(v, own, r, 0);
  __syncwarp();
  invert_eights(v, lane);
  invert_rest(v, lane);
  const double condition = sum_row(v, own, r, &size); /* by all lanes: they exchange sizes */
  return __all_sync(0xffffffffu, tame && condition <= CONDITION_MOST);
}
