/* B := A^T or A^H through a square of local memory, so that both are gone through along their
 * columns:
 *
 *   A, m x n             tile                    B, n x m
 *   columns of a tile -> tile[col][row] ->       columns of B are rows of A
 *
 * Grid: x = tiles of A's rows, y = tiles of its columns (any number of groups); 256 items a group.
 * The tile has one element more a row, so that a column of it falls into different banks.
 *
 * Macros: QN_T; CONJ 1 for A^H; REGION 0 all of A, 1 its lower, 2 its upper triangle, with what the
 * tiles at the diagonal have beside it. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"

#define TILE 32
#define STEP 8 /* columns that 256 items move at once */

/* An element of A^H as bits: the sign turned by arithmetic would not leave a NaN as it is. */
#if !CONJ
typedef elem bits;
#define moved(e) (e)
#elif QN_T == 4
typedef qn_u64 bits; /* the imaginary part is the upper half */
#define moved(e) ((e) ^ (qn_u64)1 << 63)
#else
typedef struct bits {
  qn_u64 re, im;
} bits;
QN_DEV bits moved(bits e) {
  e.im ^= (qn_u64)1 << 63;
  return e;
}
#endif

QN_KERNEL QN_WG_SIZE(256, 1, 1) void transpose(qn_i64 m, qn_i64 n,
                                               QN_GLOBAL const bits *QN_RESTRICT a, qn_i64 off_a,
                                               qn_i64 lda, QN_GLOBAL bits *QN_RESTRICT b,
                                               qn_i64 off_b, qn_i64 ldb) {
  QN_LOCAL_VAR bits tile[TILE][TILE + 1];
  const int x = QN_LID(0) % TILE, y = QN_LID(0) / TILE;
  const qn_i64 i0 = (qn_i64)QN_WGID(0) * TILE;
  for (qn_i64 j0 = (qn_i64)QN_WGID(1) * TILE; j0 < n; j0 += (qn_i64)QN_NWG(1) * TILE) {
    if (REGION == 1 ? i0 + TILE <= j0 : REGION == 2 ? j0 + TILE <= i0 : 0) continue;
    for (int s = y; s < TILE; s += STEP)
      if (i0 + x < m && j0 + s < n) tile[s][x] = a[off_a + i0 + x + (j0 + s) * lda];
    QN_BARRIER();
    for (int s = y; s < TILE; s += STEP)
      if (j0 + x < n && i0 + s < m) b[off_b + j0 + x + (i0 + s) * ldb] = moved(tile[x][s]);
    QN_BARRIER();
  }
}
