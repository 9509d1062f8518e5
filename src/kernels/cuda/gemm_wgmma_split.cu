/* C := alpha op(A) op(B) + beta C for halves on sm_90a, where C alone has too few tiles: the PARTS
 * blocks of a cluster compute one tile, each over its part of k, and add up in one another's shared
 * memory. No workspace, no second launch, and always the same order of summation.
 *
 *   block q:  sums over k part q  -->  slice p of them to block p, but its own, which stays
 *   block p:  C's rows of slice p  <--  what came and its own, in the order of the parts
 *
 * Sums are sent, not fetched, and a barrier of the taker counts their bytes: nobody waits for more
 * than what it adds.
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
#define BYTES_PART                                                                                 \
  (GROUPS * PRODUCTS * SLICE * 128 * 16) /* of the room, for what one block sends */
#define BYTES_ROOM ((PARTS - 1) * BYTES_PART)

/* Where sums come in, and the barrier that counts them. */
typedef struct exchange {
  qn_u32 room, barrier;
  int part; /* this block's */
} exchange;

/* By one thread, ahead of the meeting of the blocks. */
QN_DEV void exchange_init(const exchange *e) {
  const int quads = QN_MAX(0, QN_MIN(SLICE, QUADS - e->part * SLICE)); /* this block takes */
  barrier_init(e->barrier, 1);
  barrier_init_fence();
  barrier_arrive_bytes(e->barrier, (PARTS - 1) * GROUPS * PRODUCTS * quads * 128 * 16);
}

/* Where quad `inside` of a slice of this thread's sums lies that `giver` sends to `taker`. */
QN_DEV qn_u32 quad_address(qn_u32 room, int product, int inside, int giver, int taker) {
  const int group = threadIdx.x / 128 - 1;
  const int place = (giver - (giver > taker)) * (GROUPS * PRODUCTS * SLICE) +
                    (group * PRODUCTS + product) * SLICE + inside;
  return room + (place * 128 + threadIdx.x % 128) * 16;
}

/* All sums to the blocks of the cluster that add them. */
QN_DEV void send_sums(const exchange *e, const float sum[PRODUCTS][SUMS]) {
  QN_UNROLL
  for (int taker = 0; taker < PARTS; taker++) {
    if (taker == e->part) continue;
    QN_UNROLL
    for (int s = 0; s < PRODUCTS; s++) {
      QN_UNROLL
      for (int q = taker * SLICE; q < QN_MIN(QUADS, (taker + 1) * SLICE); q++)
        send_quad(quad_address(e->room, s, q % SLICE, e->part, taker), e->barrier, taker,
                  sum[s] + q * 4);
    }
  }
}

/* This block's own. Registers have no index. */
QN_DEV void keep_slice(float own[PRODUCTS][SLICE][4], int part, const float sum[PRODUCTS][SUMS]) {
  QN_UNROLL
  for (int p = 0; p < PARTS; p++) {
    if (p != part) continue;
    QN_UNROLL
    for (int x = 0; x < PRODUCTS * SLICE * 4; x++) {
      const int s = x / (SLICE * 4), at = p * SLICE * 4 + x % (SLICE * 4);
      own[s][x / 4 % SLICE][x % 4] = at < SUMS ? sum[s][at] : 0;
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

QN_DEV float4 sum_parts(const exchange *e, int product, int inside, const float *own) {
  float4 x = make_float4(0, 0, 0, 0);
  QN_UNROLL
  for (int p = 0; p < PARTS; p++) {
    float4 y = make_float4(own[0], own[1], own[2], own[3]);
    if (p != e->part) y = get_quad(quad_address(e->room, product, inside, p, e->part));
    x.x = p == 0 ? y.x : x.x + y.x;
    x.y = p == 0 ? y.y : x.y + y.y;
    x.z = p == 0 ? y.z : x.z + y.z;
    x.w = p == 0 ? y.w : x.w + y.w;
  }
  return x;
}

QN_DEV void store_slice(const target *t, const exchange *e, float own[PRODUCTS][SLICE][4], int i0,
                        int j0 EPILOGUE_PARAMS) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, aligned = pairs_aligned(t);
  QN_UNROLL
  for (int s = 0; s < PRODUCTS; s++) {
    const int j = j0 + s * 64 + warp * 16 + lane / 4;
    QN_UNROLL
    for (int q = 0; q < SLICE; q++) {
      const int quad = e->part * SLICE + q, i = i0 + quad * 8 + lane % 4 * 2;
      if (quad >= QUADS) break;
      const float4 x = sum_parts(e, s, q, own[s][q]);
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
  const int tile = blockIdx.x / PARTS, part = blockIdx.x % PARTS;
  const exchange e = {room, p.turn + 8, part}; /* two that take turns are not here */
  const place me = {0, 0, 0};
  if (threadIdx.x == 0) {
    map_prefetch(&map_a);
    map_prefetch(&map_b);
    pipeline_init(&p);
    exchange_init(&e);
  }
  __syncthreads();
  cluster_arrive();
  launch_next();
  launch_wait();

  const int i0 = tile % across * BI, j0 = tile / across * BJ;
  const int steps = steps_of_part((k + BK - 1) / BK, PARTS, part);
  const int group = threadIdx.x / 128 - 1;
  ring r = {0, 0};
  if (group < 0) {
    /* the parts take steps in turn: they read neighbouring lines of memory at one time */
    if (threadIdx.x == 0) produce(&p, &r, &me, &map_a, &map_b, i0, j0, part, PARTS, steps);
  } else {
    float sum[PRODUCTS][SUMS], own[PRODUCTS][SLICE][4];
    const target t = {c + off_c, ldc, m, n, alpha, beta};
    int before = 0;
    for (int step = 0; step < steps; step++) {
      consume_step(&p, &r, group, step > 0, sum);
      consume_next(&p, &r, &me, step, &before);
    }
    consume_end(&p, &me, steps, before);
    cluster_wait(); /* all blocks have begun: there is a room to send to */
    send_sums(&e, sum);
    keep_slice(own, part, sum);
    barrier_wait(e.barrier, 0);
    store_slice(&t, &e, own, i0, j0 + group * GROUP_J EPILOGUE_PASS);
  }
  __syncwarp();
  if (group < 0) cluster_wait();
}
