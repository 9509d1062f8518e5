/* The ladder's fourth step, to one side: the shape that the first cards with mma.sync had.
 *
 * New here: m16n8k8 in the place of m16n8k16. Twice the instructions, fragments of half the size,
 * the same sums in the same order: what the larger shape buys by itself.
 *
 * Measured on an H200, bf16 with op(A) transposed, 4096^3: 9.6 TFLOP/s where the
 * larger shape gives 10.
 *
 * m, n and k: multiples of 8, 16 and 8. Macros: those of mma_warp.cu. */
#define K 8
#include "cuda/mma_warp.cu"

QN_KERNEL __launch_bounds__(32) void gemm(GEMM_PARAMS) {
  __shared__ __align__(16) staged s;
  const int lane = threadIdx.x;
  const qn_i64 i0 = TILE_I, j0 = TILE_J;
  float d[4] = {0, 0, 0, 0};
  for (int p = 0; p < k; p += K) {
    qn_u32 x[2], y;
    STAGE_STEP(&s, p);
    ldmatrix_2(x, shared_of(s.x[lane % 16]));
    ldmatrix_1(&y, shared_of(s.y[lane % 8]));
    mma_1688(d, x, y);
    __syncwarp();
  }
  store_tile(c + off_c, ldc, i0, j0, alpha, d, beta EPILOGUE_PASS);
}
