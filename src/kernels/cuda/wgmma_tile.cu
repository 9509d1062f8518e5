/* A block's tile of C by wgmma: how a step of k lies in shared memory, who fills it, who reads it.
 *
 * wgmma's sums run along its N; C runs along its rows. So wgmma's M is the columns j of C and its N
 * the rows i: the tile is computed as op(B)^T op(A)^T, and a thread's neighbouring sums are
 * neighbours in memory.
 *
 *             BI rows i                stage: | A: BI x 64 | B: BJ x 64 |      STAGES of them
 *           +-----------+
 *   BJ      | group 0   |              group: 128 threads, BJ / GROUPS columns. One more group
 *   columns +-----------+              begins: one of its threads asks the copy engine for stages.
 *   j       | group 1   |
 *           +-----------+
 *
 *   full[s]   the bytes of stage s have come          empty[s]   all that read stage s have done so
 *
 * In a cluster of CLUSTER_I x CLUSTER_J blocks those with the same rows share A, those with the
 * same columns share B: each loads its part and the copy engine hands it to all of them. A stage is
 * overwritten only when the groups of all these blocks have read it.
 *
 * With TURNS 2 the groups do not share a tile: each computes every second one alone, and stores it
 * while the other multiplies.
 *
 * Macros: QN_T 0 or 1; TRANSA TRANSB 0 or 1; BI BJ GROUPS TURNS STAGES CLUSTER_I CLUSTER_J. Needs
 * prelude.cl. */
#include "cuda/hopper.cu"
#define WGMMA_N BI
#include "cuda/wgmma.cu"

#define BK       64
#define LINE     128 /* bytes */
#define BLOCKS   (CLUSTER_I * CLUSTER_J)
#define THREADS  (128 * (GROUPS + 1))
#define READERS  (GROUPS / TURNS) /* groups that share a tile */
#define GROUP_J  (BJ / READERS)
#define PRODUCTS (GROUP_J / 64) /* wgmma a group makes for one step of 16 k */
#define SUMS     (BI / 2)       /* of one of them, a thread */

#define MAJOR_A (TRANSA == 0) /* i along the line, else k */
#define MAJOR_B (TRANSB == 1)
#define PART_A  (BI / CLUSTER_J) /* what this block loads for all that share it */
#define PART_B  (BJ / CLUSTER_I)

#define BYTES_A     (BI * LINE)
#define BYTES_B     (BJ * LINE)
#define BYTES_STAGE (BYTES_A + BYTES_B)

/* Parts of A go to the blocks with the same rows: every CLUSTER_I-th from this block's. */
#define COLUMN_OF_BLOCKS ((1 << BLOCKS) - 1) / ((1 << CLUSTER_I) - 1)
#define ROW_OF_BLOCKS    ((1 << CLUSTER_I) - 1)

typedef struct place { /* of a block in its cluster */
  int rank, i, j;
} place;

QN_DEV place place_of_block() {
  place p;
  p.rank = BLOCKS > 1 ? cluster_rank() : 0;
  p.i = p.rank % CLUSTER_I;
  p.j = p.rank / CLUSTER_I;
  return p;
}

/* Where the next step of k goes or comes from. */
typedef struct ring {
  int stage, parity;
} ring;

QN_DEV void ring_next(ring *r) {
  r->stage++;
  if (r->stage == STAGES) {
    r->stage = 0;
    r->parity ^= 1;
  }
}

/* Past steps that another group reads. */
QN_DEV void ring_skip(ring *r, int steps) {
  r->stage += steps;
  r->parity ^= r->stage / STAGES & 1;
  r->stage %= STAGES;
}

typedef struct pipeline {
  qn_u32 stages, full, empty; /* in shared memory: the first of each */
  qn_u32 turn;                /* of two groups that take turns: who may wait for stages */
} pipeline;

QN_DEV pipeline pipeline_at(qn_u32 stages, qn_u32 barriers) {
  pipeline p;
  p.stages = stages;
  p.full = barriers;
  p.empty = barriers + 8 * STAGES;
  p.turn = barriers + 16 * STAGES;
  return p;
}

/* By one thread; the blocks of a cluster meet after it. */
QN_DEV void pipeline_init(const pipeline *p) {
  for (int s = 0; s < STAGES; s++) {
    barrier_init(p->full + 8 * s, 1);
    barrier_init(p->empty + 8 * s, 4 * READERS * (CLUSTER_I + CLUSTER_J - 1)); /* one a warp */
  }
  for (int g = 0; g < TURNS; g++) barrier_init(p->turn + 8 * g, 4); /* the other group's warps */
  barrier_init_fence();
}

