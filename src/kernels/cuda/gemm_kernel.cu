/* The kernel of the pipelined products: the walk over k; which tiles of C a group has is in
 * gemm_tiles.cu, how the sums leave in gemm_sums.cu.
 *
 * Grid: x = tiles of C, walked in bands of BAND tile rows so that a band's A and a few columns of B
 * stay in the last cache; y = 1; z = parts of k. With STAYS x may be less: a group then takes every
 * so manyth tile, and its copiers are ahead with the next one while sums are stored; with STAYS 2,
 * where beta is 0, these are stored among the first products of the next tile. From sm_90 on
 * `parts` of k, more than one, are a cluster (gemm_cluster.cu). Where `raw`, each writes its raw
 * sums to part z of `work` (m x n, dense) and gemm_reduce adds them. region: 0 all of C, 1 its
 * lower, 2 its upper triangle (tiles outside are left out). A launch that may begin early.
 *
 * Beside what gemm_stage.cu needs the including file has
 *   sums                     an item's accumulators, SUMS of them
 *   sum_at(sums, s)          one, for a constant s; s ... s + VW - 1 are neighbours in a column
 *   sum_row(s), sum_col(s)   where it is, from the item's first
 *   reader, reader_of(t)     where the item reads in a stage; its row and col are the first sum's
 *   fragment, read_fragment(fragment, stage, p, reader)     what STEP_K of k from p on take
 *   multiply(sums, fragment)
 *
 * and with AHEAD 1, which reads fragments a part of a step ahead:
 *   multiply_ahead(sums, fragment, stage, p, reader)        likewise; then reads the fragment anew
 *
 * and with AHEAD 2, which reads what it likes ahead:
 *   ahead, read_first(ahead, stage, reader)                 what a step begins with
 *   multiply_most(sums, ahead, stage, reader)               products; then the stage has been read
 *   multiply_rest(sums, ahead, next stage, reader)          the others, and what the next begins
 * with multiply_end(sums, ahead)                               the others of the last step
 *
 * and with LATE, which stores sums among the first products of the next tile:
 *   late                     sums that are to be stored
 *   LATE_PARAMS, LATE_PASS   one of them, or none, for the last three
 *
 * Macros: QN_T (element.cl); C_F32 0; TRANSA, TRANSB 0 N, 1 T, 2 C; QN_SM; BM BN BK STAGES;
 * MULTIPLIERS; STAYS; ROOM (gemm_cluster.cu), 0 by default; RESIDENT, the groups that a
 * multiprocessor is to hold; REGISTERS and REGISTERS_COPY, of one who multiplies and of one who
 * copies (sm_90). */

#include "cuda/gemm_tiles.cu"
#include "cuda/gemm_sums.cu"
#if QN_SM >= 90
#include "cuda/gemm_cluster.cu"
#endif

/* ---- the walk over k ---- */

#ifndef AHEAD
#define AHEAD 0
#endif

#ifdef STEP_K /* fragments are read by themselves */
QN_DEV void multiply_stage(sums *sum, const char *stage, const reader *r) {
  QN_UNROLL
  for (int p = 0; p < BK; p += STEP_K) {
    fragment f;
    read_fragment(&f, stage, p, r);
    multiply(sum, &f);
  }
}

QN_DEV void multiply_step(sums *sum, const char *stage, const reader *r, const tile *at,
                          int step TRIANGLE_PARAMS) {
#if TRIANGLE && !MASKED
  const int own = BY_WARP ? (TRIANGLE_SIDE == A_SIDE ? r->row : r->col) & -WARP_EXTENT : 0;
  const int shift = at->shift + step * BK, share = triangle_share(shift - own);
  if (share != TRIANGLE_ALL) {
    if (share == TRIANGLE_PART) multiply_crossed(sum, stage, r, shift, unit);
    return;
  }
#elif MASKED
  const int own = (TRIANGLE_SIDE == A_SIDE ? r->row : r->col) & -WARP_EXTENT;
  if (triangle_share(at->shift + step * BK - own) == TRIANGLE_NONE) return;
#endif
  multiply_stage(sum, stage, r);
}
#endif

