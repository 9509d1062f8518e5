/* One warp, one tile of 8 rows and 16 columns of C: what the first steps of the ladder share. M of
 * the instruction runs along the columns, as in mma_tile.cu.
 *
 * A step of K of k is staged in shared memory with k along the lines, whatever the operands' order:
 * x[j][p] of op(B)'s columns and y[i][p] of op(A)'s rows. Nothing of it is ever used twice.
 *
 * Macros: QN_T TRANSA TRANSB C_F32; K 8 or 16. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "cuda/mma.cu"

typedef struct staged {
  elem x[16][K], y[8][K];
} staged;

/* Element (r, p) of `rows` x K stands at from[r + p ld], or from[p + r ld] where k is contiguous;
 * neighbouring lanes read neighbours. */
QN_DEV void stage(elem *to, int rows, int contiguous, const elem *from, qn_i64 ld) {
  for (int t = threadIdx.x; t < rows * K; t += 32) {
    const int r = contiguous ? t / K : t % rows, p = contiguous ? t % K : t / rows;
    to[r * K + p] = from[contiguous ? p + r * ld : r + p * ld];
  }
}

/* The step at k = p of the tile at (i0, j0). */
#define STAGE_STEP(s, p)                                                                           \
  do {                                                                                             \
    stage((s)->x[0], 16, !TRANSB, b + off_b + (TRANSB ? j0 + (p)*ldb : (p) + j0 * ldb), ldb);      \
    stage((s)->y[0], 8, TRANSA, a + off_a + (TRANSA ? (p) + i0 * lda : i0 + (p)*lda), lda);        \
    __syncwarp();                                                                                  \
  } while (0)

#define TILE_I (qn_i64)(blockIdx.x % across) * 8
#define TILE_J (qn_i64)(blockIdx.x / across) * 16

/* d as mma_16816 leaves it. */
QN_DEV void store_tile(out *c, qn_i64 ldc, qn_i64 i0, qn_i64 j0, float alpha, const float *d,
                       float beta EPILOGUE_PARAMS) {
  const int g = threadIdx.x / 4, q = threadIdx.x % 4;
  QN_UNROLL
  for (int e = 0; e < 4; e++) {
    const qn_i64 i = i0 + 2 * q + e % 2, j = j0 + 8 * (e / 2) + g;
    out_update(c + i + j * ldc, alpha, d[e], beta, i, j EPILOGUE_PASS);
  }
}
