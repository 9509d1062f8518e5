/* The ladder's eighth step, and what cards of sm_80 and newer without wgmma run, for any shape.
 *
 * New here: STAGES steps of k are on their way from global memory at a time, and within a step the
 * fragments of the next 16 k are read from shared memory while the products of these 16 run.
 * Neither the copies nor ldmatrix are waited for any more.
 *
 * Measured on an H200, bf16 with op(A) transposed, 4096^3: 466 TFLOP/s, from 315.
 *
 * Macros: those of mma_tile.cu; C_F32; STAGES. */
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
  int left = k; /* to copy */
  for (int s = 0; s < STAGES; s++, left -= BK) {
    copy_step(&ca, MAJOR_A, BI, base + s * BYTES_STAGE, left);
    copy_step(&cb, MAJOR_B, BJ, base + s * BYTES_STAGE + BYTES_A, left);
    copy_commit();
  }
  copy_wait(STAGES - 1);
  __syncthreads();

  const qn_u32 end = base + STAGES * BYTES_STAGE;
  qn_u32 from = base;
  qn_u32 x[2][4][4], y[2][4][4];
  read_fragments(x[0], from + at_x, MAJOR_B, 0);
  read_fragments(y[0], from + at_y, MAJOR_A, 0);
  for (int todo = k; todo > 0; todo -= BK, left -= BK) {
    multiply_reading(d, x[0], y[0], x[1], y[1], from + at_x, from + at_y, 1);
    copy_wait(STAGES - 2); /* the next step's have come */
    __syncthreads();       /* and this one's have been read by all */
    const qn_u32 read = from;
    from = from + BYTES_STAGE == end ? base : from + BYTES_STAGE;
    /* after the last step: zeros, not used */
    multiply_reading(d, x[1], y[1], x[0], y[0], from + at_x, from + at_y, 0);
    copy_step(&ca, MAJOR_A, BI, read, left);
    copy_step(&cb, MAJOR_B, BJ, read + BYTES_A, left);
    copy_commit();
  }
  const target t = {c + off_c, ldc, m, n, alpha, beta};
  store_sums(&t, &o, d, base EPILOGUE_PASS);
}