#ifndef LATE
#define LATE 0
#endif
#if !LATE
#define LATE_PARAMS
#define LATE_PASS(x)
#endif

#if AHEAD == 2
/* Over `left` steps, of whose first what it begins with has been read. */
QN_DEV void walk_on(sums *sum, ahead *f, char *shared, const reader *r, int t, pipeline *line,
                    int left LATE_PARAMS) {
  for (; left > 1; left--) {
    const int there = stage_peek(line);
    multiply_most(sum, f, shared + line->stage * STAGE_BYTES, r LATE_PASS(before));
    stage_leave(line, t);
    if (!there) stage_await(line);
    multiply_rest(sum, f, shared + line->stage * STAGE_BYTES, r LATE_PASS(before));
  }
  multiply_most(sum, f, shared + line->stage * STAGE_BYTES, r LATE_PASS(before));
  stage_leave(line, t);
  multiply_end(sum, f LATE_PASS(before));
}
#elif AHEAD && TRIANGLE
typedef fragment ahead;

QN_DEV void read_first(ahead *f, const char *stage, const reader *r) {
  read_fragment(f, stage, 0, r);
}

/* The first fragment of a step is read while the last products of the one before are under way. */
QN_DEV void walk_on(sums *sum, ahead *f, char *shared, const reader *r, int t, pipeline *line,
                    int left) {
  for (;; left--) {
    QN_UNROLL
    for (int p = STEP_K; p < BK; p += STEP_K)
      multiply_ahead(sum, f, shared + line->stage * STAGE_BYTES, p, r);
    stage_leave(line, t);
    if (left == 1) break;
    stage_await(line);
    multiply_ahead(sum, f, shared + line->stage * STAGE_BYTES, 0, r);
  }
  multiply(sum, f);
}
#endif

#if AHEAD && TRIANGLE
/* Of the tile's steps those that lie in the triangle whole, for the rows (columns) of the warp. */
QN_DEV int steps_inside(const tile *at, int own) {
  const int before = own - at->shift, behind = before + WARP_EXTENT + BK - 1;
  return TRIANGLE_BELOW ? QN_MIN(QN_MAX(before / BK, 0), at->steps)
                        : at->steps - QN_MIN(QN_MAX(behind / BK, 0), at->steps);
}

/* Steps of which the diagonal leaves the warp a part or nothing. */
QN_DEV void walk_crossed(sums *sum, char *shared, const reader *r, int t, pipeline *line, int shift,
                         int own, int steps, int unit) {
  for (; steps > 0; steps--, shift += BK) {
    stage_await(line);
    if (triangle_share(shift - own) == TRIANGLE_PART)
      multiply_crossed(sum, shared + line->stage * STAGE_BYTES, r, shift, unit);
    stage_leave(line, t);
  }
}

QN_DEV void walk(sums *sum, char *shared, const reader *r, int t, const tile *at, pipeline *line,
                 int unit) {
  const int own = (TRIANGLE_SIDE == A_SIDE ? r->row : r->col) & -WARP_EXTENT;
  const int inside = steps_inside(at, own), crossed = at->steps - inside;
  if (!TRIANGLE_BELOW) walk_crossed(sum, shared, r, t, line, at->shift, own, crossed, unit);
  if (inside > 0) {
    ahead f;
    stage_await(line);
    read_first(&f, shared + line->stage * STAGE_BYTES, r);
    walk_on(sum, &f, shared, r, t, line, inside);
  }
  if (TRIANGLE_BELOW)
    walk_crossed(sum, shared, r, t, line, at->shift + inside * BK, own, crossed, unit);
}
#elif AHEAD == 1
/* c64. What a turn of the loop takes of a step, where all of it is more code than the instruction
 * cache holds. Whether the next stage is full is not asked early: registers would be given out
 * worse, as by other forms of this loop (multiply in gemm_f32.cu). */
