/* C := alpha op(A) op(B) + beta C in f64 on NVIDIA's tensor cores (gemm_tile.cl has the tile).
 *
 * The instruction is inline PTX, which NVIDIA's OpenCL accepts as CUDA does, so one source serves
 * both. sm_90 and newer multiply 16 x 8 x 8 at a time, sm_80 8 x 8 x 4:
 *
 *   lane = 4 g + q     A: row g (and g + 8), k = q (and q + 4)     B: k = q (and q + 4), column g
 *                      C: row g (and g + 8), columns 2 q, 2 q + 1
 *
 * A warp computes WM x WN. Rows of local memory are padded to 4 more than a multiple of 16 doubles:
 * the 16 lanes of a half warp, 4 rows of k by 4 of m, then touch 16 different pairs of banks.
 *
 * Macros: those of gemm_tile.cl; QN_T 3; WM WN; QN_SM (80, 90, ...). */
#include "portable/gemm_tile.cl"

#define WARPS_M (BM / WM)
#define STEP_M  (QN_SM >= 90 ? 16 : 8)
#define TILES_M (WM / STEP_M)
#define TILES_N (WN / 8)
#define ROW_A   (BM + 4)
#define ROW_B   (BN + 4)

#if QN_SM >= 90
#define HALVES 2 /* of m in one instruction, and of k */
QN_DEV void mma(double *c, const double *a, const double *b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
         "{%0,%1,%2,%3};"
         : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
         : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
#else
#define HALVES 1
QN_DEV void mma(double *c, const double *a, const double *b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
         : "+d"(c[0]), "+d"(c[1])
         : "d"(a[0]), "d"(b[0]));
}
#endif

QN_KERNEL QN_WG_SIZE(THREADS, 1, 1) void
gemm(qn_i64 m, qn_i64 n, qn_i64 k, int region, acc alpha, QN_GLOBAL const elem *QN_RESTRICT a,
     qn_i64 off_a, qn_i64 lda, QN_GLOBAL const elem *QN_RESTRICT b, qn_i64 off_b, qn_i64 ldb,
     acc beta, QN_GLOBAL out *QN_RESTRICT c, qn_i64 off_c, qn_i64 ldc, int parts, qn_i64 k_part,
     QN_GLOBAL acc *QN_RESTRICT work EPILOGUE_PARAMS) {
  QN_LOCAL_VAR double as[2][BK][ROW_A];
  QN_LOCAL_VAR double bs[2][BK][ROW_B];
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

  const int warp = t / 32, lane = t % 32, g = lane / 4, q = lane % 4;
  const int row = (warp % WARPS_M) * WM + g, col = (warp / WARPS_M) * WN;
  double sum[TILES_M][TILES_N][2 * HALVES];
  QN_UNROLL for (int i = 0; i < TILES_M; i++) {
    QN_UNROLL for (int j = 0; j < TILES_N; j++) {
      QN_UNROLL for (int s = 0; s < 2 * HALVES; s++) sum[i][j][s] = 0;
    }
  }

  acc next_a[MOVES_A], next_b[MOVES_B];
  int buf = 0;
  /* The first step's fetch stands before the loop, so that the loop itself is one straight run. */
  qn_i64 left = k_to - k_from; /* of k, from the tile to fetch on */
  if (left > 0) {
    fetch_a(next_a, t, inside && left >= BK, next_tile_a, lda, m - i0, left);
    fetch_b(next_b, t, inside && left >= BK, next_tile_b, ldb, n - j0, left);
    QN_UNROLL for (int s = 0; s < MOVES_A; s++) as[buf][A_P(s)][A_I(s)] = next_a[s];
    QN_UNROLL for (int s = 0; s < MOVES_B; s++) bs[buf][B_P(s)][B_J(s)] = next_b[s];
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
    QN_UNROLL for (int p = 0; p < BK; p += 4 * HALVES) {
      double fa[TILES_M][HALVES * HALVES], fb[TILES_N][HALVES];
      QN_UNROLL for (int i = 0; i < TILES_M; i++) {
        QN_UNROLL for (int s = 0; s < HALVES * HALVES; s++)
          fa[i][s] = as[buf][p + q + s / 2 * 4][row + i * STEP_M + s % 2 * 8];
      }
      QN_UNROLL for (int j = 0; j < TILES_N; j++) {
        QN_UNROLL for (int s = 0; s < HALVES; s++) fb[j][s] = bs[buf][p + q + s * 4][col + j * 8 + g];
      }
      QN_UNROLL for (int i = 0; i < TILES_M; i++) {
        QN_UNROLL for (int j = 0; j < TILES_N; j++) mma(sum[i][j], fa[i], fb[j]);
      }
    }
    buf ^= 1;
    if (left > 0) {
      QN_UNROLL for (int s = 0; s < MOVES_A; s++) as[buf][A_P(s)][A_I(s)] = next_a[s];
      QN_UNROLL for (int s = 0; s < MOVES_B; s++) bs[buf][B_P(s)][B_J(s)] = next_b[s];
      QN_BARRIER();
    }
  }

  QN_UNROLL for (int i = 0; i < TILES_M; i++) {
    QN_UNROLL for (int j = 0; j < TILES_N; j++) {
      QN_UNROLL for (int s = 0; s < 2 * HALVES; s++)
        put_sum(m, n, region, i0 + row + i * STEP_M + s / 2 * 8, j0 + col + j * 8 + 2 * q + s % 2,
                sum[i][j][s], alpha, beta, c + off_c, ldc, parts,
                work EPILOGUE_PASS);
    }
  }
}
