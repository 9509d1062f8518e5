/* C := alpha op(A) op(B) + beta C for halves on sm_90a, where C alone has too few tiles: the PARTS
 * blocks of a cluster compute one tile, each over its part of k, and add up through one another's
 * shared memory. No workspace, no second launch, and always the same order of summation.
 *
 *   block q:  sums over k part q  -->  shared memory of q        | slice 0 | slice 1 | ...
 *                                                                  ^ of every block, in the order
 *   block p:  C's rows of slice p  <--  sum of slice p over q        of q
 *
 * Sums lie in the order of the registers they come from: thread by thread, 16 bytes each, which are
 * two rows of two columns.
 *
 * Macros: those of wgmma_tile.cu with clusters of 1; PARTS, 2 to 8; C_F32. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "cuda/out_pair.cu"
#include "cuda/wgmma_tile.cu"

#define QUADS (SUMS / 4) /* of one product: 8 rows each */
#define SLICE ((QUADS + PARTS - 1) / PARTS)

QN_DEV qn_u32 quad_address(qn_u32 base, int product, int quad) {
  const int group = threadIdx.x / 128 - 1;
  return base + (((group * PRODUCTS + product) * QUADS + quad) * 128 + threadIdx.x % 128) * 16;
}

QN_DEV void put_sums(qn_u32 base, const float sum[PRODUCTS][SUMS]) {
  QN_UNROLL
  for (int s = 0; s < PRODUCTS; s++) {
    QN_UNROLL
    for (int q = 0; q < QUADS; q++) {
      const float *x = sum[s] + q * 4;
      asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(quad_address(base, s, q)),
                   "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3])
                   : "memory");
    }
  }
}

/* Of block `rank` of the cluster. */
QN_DEV float4 get_quad(qn_u32 address, int rank) {
  float4 x;
  asm volatile("{\n .reg .b32 there;\n mapa.shared::cluster.u32 there, %4, %5;\n"
               " ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n}"
               : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
               : "r"(address), "r"(rank)
               : "memory");
  return x;
}

/* All loads go out before the first sum is needed. */
QN_DEV void sum_parts(float4 x[SLICE], qn_u32 base, int product, int first) {
  float4 part[SLICE][PARTS];
  QN_UNROLL
  for (int q = 0; q < SLICE; q++) {
    QN_UNROLL
    for (int p = 0; p < PARTS; p++)
      if (first + q < QUADS) part[q][p] = get_quad(quad_address(base, product, first + q), p);
  }
  QN_UNROLL
  for (int q = 0; q < SLICE; q++) {
    x[q] = part[q][0];
    QN_UNROLL
    for (int p = 1; p < PARTS; p++) {
      x[q].x += part[q][p].x;
      x[q].y += part[q][p].y;
      x[q].z += part[q][p].z;
      x[q].w += part[q][p].w;
    }
  }
}

QN_DEV void store_slice(const target *t, qn_u32 base, int part, int i0, int j0 EPILOGUE_PARAMS) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, aligned = pairs_aligned(t);
  QN_UNROLL
  for (int s = 0; s < PRODUCTS; s++) {
    const int j = j0 + s * 64 + warp * 16 + lane / 4;
    float4 x[SLICE];
    sum_parts(x, base, s, part * SLICE);
    QN_UNROLL
    for (int q = 0; q < SLICE; q++) {
      const int quad = part * SLICE + q, i = i0 + quad * 8 + lane % 4 * 2;
      if (quad >= QUADS) break;
      store_pair(t, aligned, i, j, x[q].x, x[q].y EPILOGUE_PASS);
      store_pair(t, aligned, i, j + 8, x[q].z, x[q].w EPILOGUE_PASS);
    }
  }
}

QN_KERNEL __launch_bounds__(THREADS, 1) void gemm(const __grid_constant__ tensor_map map_a,
                                                  const __grid_constant__ tensor_map map_b, int m,
                                                  int n, int k, int across, float alpha, float beta,
                                                  out *c, qn_i64 off_c,
                                                  qn_i64 ldc EPILOGUE_PARAMS) {
  extern __shared__ __align__(1024) qn_u8 shared[];
  const qn_u32 base = shared_of(shared);
  const pipeline p = pipeline_at(base, base + STAGES * BYTES_STAGE);
  const place me = {0, 0, 0};
  if (threadIdx.x == 0) {
    map_prefetch(&map_a);
    map_prefetch(&map_b);
    pipeline_init(&p);
  }
  __syncthreads();
  launch_next();
  launch_wait();

  const int tile = blockIdx.x / PARTS, part = blockIdx.x % PARTS;
  const int i0 = tile % across * BI, j0 = tile / across * BJ;
  const int steps = steps_of_part((k + BK - 1) / BK, PARTS, part);
  const int group = threadIdx.x / 128 - 1;
  ring r = {0, 0};
  if (group < 0) {
    if (threadIdx.x == 0) produce(&p, &r, &me, &map_a, &map_b, i0, j0, PARTS, part, steps);
  } else {
    float sum[PRODUCTS][SUMS];
    consume(&p, &r, &me, group, steps, sum);
    named_barrier(1, 128 * GROUPS); /* all groups have read the stages that sums overwrite */
    put_sums(base, sum);
  }
  __syncwarp();
  cluster_sync();
  const target t = {c + off_c, ldc, m, n, alpha, beta};
  if (group >= 0) store_slice(&t, base, part, i0, j0 + group * GROUP_J EPILOGUE_PASS);
  __syncwarp();
  cluster_sync(); /* until its sums have been read, a block stays */
}