#ifndef TURN
#define TURN BK
#endif

#if TURN < BK
/* On to the next turn, of which there are `left` with this one: without a branch, since products on
 * either side of one are given registers of the wrong banks. */
QN_DEV const char *turn_end(char *shared, const char *from, pipeline *line, int left, int t) {
  const int leaves = (left - 1) % (BK / TURN) == 0, last = leaves && line->stage == STAGES - 1;
  __syncwarp();
  counter_arrive_if(empty(line, line->stage), leaves && (FOR_RACECHECK || t % 32 == 0));
  line->stage = last ? 0 : line->stage + leaves;
  line->parity ^= last;
  stage_await(line);
  return leaves ? shared + line->stage * STAGE_BYTES : from + TURN_BYTES;
}
#else
QN_DEV const char *turn_end(char *shared, const char *from, pipeline *line, int left, int t) {
  (void)from;
  (void)left;
  stage_leave(line, t);
  stage_await(line);
  return shared + line->stage * STAGE_BYTES;
}
#endif

/* The first fragment of a step is read while the last products of the one before are under way. */
QN_DEV void walk(sums *sum, char *shared, const reader *r, int t, const tile *at, pipeline *line) {
  if (at->steps == 0) return;
  fragment f;
  stage_await(line);
  const char *from = shared + line->stage * STAGE_BYTES;
  read_fragment(&f, from, 0, r);
  for (int left = at->steps * (BK / TURN); left > 1; left--) {
    QN_UNROLL
    for (int p = STEP_K; p < TURN; p += STEP_K) multiply_ahead(sum, &f, from, p, r);
    from = turn_end(shared, from, line, left, t);
    multiply_ahead(sum, &f, from, 0, r);
  }
  QN_UNROLL
  for (int p = STEP_K; p < TURN; p += STEP_K) multiply_ahead(sum, &f, from, p, r);
  stage_leave(line, t);
  multiply(sum, &f);
}
#elif AHEAD
QN_DEV void walk(sums *sum, char *shared, const reader *r, int t, const tile *at,
                 pipeline *line LATE_PARAMS) {
  if (at->steps == 0) return;
  ahead f;
  stage_await(line);
  read_first(&f, shared + line->stage * STAGE_BYTES, r);
  int left = at->steps;
#if LATE
  multiply_most(sum, &f, shared + line->stage * STAGE_BYTES, r LATE_PASS(before));
  stage_leave(line, t);
  if (left == 1) {
    multiply_end(sum, &f LATE_PASS(before));
    return;
  }
  stage_await(line);
  multiply_rest(sum, &f, shared + line->stage * STAGE_BYTES, r LATE_PASS(before));
  left--;
#endif
  walk_on(sum, &f, shared, r, t, line, left LATE_PASS(0));
}
#elif SPECIALISED
QN_DEV void walk(sums *sum, char *shared, const reader *r, int t, const tile *at,
                 pipeline *line TRIANGLE_PARAMS) {
  for (int step = 0; step < at->steps; step++) {
    stage_await(line);
    multiply_step(sum, shared + line->stage * STAGE_BYTES, r, at, step TRIANGLE_PASS);
    stage_leave(line, t);
  }
}
#else
QN_DEV void walk(sums *sum, char *shared, const reader *r, int t, const tile *at, pipeline *line,
                 operand *a, operand *b TRIANGLE_PARAMS) {
  line->stage = 0;
  __syncthreads(); /* the tile before has read all of its stages */
  _Pragma("unroll 1") for (int step = 0; step < STAGES - 1; step++) {
    if (step < at->steps)
      start_step(line->base + step * STAGE_BYTES, a, b, t, step, at->steps, at->tail);
    copies_commit();
  }
  for (int step = 0; step < at->steps; step++) {
    copies_wait(STAGES - 2);
    __syncthreads(); /* this step is there, and the stage before it is free */
    const int next = step + STAGES - 1, stage = (line->stage + STAGES - 1) % STAGES;
    if (next < at->steps)
      start_step(line->base + stage * STAGE_BYTES, a, b, t, next, at->steps, at->tail);
    copies_commit();
    multiply_step(sum, shared + line->stage * STAGE_BYTES, r, at, step TRIANGLE_PASS);
    next_stage(line);
  }
}
#endif

