/* Solves L X = alpha B for a lower triangle of any order and the fewest right-hand sides in one
 * launch, f32 and f64. A thread block makes NB rows of X for NC columns, as in trsm_walk.cu: sums
 * over the tiles of its row as X comes (thin_row.cu), then the diagonal block. Here blocks are
 * larger, for all that counts is the way through them, with a wait at each.
 *
 * What is a chain of divisions in the diagonal block D, 16 turns of a warp (thin_block.cu), is a
 * product with D^-1 (thin_one.cu, thin_refined.cu, thin_columns.cu), which is worked out while the
 * blocks before are solved (thin_inverse.cu). Blocks before `first`, which would wait for their
 * inverses longer than for X, D whose inverse is not accurate enough, and X that is not finite go
 * by substitution.
 *
 * L(i, k) = a[off_a + i si + k sj], B(i, r) = b[off_b + i bi + r br]: strides may be negative, so
 * that an upper triangle is a lower one from its end. X travels through `shared` (exchange.cu).
 *
 * Macros: QN_T 2 or 3; TRANS: whether |sj| is 1, else |si| is; BACK: whether strides are negative;
 * NC; KC, columns of a chunk; QN_SM. Grid: one thread block a ticket. */
#include "portable/prelude.cl"
#include "portable/element.cl"
#include "portable/vector.cl"
#include "cuda/copies.cu"
#include "cuda/exchange.cu"
#include "cuda/mma_f64.cu"
#include "portable/tame.cl"
#include "cuda/sound.cu"

#define NB      128
#define WARPS   8
#define THREADS (32 * WARPS)
#define LD      (NB + 4) /* of the diagonal block in shared memory, [k][row] */
#define WIDENS  (QN_T == 2)
#define ONE     (WIDENS && NC == 1)

typedef struct triangle {
  const elem *a;
  qn_i64 si, sj;
  int n, wide, ahead; /* whether reads of 16 bytes are possible, and tiles are brought ahead */
} triangle;

/* Where X of this thread block goes: the first of its rows and columns, and how many. */
typedef struct result {
  elem *shared, *b;
  qn_i64 bi, br;
  int rows, cols;
} result;

/* The stride that is not the leading dimension. */
#define ALONG (BACK ? -1 : 1)
#define SI    (TRANS ? p->si : ALONG)
#define SJ    (TRANS ? ALONG : p->sj)

QN_DEV void read_rows(elem *to, const elem *from, int count) {
  QN_UNROLL
  for (int i = 0; i < count; i += VW) UNVEC(to, i, *(const vec *)(from + i));
}

/* Four rows of a column to where they go. */
QN_DEV void put_rows(const result *to, int c, int row, const elem *x) {
  publish_run(to->shared + c * NB + row, x, 4);
  QN_UNROLL
  for (int s = 0; s < 4; s++)
    if (c < to->cols && row + s < to->rows) to->b[(row + s) * to->bi + c * to->br] = x[s];
}

#include "cuda/thin_row.cu"
#include "cuda/thin_block.cu"
#include "cuda/thin_inverse.cu"
#if NC > 1
#include "cuda/thin_columns.cu"
#elif WIDENS
#include "cuda/thin_one.cu"
#else
#include "cuda/thin_refined.cu"
#endif

/* ---- shared memory ---- */

/* The block in doubles, whose place D takes where there is no inverse; its reciprocals; work of the
 * solution; the right sides, [column][NB]; what put_sums leaves; the warp's part of X. */
typedef struct room {
  double *v, *v_inverse, *work;
  elem *d, *inverse, *rhs, *sums, *xs;
} room;

QN_DEV room room_of(vec *memory, int warp) {
  room m;
  m.v = (double *)memory, m.v_inverse = m.v + NB * LD, m.work = m.v_inverse + NB;
  m.d = (elem *)memory;
  m.inverse = WIDENS ? (elem *)(m.work + WORK) : (elem *)m.v_inverse;
  m.rhs = WIDENS ? m.inverse + NB : (elem *)(m.work + WORK);
  m.sums = m.rhs + NC * NB, m.xs = m.sums + SUMS + warp * (SPAN * NC);
  return m;
}

QN_DEV void load_right_sides(elem *rhs, const result *from, elem alpha, int t) {
  QN_UNROLL
  for (int m = 0; m < (NC * NB + THREADS - 1) / THREADS; m++) {
    const int e = t + m * THREADS, c = e / NB, row = e % NB;
    if (e >= NC * NB) break;
    const int there = c < from->cols && row < from->rows;
    rhs[e] = there ? acc_mul(alpha, from->b[row * from->bi + c * from->br]) : acc_zero();
  }
}

