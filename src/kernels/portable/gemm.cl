/* C := alpha op(A) op(B) + beta C by tiles of local memory and registers, for GPUs (gemm_tile.cl).
 *
 * Each item holds TM x TN accumulators as TM/VW by TN/VW small squares; 32 neighbouring items (a
 * "warp") share a WM x WN part of the tile, LX items along m and LY along n, so that their reads of
 * local memory fall into few wide rows:
 *
 *        WN: LY items of VW columns, TN/VW times
 *      +--+--+--+--+
 *   WM |  |  |  |  |   LX items of VW rows, TM/VW times
 *      +--+--+--+--+
 *
 * The products of one step run in a serpentine over the fragment, so that each uses a register of
 * the one before.
 *
 * Macros: those of gemm_tile.cl; TM TN WM WN; RESIDENT, the groups that a multiprocessor is to hold,
 * which bounds the registers of an item. */
#include "portable/gemm_tile.cl"
#include "portable/vector.cl"

#define LX      (WM / TM)
#define LY      (WN / TN)
#define WARPS_M (BM / WM)

QN_KERNEL QN_WG_SIZE_PER_UNIT(THREADS, 1, 1, RESIDENT) void
gemm(qn_i64 m, qn_i64 n, qn_i64 k, int region, acc alpha, QN_GLOBAL const elem *QN_RESTRICT a,
     qn_i64 off_a, qn_i64 lda, QN_GLOBAL const elem *QN_RESTRICT b, qn_i64 off_b, qn_i64 ldb,
     acc beta, QN_GLOBAL out *QN_RESTRICT c, qn_i64 off_c, qn_i64 ldc, int parts, qn_i64 k_part,
     QN_GLOBAL acc *QN_RESTRICT work EPILOGUE_PARAMS) {
  QN_LOCAL_VAR vec as[2][BK][BM / VW + 1];
  QN_LOCAL_VAR vec bs[2][BK][BN / VW + 1];
  const int t = QN_LID(0);

  qn_i64 i0, j0;
  tile_origin(m, n, &i0, &j0);
  if ((region == 1 && i0 + BM <= j0) || (region == 2 && j0 + BN <= i0)) return;
  const qn_i64 k_from = QN_WGID(2) * k_part;
  const qn_i64 k_to = k_from + k_part < k ? k_from + k_part : k;
  const int inside = i0 + BM <= m && j0 + BN <= n;
  QN_GLOBAL const elem *next_tile_a =
      a + off_a + (TRANSA ? k_from + A_P0 + (i0 + A_I0) * lda : i0 + A_I0 + (k_from + A_P0) * lda);
  QN_GLOBAL const elem *next_tile_b =
      b + off_b + (TRANSB ? j0 + B_J0 + (k_from + B_P0) * ldb : k_from + B_P0 + (j0 + B_J0) * ldb);

  const int warp = t / 32, lane = t % 32;
  const int row = (warp % WARPS_M) * WM + (lane % LX) * VW;
  const int col = (warp / WARPS_M) * WN + (lane / LX) * VW;
  acc sum[TN][TM];
  QN_UNROLL for (int j = 0; j < TN; j++) {
    QN_UNROLL for (int i = 0; i < TM; i++) sum[j][i] = acc_zero();
  }

  acc next_a[MOVES_A], next_b[MOVES_B];
  int buf = 0;
  /* The first step's fetch stands before the loop, so that the loop itself is one straight run. */
  qn_i64 left = k_to - k_from; /* of k, from the tile to fetch on */
  if (left > 0) {
    fetch_a(next_a, t, inside && left >= BK, next_tile_a, lda, m - i0, left);
    fetch_b(next_b, t, inside && left >= BK, next_tile_b, ldb, n - j0, left);
    QN_UNROLL for (int s = 0; s < MOVES_A; s++)
      ((QN_LOCAL_PTR acc *)as[buf][A_P(s)])[A_I(s)] = next_a[s];
    QN_UNROLL for (int s = 0; s < MOVES_B; s++)
      ((QN_LOCAL_PTR acc *)bs[buf][B_P(s)])[B_J(s)] = next_b[s];
    QN_BARRIER();
  }
  while (left > 0) {
    left -= BK;
    if (left > 0) {
      next_tile_a += TRANSA ? BK : BK * lda;
      next_tile_b += TRANSB ? BK * ldb : BK;
      fetch_a(next_a, t, inside && left >= BK, next_tile_a, lda, m - i0, left);
      fetch_b(next_b, t, inside && left >= BK, next_tile_b, ldb, n - j0, left);
    }
    QN_UNROLL for (int p = 0; p < BK; p++) {
      acc fa[TM], fb[TN];
      QN_UNROLL for (int v = 0; v < TM / VW; v++) UNVEC(fa, v * VW, as[buf][p][row / VW + v * LX]);
      QN_UNROLL for (int v = 0; v < TN / VW; v++) UNVEC(fb, v * VW, bs[buf][p][col / VW + v * LY]);
      QN_UNROLL for (int j = 0; j < TN; j++) {
        QN_UNROLL for (int s = 0; s < TM; s++) {
          const int i = j % 2 ? TM - 1 - s : s;
          sum[j][i] = acc_fma(fa[i], fb[j], sum[j][i]);
        }
      }
    }
    buf ^= 1;
    if (left > 0) {
      QN_UNROLL for (int s = 0; s < MOVES_A; s++)
        ((QN_LOCAL_PTR acc *)as[buf][A_P(s)])[A_I(s)] = next_a[s];
      QN_UNROLL for (int s = 0; s < MOVES_B; s++)
        ((QN_LOCAL_PTR acc *)bs[buf][B_P(s)])[B_J(s)] = next_b[s];
      QN_BARRIER();
    }
  }

  QN_UNROLL for (int j = 0; j < TN; j++) {
    QN_UNROLL for (int i = 0; i < TM; i++)
      put_sum(m, n, region, i0 + row + (i / VW) * LX * VW + i % VW,
              j0 + col + (j / VW) * LY * VW + j % VW, sum[j][i], alpha, beta, c + off_c, ldc, parts,
              work EPILOGUE_PASS);
  }
}
