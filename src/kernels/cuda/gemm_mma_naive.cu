/* The ladder's second step: mma.sync by hand.
 *
 * New here: the instruction that the machine has, m16n8k16, with operands that ldmatrix brings from
 * shared memory in the order it wants, and sums whose place in C is known: no detour to store them.
 * One warp, one tile of 8 x 16; every element comes from global memory for 8 or 16 products.
 *
 * Measured on an H200, bf16 with op(A) transposed, 4096^3: 10 TFLOP/s: staging costs
 * more than the fragments of wmma straight from memory.
 *
 * m, n and k: multiples of 8, 16 and 16. Macros: those of mma_warp.cu. */
#define K 16
#include "cuda/mma_warp.cu"

QN_KERNEL __launch_bounds__(32) void gemm(GEMM_PARAMS) {
  __shared__ __align__(16) staged s;
  const int lane = threadIdx.x;
  const qn_i64 i0 = TILE_I, j0 = TILE_J;
  float d[4] = {0, 0, 0, 0};
  for (int p = 0; p < k; p += K) {
    qn_u32 x[4], y[2];
    STAGE_STEP(&s, p);
    ldmatrix_4(x, shared_of(&s.x[lane % 16][lane / 16 * 8]));
    ldmatrix_2(y, shared_of(&s.y[lane % 8][lane / 8 % 2 * 8]));
    mma_16816(d, x, y);
    __syncwarp();
  }
  store_tile(c + off_c, ldc, i0, j0, alpha, d, beta EPILOGUE_PASS);
}
