/* C := alpha op(A) op(B) + beta C by tiles of local memory and registers, for GPUs.
 *
 *            BN                      A group computes a BM x BN tile of C. It walks over k in steps
 *        +--------+                  of BK: while the tile of one step is multiplied out of local
 *     BK |   B    |                  memory, the next is fetched into registers, then put into the
 *        +--------+                  other of two local buffers: one barrier a step.
 *   BK
 *  +---+ +--------+                  Each item holds TM x TN accumulators as TM/VW by TN/VW small
 *  | A | |   C    | BM               squares; 32 neighbouring items ("warp") share a WM x WN part,
 *  +---+ +--------+                  LX items along m, LY along n, so that their reads of local
 *                                    memory fall into few wide rows, without bank conflicts.
 *
 * Local memory holds op(A) as [k][m] and op(B) as [k][n], rows padded by one vec.
 *
 * Macros: an element type (element.h); TRANSA, TRANSB 0 N, 1 T, 2 C; BM BN BK TM TN WM WN.
 *
 * Grid: x = tiles of C, walked in bands of BAND tile rows so that a band's A and a few columns of B
 * stay in the last cache; y = 1; z = parts of k. With more than one part, each writes its raw sums to
 * part z of `work` (m x n, dense) and gemm_reduce adds them in a fixed order.
 * region: 0 all of C, 1 its lower, 2 its upper triangle (tiles outside return at once). */
#define THREADS ((BM / TM) * (BN / TN))
#define LX      (WM / TM)
#define LY      (WN / TN)
#define WARPS_M (BM / WM)
#define BAND    8
#define MOVES_A (BM * BK / THREADS) /* elements of a tile of A that one item moves */
#define MOVES_B (BN * BK / THREADS)

/* Where an item's elements of a tile stand: `ai`, `ap` is its first, A_STEP the distance to the next
 * along the slower dimension, so that neighbouring items read neighbouring memory. */
#if TRANSA
#define A_STEP      (THREADS / BK)
#define A_FIRST_I   (t / BK)
#define A_FIRST_P   (t % BK)
#define A_I(s)      (ai + (s)*A_STEP)
#define A_P(s)      (ap)
#define A_PTR       (a + off_a + (k_from + ap) + (i0 + ai) * lda)
#define A_NEXT_TILE (BK)
#else
#define A_STEP      (THREADS / BM)
#define A_FIRST_I   (t % BM)
#define A_FIRST_P   (t / BM)
#define A_I(s)      (ai)
#define A_P(s)      (ap + (s)*A_STEP)
#define A_PTR       (a + off_a + (i0 + ai) + (k_from + ap) * lda)
#define A_NEXT_TILE (BK * lda)
#endif
#if TRANSB
#define B_STEP      (THREADS / BN)
#define B_FIRST_J   (t % BN)
#define B_FIRST_P   (t / BN)
#define B_J(s)      (bj)
#define B_P(s)      (bp + (s)*B_STEP)
#define B_PTR       (b + off_b + (j0 + bj) + (k_from + bp) * ldb)
#define B_NEXT_TILE (BK * ldb)
#else
#define B_STEP      (THREADS / BK)
#define B_FIRST_J   (t / BK)
#define B_FIRST_P   (t % BK)
#define B_J(s)      (bj + (s)*B_STEP)
#define B_P(s)      (bp)
#define B_PTR       (b + off_b + (k_from + bp) + (j0 + bj) * ldb)
#define B_NEXT_TILE (BK)
#endif

QN_DEV elem combine(elem alpha, elem sum, elem beta, QN_GLOBAL const elem *c) {
  elem r = qn_mul(alpha, sum);
  if (!IS_ZERO(beta)) MUL_ADD(r, beta, *c);
  return r;
}

