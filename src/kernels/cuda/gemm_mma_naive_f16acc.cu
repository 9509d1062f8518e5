/* The ladder's third step, on request alone: sums in f16.
 *
 * New here: the instruction of many tutorials, m16n8k16 with f16 sums. It halves the registers of
 * the sums, is no faster on data-centre cards, and rounds to 11 bits at every step of 16 k: the
 * error grows with k where f32 sums keep it near the rounding of C itself. Outside this library's
 * contract of f32 accumulation; never chosen, and the bench prints its error.
 *
 * Measured on an H200, f16, 1024 x 1024 x 4096: 9.0 TFLOP/s where f32 sums give 8.9; the worst
 * error 1467 u of |A| |B| where they leave 0.47.
 *
 * f16 alone. m, n and k: multiples of 8, 16 and 16. Macros: those of mma_warp.cu. */
#define K 16
#include "cuda/mma_warp.cu"

/* d[h]: row 8 h + g, columns 2 q and 2 q + 1. */
QN_DEV void mma_16816_f16(qn_u32 *d, const qn_u32 *x, const qn_u32 *y) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
      "{%0, %1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

QN_KERNEL __launch_bounds__(32) void gemm(GEMM_PARAMS) {
  __shared__ __align__(16) staged s;
  const int lane = threadIdx.x;
  const qn_i64 i0 = TILE_I, j0 = TILE_J;
  qn_u32 d[2] = {0, 0};
  for (int p = 0; p < k; p += K) {
    qn_u32 x[4], y[2];
    STAGE_STEP(&s, p);
    ldmatrix_4(x, shared_of(&s.x[lane % 16][lane / 16 * 8]));
    ldmatrix_2(y, shared_of(&s.y[lane % 8][lane / 8 % 2 * 8]));
    mma_16816_f16(d, x, y);
    __syncwarp();
  }
  float sum[4];
  QN_UNROLL
  for (int e = 0; e < 4; e++) sum[e] = qn_f16_to_f32((qn_u16)(d[e / 2] >> 16 * (e % 2)));
  store_tile(c + off_c, ldc, i0, j0, alpha, sum, beta EPILOGUE_PASS);
}
