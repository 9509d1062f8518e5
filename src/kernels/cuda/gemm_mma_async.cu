/* The ladder's seventh step.
 *
 * New here: cp.async moves 16 bytes from global to shared memory past the registers. Two steps of k
 * have room, so that the next is copied while this one is multiplied; the registers that waited for
 * the next step before are free, but each step still begins by waiting for its copies.
 *
 * Measured on an H200, bf16 with op(A) transposed, 4096^3: 315 TFLOP/s, from 284.
 *
 * m, n and k: multiples of 256, 128 and 32. Macros: those of mma_tile.cu; C_F32. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#define SWIZZLED 1
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
  copy_step(&ca, MAJOR_A, BI, base, k);
  copy_step(&cb, MAJOR_B, BJ, base + BYTES_A, k);
  copy_commit();
  qn_u32 from = base, to = base + BYTES_STAGE;
  for (int left = k; left > 0; left -= BK) {
    copy_wait(0);
    __syncthreads();
    copy_step(&ca, MAJOR_A, BI, to, left - BK);
    copy_step(&cb, MAJOR_B, BJ, to + BYTES_A, left - BK);
    copy_commit();
    QN_UNROLL
    for (int p = 0; p < BK / 16; p++) {
      qn_u32 x[4][4], y[4][4];
      read_fragments(x, from + at_x, MAJOR_B, p);
      read_fragments(y, from + at_y, MAJOR_A, p);
      multiply(d, x, y);
    }
    const qn_u32 read = from;
    from = to;
    to = read;
  }
  const target t = {c + off_c, ldc, m, n, alpha, beta};
  store_sums(&t, &o, d, base EPILOGUE_PASS);
}