QN_KERNEL QN_WG_SIZE(THREADS, 1, 1) void
gemm(qn_i64 m, qn_i64 n, qn_i64 k, int region, elem alpha,
     QN_GLOBAL const elem *QN_RESTRICT a, qn_i64 off_a, qn_i64 lda,
     QN_GLOBAL const elem *QN_RESTRICT b, qn_i64 off_b, qn_i64 ldb, elem beta,
     QN_GLOBAL elem *QN_RESTRICT c, qn_i64 off_c, qn_i64 ldc, qn_i64 k_part,
     QN_GLOBAL elem *QN_RESTRICT work) {
  QN_LOCAL_VAR vec as[2][BK][BM / VW + 1];
  QN_LOCAL_VAR vec bs[2][BK][BN / VW + 1];
  const int t = QN_LID(0);

  const int tiles_m = (int)((m + BM - 1) / BM), tiles_n = (int)((n + BN - 1) / BN);
  const int band = QN_WGID(0) / (BAND * tiles_n), in_band = QN_WGID(0) % (BAND * tiles_n);
  const int band_rows = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
  const qn_i64 i0 = (qn_i64)(band * BAND + in_band % band_rows) * BM;
  const qn_i64 j0 = (qn_i64)(in_band / band_rows) * BN;
  if ((region == 1 && i0 + BM <= j0) || (region == 2 && j0 + BN <= i0)) return;

  const qn_i64 k_from = QN_WGID(2) * k_part;
  const qn_i64 k_to = k_from + k_part < k ? k_from + k_part : k;
  const int inside = i0 + BM <= m && j0 + BN <= n;

  const int ai = A_FIRST_I, ap = A_FIRST_P, bj = B_FIRST_J, bp = B_FIRST_P;
  QN_GLOBAL const elem *pa = A_PTR;
  QN_GLOBAL const elem *pb = B_PTR;

  const int warp = t / 32, lane = t % 32;
  const int row = (warp % WARPS_M) * WM + (lane % LX) * VW;
  const int col = (warp / WARPS_M) * WN + (lane / LX) * VW;

  elem acc[TN][TM];
  QN_UNROLL for (int j = 0; j < TN; j++) {
    QN_UNROLL for (int i = 0; i < TM; i++) ZERO(acc[j][i]);
  }

  elem next_a[MOVES_A], next_b[MOVES_B];
  int buf = 0;
  for (qn_i64 p0 = k_from - BK; p0 < k_to; p0 += BK) {
    const qn_i64 pn = p0 + BK; /* the tile to fetch */
    if (pn < k_to) {
      if (inside && pn + BK <= k_to) {
        QN_UNROLL for (int s = 0; s < MOVES_A; s++) next_a[s] = pa[(qn_i64)(s * A_STEP) * lda];
        QN_UNROLL for (int s = 0; s < MOVES_B; s++) next_b[s] = pb[(qn_i64)(s * B_STEP) * ldb];
      } else {
        QN_UNROLL for (int s = 0; s < MOVES_A; s++) {
          if (i0 + A_I(s) < m && pn + A_P(s) < k_to)
            next_a[s] = pa[(qn_i64)(s * A_STEP) * lda];
          else
            ZERO(next_a[s]);
        }
        QN_UNROLL for (int s = 0; s < MOVES_B; s++) {
          if (j0 + B_J(s) < n && pn + B_P(s) < k_to)
            next_b[s] = pb[(qn_i64)(s * B_STEP) * ldb];
          else
            ZERO(next_b[s]);
        }
      }
      pa += A_NEXT_TILE;
      pb += B_NEXT_TILE;
    }
    if (p0 >= k_from) {
      QN_UNROLL for (int p = 0; p < BK; p++) {
        elem fa[TM], fb[TN];
        QN_UNROLL for (int v = 0; v < TM / VW; v++) UNVEC(fa, v * VW, as[buf][p][row / VW + v * LX]);
        QN_UNROLL for (int v = 0; v < TN / VW; v++) UNVEC(fb, v * VW, bs[buf][p][col / VW + v * LY]);
        QN_UNROLL for (int j = 0; j < TN; j++) {
          QN_UNROLL for (int i = 0; i < TM; i++) MUL_ADD(acc[j][i], fa[i], fb[j]);
        }
      }
      buf ^= 1;
    }
    if (pn < k_to) {
      QN_UNROLL for (int s = 0; s < MOVES_A; s++) {
        if (TRANSA == 2) CONJ(next_a[s]);
        ((QN_LOCAL_PTR elem *)as[buf][A_P(s)])[A_I(s)] = next_a[s];
      }
      QN_UNROLL for (int s = 0; s < MOVES_B; s++) {
        if (TRANSB == 2) CONJ(next_b[s]);
        ((QN_LOCAL_PTR elem *)bs[buf][B_P(s)])[B_J(s)] = next_b[s];
      }
      QN_BARRIER();
    }
  }

  QN_UNROLL for (int j = 0; j < TN; j++) {
    const qn_i64 cj = j0 + col + (j / VW) * LY * VW + j % VW;
    QN_UNROLL for (int i = 0; i < TM; i++) {
      const qn_i64 ci = i0 + row + (i / VW) * LX * VW + i % VW;
      if (ci >= m || cj >= n || (region == 1 && ci < cj) || (region == 2 && ci > cj)) continue;
      if (k_part < k) {
        work[(QN_WGID(2) * n + cj) * m + ci] = acc[j][i];
      } else {
        QN_GLOBAL elem *x = c + off_c + ci + cj * ldc;
        *x = combine(alpha, acc[j][i], beta, x);
      }
    }
  }
}

/* C := alpha (sum of the parts) + beta C. One item an element; grid x along m, y along n. */
QN_KERNEL QN_WG_SIZE(64, 1, 1) void
gemm_reduce(qn_i64 m, qn_i64 n, int parts, int region, elem alpha,
            QN_GLOBAL const elem *QN_RESTRICT work, elem beta, QN_GLOBAL elem *QN_RESTRICT c,
            qn_i64 off_c, qn_i64 ldc) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 64 + QN_LID(0);
  for (qn_i64 j = QN_WGID(1); j < n; j += QN_NWG(1)) {
    if (i >= m || (region == 1 && i < j) || (region == 2 && i > j)) continue;
    elem sum = work[j * m + i];
    for (int z = 1; z < parts; z++) {
      const elem more = work[(z * n + j) * m + i];
#ifdef QN_COMPLEX
      sum.x += more.x;
      sum.y += more.y;
#else
      sum += more;
#endif
    }
    QN_GLOBAL elem *x = c + off_c + i + j * ldc;
    *x = combine(alpha, sum, beta, x);
  }
}
