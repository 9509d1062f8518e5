/* What the tiled products share: which tile of C a group has, how its operands reach local memory,
 * how its sums leave.
 *
 *            BN                      A group computes a BM x BN tile of C. It walks over k in steps
 *        +--------+                  of BK: while the tiles of one step are multiplied out of local
 *     BK |   B    |                  memory, the next are fetched into registers, then put into the
 *        +--------+                  other of two local buffers: one barrier a step.
 *   BK
 *  +---+ +--------+                  Local memory holds op(A) as [k][m] and op(B) as [k][n], rows
 *  | A | |   C    | BM               padded (PAD) against bank conflicts.
 *  +---+ +--------+
 *
 * Grid: x = tiles of C, walked in bands of BAND tile rows so that a band's A and a few columns of B
 * stay in the last cache; y = 1; z = parts of k. With more than one part, each writes its raw sums to
 * part z of `work` (m x n, dense) and gemm_reduce adds them in a fixed order.
 * region: 0 all of C, 1 its lower, 2 its upper triangle (tiles outside return at once).
 *
 * Macros: QN_T (element.cl); C_F32 where C is f32 though A and B are halves; TRANSA, TRANSB 0 N, 1 T,
 * 2 C; BM BN BK THREADS. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"

#define BAND    8
#define MOVES_A (BM * BK / THREADS) /* elements of a tile that one item moves */
#define MOVES_B (BN * BK / THREADS)

/* An item's first element of a tile of A is (A_I0, A_P0); the others lie A_STEP apart along the
 * dimension that is not contiguous, so that neighbouring items read neighbouring memory. */
#if TRANSA
#define A_STEP (THREADS / BK)
#define A_I0   (t / BK)
#define A_P0   (t % BK)
#define A_I(s) (A_I0 + (s)*A_STEP)
#define A_P(s) A_P0
#else
#define A_STEP (THREADS / BM)
#define A_I0   (t % BM)
#define A_P0   (t / BM)
#define A_I(s) A_I0
#define A_P(s) (A_P0 + (s)*A_STEP)
#endif
#if TRANSB
#define B_STEP (THREADS / BN)
#define B_J0   (t % BN)
#define B_P0   (t / BN)
#define B_J(s) B_J0
#define B_P(s) (B_P0 + (s)*B_STEP)
#else
#define B_STEP (THREADS / BK)
#define B_J0   (t / BK)
#define B_P0   (t % BK)
#define B_J(s) (B_J0 + (s)*B_STEP)
#define B_P(s) B_P0
#endif

/* First row and column of the group's tile. */
QN_DEV void tile_origin(qn_i64 m, qn_i64 n, qn_i64 *i0, qn_i64 *j0) {
  const int tiles_m = (int)((m + BM - 1) / BM), tiles_n = (int)((n + BN - 1) / BN);
  const int band = QN_WGID(0) / (BAND * tiles_n), in_band = QN_WGID(0) % (BAND * tiles_n);
  const int rows = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
  *i0 = (qn_i64)(band * BAND + in_band % rows) * BM;
  *j0 = (qn_i64)(in_band / rows) * BN;
}

/* Fetches an item's share of one tile of A; `a` points at the item's first element, `m` and `k` are
 * what is left of A from the tile's origin on. Elements beyond it count as zero. */
QN_DEV void fetch_a(acc *next, int t, int whole, QN_GLOBAL const elem *a, qn_i64 lda,
                    qn_i64 m, qn_i64 k) {
  if (whole) {
    QN_UNROLL for (int s = 0; s < MOVES_A; s++) {
      next[s] = acc_load(*a);
      a += A_STEP * lda;
    }
  } else {
    QN_UNROLL for (int s = 0; s < MOVES_A; s++) {
      if (A_I(s) < m && A_P(s) < k)
        next[s] = acc_load(a[(qn_i64)(s * A_STEP) * lda]);
      else
        next[s] = acc_zero();
    }
  }
  if (TRANSA == 2) {
    QN_UNROLL for (int s = 0; s < MOVES_A; s++) next[s] = acc_conj(next[s]);
  }
}

QN_DEV void fetch_b(acc *next, int t, int whole, QN_GLOBAL const elem *b, qn_i64 ldb,
                    qn_i64 n, qn_i64 k) {
  if (whole) {
    QN_UNROLL for (int s = 0; s < MOVES_B; s++) {
      next[s] = acc_load(*b);
      b += B_STEP * ldb;
    }
  } else {
    QN_UNROLL for (int s = 0; s < MOVES_B; s++) {
      if (B_J(s) < n && B_P(s) < k)
        next[s] = acc_load(b[(qn_i64)(s * B_STEP) * ldb]);
      else
        next[s] = acc_zero();
    }
  }
  if (TRANSB == 2) {
    QN_UNROLL for (int s = 0; s < MOVES_B; s++) next[s] = acc_conj(next[s]);
  }
}

/* One sum leaves: to C through the epilogue, or raw to a part of the workspace. */
QN_DEV void put_sum(qn_i64 m, qn_i64 n, int region, qn_i64 i, qn_i64 j, acc sum, acc alpha, acc beta,
                    QN_GLOBAL out *c, qn_i64 ldc, int parts,
                    QN_GLOBAL acc *work EPILOGUE_PARAMS) {
  if (i >= m || j >= n || (region == 1 && i < j) || (region == 2 && i > j)) return;
  if (parts > 1)
    work[(QN_WGID(2) * n + j) * m + i] = sum;
  else
    out_update(c + i + j * ldc, alpha, sum, beta, i, j EPILOGUE_PASS);
}
