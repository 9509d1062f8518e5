/* C := alpha (sum of the parts) + beta C, and the epilogue of that: ends a product whose k was
 * split among units of work, in the order of the parts. As portable/gemm_reduce.cl, four rows an
 * item; m is a multiple of 4, so the parts' columns lie on 16 bytes. A launch that begins early.
 *
 * Macros: QN_T C_F32 EPILOGUE_F32. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "cuda/hopper.cu"
#include "cuda/out_pair.cu"

#define ITEMS 256
#define AHEAD 8 /* loads that go out together */

QN_DEV void add(float4 *sum, float4 x) {
  sum->x += x.x;
  sum->y += x.y;
  sum->z += x.z;
  sum->w += x.w;
}

QN_KERNEL QN_WG_SIZE(ITEMS, 1, 1) void add_parts(int m, int n, int parts, float alpha,
                                                 const float4 *__restrict__ work, float beta,
                                                 out *c, qn_i64 off_c, qn_i64 ldc EPILOGUE_PARAMS) {
  const target t = {c + off_c, ldc, m, n, alpha, beta};
  const int aligned = pairs_aligned(&t);
  const qn_i64 quads = (qn_i64)m * n / 4;
  launch_next();
  launch_wait();
  for (qn_i64 q = (qn_i64)blockIdx.x * ITEMS + threadIdx.x; q < quads;
       q += (qn_i64)gridDim.x * ITEMS) {
    float4 sum = work[q];
    for (int z = 1; z < parts; z += AHEAD) {
      float4 part[AHEAD];
      QN_UNROLL
      for (int s = 0; s < AHEAD; s++)
        if (z + s < parts) part[s] = work[(z + s) * quads + q];
      QN_UNROLL
      for (int s = 0; s < AHEAD; s++)
        if (z + s < parts) add(&sum, part[s]);
    }
    const int j = (int)(q * 4 / m), i = (int)(q * 4 - (qn_i64)j * m);
    store_pair(&t, aligned, i, j, sum.x, sum.y EPILOGUE_PASS);
    store_pair(&t, aligned, i + 2, j, sum.z, sum.w EPILOGUE_PASS);
  }
}