/* rhs := rhs - sums. For several columns in doubles, too, [column][RL], to where it says. */
QN_DEV double *settle_rows(const room *m, int rows, int t) {
  double *r = m->work;
  const int c = t / 32, row = t % 32 * 4, busy = NC == WARPS || c < NC;
  elem left[4], all[4] = {0, 0, 0, 0};
  if (busy) {
    QN_UNROLL
    for (int w = 0; w < PARTS; w++) {
      elem part[4];
#if BY_EIGHTHS
      QN_UNROLL
      for (int s = 0; s < 4; s++) part[s] = m->sums[SUM_AT(w, c, row + s)];
#else
      read_rows(part, m->sums + SUM_AT(w, c, row), 4);
#endif
      QN_UNROLL
      for (int s = 0; s < 4; s++) all[s] += part[s];
    }
    read_rows(left, m->rhs + c * NB + row, 4);
  }
#if NC > 1
  if (OVER_SUMS) {
    r = (double *)m->sums;
    QN_BARRIER();
  }
#endif
  if (busy) {
    QN_UNROLL
    for (int s = 0; s < 4; s++) {
      const elem x = row + s < rows ? left[s] - all[s] : 0; /* which zero times Inf is not */
      m->rhs[c * NB + row + s] = x;
#if NC > 1
      r[c * RL + row + s] = x;
#endif
    }
  }
  QN_BARRIER();
  return r;
}

/* ---- the walk ---- */

/* X := D^-1 rhs by substitution. */
QN_DEV void solve_by_turns(const result *to, const room *m, int tame, int warp, int lane) {
  acc r[OWN][4], x[OWN][4];
  const int own = warp * OWN;
  if (own >= NC) return;
  QN_UNROLL
  for (int c = 0; c < OWN; c++) read_rows(r[c], m->rhs + (own + c) * NB + 4 * lane, 4);
  if (tame)
    substitute(x, r, m->d, m->inverse, 1, lane);
  else
    substitute(x, r, m->d, m->inverse, 0, lane);
  QN_UNROLL
  for (int c = 0; c < OWN; c++) put_rows(to, own + c, 4 * lane, x[c]);
}

/* Whether runs of VW are aligned, and no row is beyond the matrix. */
QN_DEV int is_wide(const elem *a, qn_i64 ld, int rows) {
  const qn_u64 first = (qn_u64)(a - (BACK ? VW - 1 : 0));
  return first % 16 == 0 && ld * (int)sizeof(elem) % 16 == 0 && rows >= NB;
}

QN_DEV int next_ticket(int *counter, int t) {
  QN_LOCAL_VAR int taken;
  if (t == 0) taken = atomicAdd(counter, 1) + 1; /* it begins as all ones, too */
  QN_BARRIER();
  return taken;
}

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, 1) void trsm_thin(
    int n, qn_i64 nrhs, int unit, elem alpha, QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 si, qn_i64 sj, QN_GLOBAL elem *b, qn_i64 off_b, qn_i64 bi, qn_i64 br, int groups,
    int first, QN_GLOBAL elem *shared, qn_i64 ticket) {
  extern __shared__ vec memory[];
  const int t = QN_LID(0);
  const int taken = next_ticket((int *)(shared + ticket), t), group = taken % groups;
  const int i = taken / groups, row0 = i * NB, blocks = (n + NB - 1) / NB;
  const qn_i64 column = (qn_i64)group * NC;
  const int inverts = i >= first, wide = is_wide(a + off_a, TRANS ? si : sj, n - row0);
  const triangle p = {a + off_a, si, sj, n, wide, inverts};
  const place at = place_of(t, wide);
  const room m = room_of(memory, at.warp);
  shared += (qn_i64)group * blocks * (NC * NB);
  const result to = {
      shared + (qn_i64)row0 * NC,    b + off_b + column * br + row0 * bi, bi, br, n - row0,
      (int)QN_MIN(nrhs - column, NC)};

  int tame = 1;
  double *const size = (double *)m.sums;
  int good = inverts && load_block(m.v, m.v_inverse, size, &p, row0, unit, t);
  if (!good) copy_diagonal(m.d, &p, row0, t);
  load_right_sides(m.rhs, &to, alpha, t);
  if (!good) tame = ready_diagonal(m.d, m.inverse, row0, n, unit, t);
  for (int j = 0; inverts && j < QN_MIN(AHEAD, i); j++) prefetch_tile(&p, row0, j * NB);
  if (good && !invert_block(m.v, m.v_inverse, size, t)) {
    good = 0;
    tame = bring_diagonal(m.d, m.inverse, &p, row0, unit, t);
  }
#if ONE
  double held[HELD];
  if (good) hold_inverse(held, m.v, m.v_inverse, at.warp, at.lane);
#endif
  acc sum[4 * NC];
  QN_UNROLL
  for (int e = 0; e < 4 * NC; e++) sum[e] = acc_zero();
  sum_row(sum, m.xs, shared, &p, row0, &at);
  put_sums(m.sums, sum, &at);
  QN_BARRIER();
#if ONE
  if (good && solve_held(&to, held, m.rhs, m.sums, m.work, t)) return;
#endif
  double *const r = settle_rows(&m, n - row0, t);
#if NC > 1
  if (good && solve_columns(&to, m.v, m.v_inverse, r, t)) return;
#elif !ONE
  if (good && solve_refined(&to, m.v, m.v_inverse, m.rhs, m.work, t)) return;
#endif
  if (good) tame = bring_diagonal(m.d, m.inverse, &p, row0, unit, t);
  solve_by_turns(&to, &m, tame, at.warp, at.lane);
}