#if SPECIALISED
/* C on its way to the last cache, while the last steps are multiplied: a line of each column by
 * each copier, lines next to one another side by side. */
QN_DEV void prefetch_tile(const tile *at, const out *c, qn_i64 ldc, qn_i64 m, qn_i64 n, int t) {
  enum { LINE = 128 / sizeof(out), LINES = (BM + LINE - 1) / LINE, COLUMNS = COPIERS / LINES };
  const int row = opaque(t) % LINES * LINE, column = opaque(t) / LINES;
  if (at->i0 + row >= m) return;
  const int columns = (int)QN_MIN(n - at->j0, (qn_i64)BN);
  c += at->i0 + row + (at->j0 + column) * ldc;
  _Pragma("unroll 1") for (int j = column; j < columns; j += COLUMNS, c += COLUMNS * ldc)
      prefetch_line(c);
}
#endif

/* Where the item's first sum is, from its number read anew, so that it takes no registers
 * throughout the walk. (In f32 registers would be given out worse.) */
QN_DEV reader reader_again(const reader *r) {
  if (!AHEAD) return *r;
  unsigned t;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
  return reader_of(t);
}

/* All items have come; then memory may be read. */
QN_DEV void meet(int apart) {
#if QN_SM >= 90
  __syncthreads();
  cluster_begins(apart);
  launch_wait();
#endif
}

/* Counters, first. */
QN_DEV void begin(const pipeline *line, int t, int parts, int apart) {
#if SPECIALISED
  stages_init(line, t);
#endif
#if QN_SM >= 90
  if (parts > 1) gather_init(line, t, parts);
#endif
  meet(apart);
}

