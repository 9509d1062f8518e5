/* C := alpha op(A) op(B) + beta C for halves on sm_90a: as many blocks as the device runs at once,
 * each going from tile to tile (wgmma_tile.cu has the picture).
 *
 * While a group stores its sums the loading thread runs ahead into the next tile.
 *
 * Tiles are taken in bands of `band` tiles of columns, so that the tiles computed at one time make
 * a square of C and read the least of A and B:
 *
 *        band
 *      0 1 2 | .        i
 *      3 4 5 |          |
 *      6 7 8 |          v
 *
 * Where there are few tiles and many steps, k is cut in `parts` and each tile is so many units of
 * work, those of one part side by side, so that what they share is read once. Part z writes raw
 * sums to workspace, the z-th m x n matrix at c, and another launch adds them in order.
 *
 * Macros: those of wgmma_tile.cu and wgmma_out.cu; GROUPS 1 to 3; C_F32. */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"
#include "cuda/wgmma_tile.cu"
#include "cuda/wgmma_out.cu"

/* Registers of a thread: 65536 among the loading group and the others; two groups have enough. */
#define REGISTERS_LOAD    (GROUPS == 2 ? 40 : 32)
#define REGISTERS_COMPUTE (GROUPS == 2 ? 232 : 160)

/* How the launch cuts the work: clusters of tiles `across` along i and `down` along j. */
typedef struct cut {
  int across, down, band, steps, parts;
} cut;

/* A unit of work: a part of k for the tile at (i0, j0). */
typedef struct unit {
  int i0, j0, part, steps;
} unit;

QN_DEV unit unit_of(const cut *c, const place *me, int t) {
  const int tiles = c->across * c->down, tile = t % tiles;
  const int first = tile / (c->band * c->across) * c->band;
  const int width = QN_MIN(c->band, c->down - first), inside = tile - first * c->across;
  unit u;
  u.i0 = (inside / width * CLUSTER_I + me->i) * BI;
  u.j0 = ((first + inside % width) * CLUSTER_J + me->j) * BJ;
  u.part = t / tiles;
  u.steps = steps_of_part(c->steps, c->parts, u.part);
  return u;
}

QN_KERNEL __launch_bounds__(THREADS, 1) void gemm(const __grid_constant__ tensor_map map_a,
                                                  const __grid_constant__ tensor_map map_b,
                                                  const __grid_constant__ tensor_map map_c, int m,
                                                  int n, int k, int across, int down, int band,
                                                  int parts, float alpha, float beta, out *c,
                                                  qn_i64 off_c, qn_i64 ldc,
                                                  int mapped EPILOGUE_PARAMS) {
  extern __shared__ __align__(1024) qn_u8 shared[];
  const qn_u32 base = shared_of(shared);
  const pipeline p = pipeline_at(base, base + STAGES * BYTES_STAGE + BYTES_OUT);
  const place me = place_of_block();
  if (threadIdx.x == 0) {
    map_prefetch(&map_a);
    map_prefetch(&map_b);
    pipeline_init(&p);
  }
  __syncwarp();
  if (BLOCKS > 1)
    cluster_sync();
  else
    __syncthreads();
  launch_next();
  launch_wait();

  const cut work = {across, down, band, (k + BK - 1) / BK, parts};
  const int units = across * down * parts, stride = gridDim.x / BLOCKS;
  const int group = threadIdx.x / 128 - 1;
  ring r = {0, 0};
  if (group < 0) {
    if (GROUPS > 1) registers_give(REGISTERS_LOAD);
    if (threadIdx.x == 0) {
      for (int t = blockIdx.x / BLOCKS; t < units; t += stride) {
        const unit u = unit_of(&work, &me, t);
        produce(&p, &r, &me, &map_a, &map_b, u.i0, u.j0, parts, u.part, u.steps);
      }
    }
  } else {
    if (GROUPS > 1) registers_take(REGISTERS_COMPUTE);
    output o = {{c + off_c, ldc, m, n, alpha, beta},
                &map_c,
                mapped,
                0,
                base + STAGES * BYTES_STAGE + group * BUFFERS * BYTES_PIECE};
    const int slice = group % READERS;
    int turn = group / READERS, count = 0; /* tiles until this group's next; its tiles so far */
    for (int t = blockIdx.x / BLOCKS; t < units; t += stride) {
      float sum[PRODUCTS][SUMS];
      const unit u = unit_of(&work, &me, t);
      if (TURNS > 1 && turn-- > 0) {
        ring_skip(&r, u.steps);
        continue;
      }
      turn = TURNS - 1;
      const int j0 = u.j0 + slice * GROUP_J;
      turn_wait(&p, group, count++);
      consume(&p, &r, &me, group, slice, u.steps, sum);
      o.to.c = c + off_c + u.part * (qn_i64)m * n;
      o.column = u.part * n;
      if (OUT_SCALED(&o))
        store_scaled(&o, sum, group + 1, u.i0, j0);
      else
        store_finished(&o, sum, group + 1, u.i0, j0 EPILOGUE_PASS);
    }
    if (threadIdx.x % 128 == 0) box_store_wait(0); /* shared memory stays until it has been read */
  }
  __syncwarp();
  if (BLOCKS > 1) cluster_sync(); /* no block ends while another may still arrive at its barriers */
}