/* Rows r .. r + rows of an operand at k = p: along the lines they come 64 at a time. */
#define LOAD_PART(to, map, r, p, rows, major, sharers, shares, barrier)                            \
  if (major) {                                                                                     \
    QN_UNROLL                                                                                      \
    for (int s = 0; s < (rows) / 64; s++)                                                          \
      LOAD_BOX(to + s * 64 * LINE, map, r + s * 64, p, sharers, shares, barrier);                  \
  } else {                                                                                         \
    LOAD_BOX(to, map, p, r, sharers, shares, barrier);                                             \
  }
#define LOAD_BOX(to, map, x, y, sharers, shares, barrier)                                          \
  if ((sharers) > 1)                                                                               \
    box_load_many(to, map, x, y, barrier, shares);                                                 \
  else                                                                                             \
    box_load(to, map, x, y, barrier)

/* Of one of `parts` parts of k, the first of which have a step more where they are not alike. */
QN_DEV int steps_of_part(int steps, int parts, int part) {
  return (steps - part + parts - 1) / parts;
}

/* By one thread: so many steps of k, the first of them and so many apart, for the tile at (i0, j0).
 */
QN_DEV void produce(const pipeline *p, ring *r, const place *me, const tensor_map *map_a,
                    const tensor_map *map_b, int i0, int j0, int first, int apart, int steps) {
  const int i = i0 + me->j * PART_A, j = j0 + me->i * PART_B;
  const int shares_a = COLUMN_OF_BLOCKS << me->i, shares_b = ROW_OF_BLOCKS << me->j * CLUSTER_I;
  for (int kp = first * BK; steps > 0; kp += apart * BK, steps--) {
    const qn_u32 full = p->full + 8 * r->stage, to = p->stages + r->stage * BYTES_STAGE;
    barrier_wait(p->empty + 8 * r->stage, r->parity ^ 1);
    barrier_arrive_bytes(full, BYTES_STAGE);
    LOAD_PART(to + me->j * PART_A * LINE, map_a, i, kp, PART_A, MAJOR_A, CLUSTER_J, shares_a, full);
    LOAD_PART(to + BYTES_A + me->i * PART_B * LINE, map_b, j, kp, PART_B, MAJOR_B, CLUSTER_I,
              shares_b, full);
    ring_next(r);
  }
}

/* This warp has read the stage: told to every block that loads into it. */
QN_DEV void release(const pipeline *p, const place *me, int stage) {
  const int lane = threadIdx.x % 32;
  if (BLOCKS == 1) {
    if (lane == 0) barrier_arrive(p->empty + 8 * stage);
    return;
  }
  if (lane >= BLOCKS) return;
  if (lane % CLUSTER_I == me->i || lane / CLUSTER_I == me->j)
    barrier_arrive_at(p->empty + 8 * stage, lane);
}

/* A group that shares no tile waits for the steps of its own only when all before them have come:
 * a wait for one phase of a barrier does not see the phase before it. */
QN_DEV void turn_wait(const pipeline *p, int group, int count) {
  if (TURNS > 1) barrier_wait(p->turn + 8 * group, (count ^ group ^ 1) & 1);
}
QN_DEV void turn_pass(const pipeline *p, int group) {
  if (TURNS > 1 && threadIdx.x % 32 == 0) barrier_arrive(p->turn + 8 * (group ^ 1));
}

/* By a group, the `slice`-th that shares the tile: sum := its part of one step of k, or sum + that,
 * which stays in flight. */
QN_DEV void consume_step(const pipeline *p, const ring *r, int slice, int add,
                         float sum[PRODUCTS][SUMS]) {
  const qn_u32 at = p->stages + r->stage * BYTES_STAGE;
  barrier_wait(p->full + 8 * r->stage, r->parity);
  const qn_u64 y = wgmma_tile(at);
  const qn_u64 x = wgmma_tile(at + BYTES_A + slice * GROUP_J * LINE);
  wgmma_begin();
  QN_UNROLL
  for (int kp = 0; kp < BK / 16; kp++) {
    QN_UNROLL
    for (int s = 0; s < PRODUCTS; s++)
      wgmma(sum[s], x + s * (64 * LINE >> 4) + kp * WGMMA_STEP(MAJOR_B),
            y + kp * WGMMA_STEP(MAJOR_A), (int)(add + kp > 0), MAJOR_B, MAJOR_A);
  }
  wgmma_commit();
}

/* While that is in flight: the step before it is over. */
QN_DEV void consume_next(const pipeline *p, ring *r, const place *me, int step, int *before) {
  if (step > 0) {
    wgmma_wait(1);
    release(p, me, *before);
  }
  *before = r->stage;
  ring_next(r);
}

/* Behind the last of `steps`, if there are any. */
QN_DEV void consume_end(const pipeline *p, const place *me, int steps, int before) {
  wgmma_wait(0);
  if (steps > 0) release(p, me, before);
}
