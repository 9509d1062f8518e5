/* C := alpha op(A) op(B) + beta C for halves on sm_90a: as many blocks as the device runs at once,
 * each going from tile to tile (wgmma_tile.cu has the picture).
 *
 * While a group stores its sums the loading thread runs ahead into the next tile, and where it can
 * (wgmma_out.cu) the group itself does.
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
#define REGISTERS_LOAD    (GROUPS == 2 ? 24 : 32)
#define REGISTERS_COMPUTE (GROUPS == 2 ? 240 : 160)

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

/* A block's way: units `first`, first + stride ... */
typedef struct way {
  cut work;
  place me;
  pipeline p;
  int first, stride, units;
} way;

/* By one thread. */
QN_DEV void load_units(const way *w, const tensor_map *map_a, const tensor_map *map_b) {
  ring r = {0, 0};
  for (int t = w->first; t < w->units; t += w->stride) {
    const unit u = unit_of(&w->work, &w->me, t);
    const int each = w->work.steps / w->work.parts, more = w->work.steps % w->work.parts;
    const int first = u.part * each + QN_MIN(u.part, more);
    produce(&w->p, &r, &w->me, map_a, map_b, u.i0, u.j0, first, 1, u.steps);
  }
}

/* By a group, the `slice`-th that shares the tile: its sums over so many steps. What is to leave
 * does so meanwhile. */
QN_DEV void multiply_unit(const way *w, ring *r, int slice, int steps, int *before, const output *o,
                          leaving *l, float sum[PRODUCTS][SUMS]) {
  for (int step = 0; step < steps; step++) {
    consume_step(&w->p, r, slice, step > 0, sum);
#if CARRY
    if (l->left > 0) store_next(o, l);
#endif
    consume_next(&w->p, r, &w->me, step, before);
  }
}

QN_DEV void compute_units(const way *w, output *o, int group EPILOGUE_PARAMS) {
  const int slice = group % READERS;
  int turn = group / READERS, count = 0; /* tiles until this group's next; its tiles so far */
  ring r = {0, 0};
  leaving l = leaving_nothing();
  out *const c = o->to.c;
  unit u = unit_of(&w->work, &w->me, w->first), next;
  for (int t = w->first; t < w->units || l.left > 0; t += w->stride, u = next) {
    const int steps = t < w->units ? u.steps : 0; /* behind the last tile one that only leaves */
    const int j0 = u.j0 + slice * GROUP_J;
    float sum[PRODUCTS][SUMS];
    biases b;
    int before = 0;
    if (TURNS > 1 && turn-- > 0) {
      ring_skip(&r, steps);
      next = unit_of(&w->work, &w->me, t + w->stride);
      continue;
    }
    turn = TURNS - 1;
    turn_wait(&w->p, group, count++);
    multiply_unit(w, &r, slice, steps, &before, o, &l, sum);
    turn_pass(&w->p, group);
    next = unit_of(&w->work, &w->me, t + w->stride); /* while products are in flight */
    ask_biases(&b, &o->to, u.i0, j0 EPILOGUE_PASS);
    consume_end(&w->p, &w->me, steps, before);
#if CARRY
#pragma unroll 1
    while (l.left > 0) store_next(o, &l); /* there were few steps */
    if (steps == 0) break;
#endif
    if (C_F32) { /* parts are */
      o->to.c = c + u.part * (qn_i64)o->to.m * o->to.n;
      o->column = u.part * o->to.n;
    }
    finish_tile(o, &l, sum, &b, group + 1, u.i0, j0 EPILOGUE_PASS);
  }
  if (threadIdx.x % 32 == 0) box_store_wait(0); /* shared memory stays until it has been read */
}

QN_KERNEL __launch_bounds__(THREADS, 1) void gemm(const __grid_constant__ tensor_map map_a,
                                                  const __grid_constant__ tensor_map map_b,
                                                  const __grid_constant__ tensor_map map_c, int m,
                                                  int n, int k, int across, int down, int band,
                                                  int parts, float alpha, float beta, out *c,
                                                  qn_i64 off_c, qn_i64 ldc,
                                                  int mapped EPILOGUE_PARAMS) {
  extern __shared__ __align__(1024) qn_u8 shared[];
  const qn_u32 base = shared_of(shared), pieces = base + STAGES * BYTES_STAGE;
  const way w = {{across, down, band, (k + BK - 1) / BK, parts},
                 place_of_block(),
                 pipeline_at(base, pieces + BYTES_OUT),
                 (int)(blockIdx.x / BLOCKS),
                 (int)(gridDim.x / BLOCKS),
                 across * down * parts};
  if (threadIdx.x == 0) {
    map_prefetch(&map_a);
    map_prefetch(&map_b);
    pipeline_init(&w.p);
  }
  __syncwarp();
  if (BLOCKS > 1)
    cluster_sync();
  else
    __syncthreads();
  launch_next();
  launch_wait();

  const int group = threadIdx.x / 128 - 1;
  if (group < 0) {
    if (GROUPS > 1) registers_give(REGISTERS_LOAD);
    if (threadIdx.x == 0) load_units(&w, &map_a, &map_b);
  } else {
    if (GROUPS > 1) registers_take(REGISTERS_COMPUTE);
    output o = {{c + off_c, ldc, m, n, alpha, beta},
                &map_c,
                mapped,
                0,
                pieces + group * BUFFERS * BYTES_PIECE,
                pieces + GROUPS * BUFFERS * BYTES_PIECE + group * BYTES_ROWS};
    compute_units(&w, &o, group EPILOGUE_PASS);
  }
  __syncwarp();
  if (BLOCKS > 1) cluster_sync(); /* no block ends while another may still arrive at its barriers */
}