QN_KERNEL __launch_bounds__(THREADS, RESIDENT) void gemm(
    qn_i64 m, qn_i64 n, qn_i64 k, int region, acc alpha, const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 lda, const elem *QN_RESTRICT b, qn_i64 off_b, qn_i64 ldb, acc beta, out *QN_RESTRICT c,
    qn_i64 off_c, qn_i64 ldc, int parts, int raw, qn_i64 k_part,
    acc *QN_RESTRICT work TRIANGLE_PARAMS EPILOGUE_PARAMS) {
  extern __shared__ __align__(128) char counters[];
  char *const shared = counters + COUNTER_BYTES;
  const int t = QN_LID(0), tiles = tiles_along(m, A_SIDE) * tiles_along(n, B_SIDE);
  pipeline line = {shared_of(shared), 0, 0};
  /* asked here alone: a comparison of doubles waits, for a step or more, until products leave it
   * their pipe */
  const int reads = opaque(EPILOGUE_READS_C || !acc_is_zero(beta));
#if QN_SM >= 90
  const int apart = cluster_apart(parts);
#else
  const int apart = 0;
#endif
#if !COPIERS_FIRST
  begin(&line, t, parts, apart);
#endif
#if SPECIALISED
  if (t >= MULTIPLIERS) {
    registers_release(REGISTERS_COPY);
    const int own = t - MULTIPLIERS;
    for (int index = QN_WGID(0); index >= 0; index = next_tile(index, tiles)) {
      const tile at = tile_of(index, m, n, k, parts, k_part);
      operand oa = operand_of(a + off_a, lda, at.i0, m, at.k_from, own, A_SIDE);
      operand ob = operand_of(b + off_b, ldb, at.j0, n, at.k_from, own, B_SIDE);
#if COPIERS_FIRST
      if (index == QN_WGID(0)) meet(apart); /* the others have made the counters meanwhile */
#endif
      if (tile_outside(&at, region)) {
        cluster_leaves(apart);
        continue;
      }
#if MASKED
      const int shift = at.shift;
#endif
      fill_stages(&line, &oa, &ob, own, at.steps, at.tail MASK_PASS);
      if (reads) prefetch_tile(&at, c + off_c, ldc, m, n, t - MULTIPLIERS);
      if (parts > 1) cluster_meets(apart); /* as in store_pair and store_cluster */
    }
    return;
  }
#if COPIERS_FIRST
  begin(&line, t, parts, apart);
#endif
  registers_take(REGISTERS);
#endif
  const reader r = reader_of((unsigned)t);
  sums sum;
#if LATE
  late before = {0, ldc, alpha};
#endif
  for (int index = QN_WGID(0); index >= 0; index = next_tile(index, tiles)) {
    const tile at = tile_of(index, m, n, k, parts, k_part);
    if (tile_outside(&at, region)) {
#if QN_SM >= 90
      cluster_leaves(apart);
#endif
      continue;
    }
    if (!LATE || at.steps == 0) { /* late sums are cleared one by one */
      QN_UNROLL
      for (int s = 0; s < (int)(sizeof sum / sizeof(real)); s++) ((real *)&sum)[s] = 0;
    }
#if AHEAD && !TRIANGLE
    walk(&sum, shared, &r, t, &at, &line LATE_PASS(&before));
#elif SPECIALISED
    walk(&sum, shared, &r, t, &at, &line TRIANGLE_PASS);
#else
    operand oa = operand_of(a + off_a, lda, at.i0, m, at.k_from, t, A_SIDE);
    operand ob = operand_of(b + off_b, ldb, at.j0, n, at.k_from, t, B_SIDE);
    walk(&sum, shared, &r, t, &at, &line, &oa, &ob TRIANGLE_PASS);
#endif
#if QN_SM >= 90
    /* not before: launches that wait would fill some multiprocessors and leave others empty */
    if (next_tile(index, tiles) < 0) launch_next();
#endif
#if TRIANGLE
    /* worked out anew: kept over the walk, they would cost registers, and banks of these */
    const tile there = tile_of(opaque(index), m, n, k, parts, k_part);
    const reader first = reader_of((unsigned)opaque(t));
#else
    const tile there = at;
#endif
    target to = {m, n, ldc, region, alpha, beta, c + off_c};
#if TRIANGLE
    to.a = a + off_a, to.lda = lda, to.b = b + off_b, to.ldb = ldb, to.k = k, to.unit = unit;
#endif
#if QN_SM >= 90
    if (parts > 1) {
#if !TRIANGLE
      const reader first = reader_again(&r);
#endif
      if (is_pair(parts))
        store_pair(shared, &line, &sum, &there, &to, &first, t, apart EPILOGUE_PASS);
      else
        store_cluster(shared, &line, &sum, &there, &to, &first, t, parts EPILOGUE_PASS);
      return; /* a cluster has one tile */
    }
#endif
#if !TRIANGLE
    if (raw) { /* the sums as they are */
      const target as_is = {
          m, n, m, region, acc_make((real)1, (real)0), acc_zero(), work + QN_WGID(2) * m * n};
      to = as_is;
    }
#endif
#if LATE
    before.to = 0;
    if (next_tile(index, tiles) >= 0 && at.steps > 0 && !reads && tile_stores_vectors(&at, &to)) {
      const reader first = reader_again(&r);
      before.to = to.c + at.i0 + first.row + (at.j0 + first.col) * ldc;
      continue;
    }
#endif
#if !TRIANGLE
    const reader first = reader_again(&r);
#endif
    store_tile(&sum, &there, &to, &first EPILOGUE_PASS);
  }
}
