/* C := alpha op(A) op(B) + beta C for halves on sm_90a, where C alone has too few tiles: the PARTS
 * blocks of a cluster compute one tile, each over its part of k, and add up in one another's shared
 * memory. No workspace, no second launch, and always the same order of summation.
 *
 *   block q:  sums over k part q  -->  slice p of them to part q of the room in block p
 *   block p:  C's rows of slice p  <--  sum of the room's parts, in the order of q
 *
 * Sums are sent, not fetched: after one meeting of the blocks all that is left is at home.
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

#define QUADS      (SUMS / 4) /* of one product: 8 rows each */
#define SLICE      ((QUADS + PARTS - 1) / PARTS)
#define BYTES_ROOM (GROUPS * PRODUCTS * SLICE * PARTS * 128 * 16)

/* Where quad `inside` of a slice of this thread's sums lies, of part `part`. */
QN_DEV qn_u32 quad_address(qn_u32 room, int product, int inside, int part) {
  const int group = threadIdx.x / 128 - 1;
  const int place = ((group * PRODUCTS + product) * SLICE + inside) * PARTS + part;
  return room + (place * 128 + threadIdx.x % 128) * 16;
}

/* All sums to the blocks of the cluster that add them. */
QN_DEV void send_sums(qn_u32 room, int part, const float sum[PRODUCTS][SUMS]) {
  QN_UNROLL
  for (int s = 0; s < PRODUCTS; s++) {
    QN_UNROLL
    for (int q = 0; q < QUADS; q++) {
      const float *x = sum[s] + q * 4;
      asm volatile("{\n .reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n"
                   " st.shared::cluster.v4.f32 [there], {%2, %3, %4, %5};\n}" ::"r"(
                       quad_address(room, s, q % SLICE, part)),
                   "r"(q / SLICE), "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3])
                   : "memory");
    }
  }
}

QN_DEV float4 get_quad(qn_u32 address) {
  float4 x;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
               : "r"(address)
               : "memory");
  return x;
}

QN_DEV float4 sum_parts(qn_u32 room, int product, int inside) {
  float4 x = get_quad(quad_address(room, product, inside, 0));
  QN_UNROLL
  for (int p = 1; p < PARTS; p++) {
    const float4 y = get_quad(quad_address(room, product, inside, p));
    x.x += y.x;
    x.y += y.y;
    x.z += y.z;
    x.w += y.w;
  }
  return x;
}

QN_DEV void store_slice(const target *t, qn_u32 room, int part, int i0, int j0 EPILOGUE_PARAMS) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, aligned = pairs_aligned(t);
  QN_UNROLL
  for (int s = 0; s < PRODUCTS; s++) {
    const int j = j0 + s * 64 + warp * 16 + lane / 4;
    QN_UNROLL
    for (int q = 0; q < SLICE; q++) {
      const int quad = part * SLICE + q, i = i0 + quad * 8 + lane % 4 * 2;
      if (quad >= QUADS) break;
      const float4 x = sum_parts(room, s, q);
      store_pair(t, aligned, i, j, x.x, x.y EPILOGUE_PASS);
      store_pair(t, aligned, i, j + 8, x.z, x.w EPILOGUE_PASS);
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
  const qn_u32 room = base + STAGES * BYTES_STAGE;
  const pipeline p = pipeline_at(base, room + BYTES_ROOM);
  const place me = {0, 0, 0};
  if (threadIdx.x == 0) {
    map_prefetch(&map_a);
    map_prefetch(&map_b);
    pipeline_init(&p);
  }
  __syncthreads();
  cluster_arrive();
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
    int before = 0;
    for (int step = 0; step < steps; step++) {
      consume_step(&p, &r, group, step > 0, sum);
      consume_next(&p, &r, &me, step, &before);
    }
    consume_end(&p, &me, steps, before);
    cluster_wait(); /* all blocks have begun: there is a room to send to */
    send_sums(room, part, sum);
  }
  __syncwarp();
  if (group < 0) cluster_wait();
  cluster_sync();
  const target t = {c + off_c, ldc, m, n, alpha, beta};
  if (group >= 0) store_slice(&t, room, part, i0, j0 + group * GROUP_J EPILOGUE_PASS);
}
