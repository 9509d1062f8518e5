/* The ladder's fifth step: a block of 256 x 128, eight warps of 64 x 64.
 *
 * New here: what comes from global memory is read by several warps and each fragment multiplies
 * four or eight others. A step of k moves (BI + BJ) BK elements for BI BJ BK products: 85 products
 * an element, where a warp alone with its 16 x 8 made 5. The next step's elements wait in
 * registers. ldmatrix still meets its banks up to eight times over.
 *
 * Measured on an H200, bf16 with op(A) transposed, 4096^3: 157 TFLOP/s, from 10.
 *
 * m, n and k: multiples of 256, 128 and 32. Macros: those of mma_tile.cu; C_F32. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#ifndef SWIZZLED
#define SWIZZLED 0
#endif
#include "cuda/mma_tile.cu"

QN_KERNEL __launch_bounds__(THREADS, 1) void gemm(GEMM_PARAMS) {
  extern __shared__ __align__(128) qn_u8 shared[];
  const qn_u32 base = shared_of(shared);
  const origin o = origin_of(across, down, band);
  copier ca = copier_of(MAJOR_A, BI, a + off_a, lda, o.i0, m);
  copier cb = copier_of(MAJOR_B, BJ, b + off_b, ldb, o.j0, n);
  const int at_x = BYTES_A + first_at(MAJOR_B, o.wj), at_y = second_at(MAJOR_A, o.wi);
  float d[4][8][4];
  clear_sums(d);
  uint4 next_a[PIECES(BI)], next_b[PIECES(BJ)];
  fetch_step(next_a, &ca, MAJOR_A, BI, k);
  fetch_step(next_b, &cb, MAJOR_B, BJ, k);
  for (int left = k; left > 0; left -= BK) {
    put_step(next_a, &ca, MAJOR_A, BI, base);
    put_step(next_b, &cb, MAJOR_B, BJ, base + BYTES_A);
    __syncthreads();
    fetch_step(next_a, &ca, MAJOR_A, BI, left - BK);
    fetch_step(next_b, &cb, MAJOR_B, BJ, left - BK);
    QN_UNROLL
    for (int p = 0; p < BK / 16; p++) {
      qn_u32 x[4][4], y[4][4];
      read_fragments(x, base + at_x, MAJOR_B, p);
      read_fragments(y, base + at_y, MAJOR_A, p);
      multiply(d, x, y);
    }
    __syncthreads();
  }
  const target t = {c + off_c, ldc, m, n, alpha, beta};
  store_sums(&t, &o, d, base EPILOGUE_PASS);
}
