/* The kernel of the pipelined products: which tile of C a group has, the walk over k, and how the
 * sums leave.
 *
 * Grid: x = tiles of C, walked in bands of BAND tile rows so that a band's A and a few columns of B
 * stay in the last cache; y = 1; z = parts of k. From sm_90 on the parts of a tile are one cluster,
 * and each sums a share of the tile, in the order of the parts, from the shared memory of all.
 * Before, each writes its raw sums to part z of `work` (m x n, dense) and gemm_reduce adds them.
 * region: 0 all of C, 1 its lower, 2 its upper triangle (tiles outside return at once).
 *
 * Beside what gemm_stage.cu needs the including file has
 *   sums                  an item's accumulators, SUMS of them
 *   sum_at(sums, s)       one, for a constant s; s, s + 1 ... s + VW - 1 are neighbours in a column
 *   sum_row(s), sum_col(s)   where it is, from the item's first
 *   reader, reader_of(t)  where the item reads in a stage; its members row and col are the first
 * sum's multiply_stage(sums, stage, reader)
 *
 * Macros: QN_T (element.cl); C_F32 0; TRANSA, TRANSB 0 N, 1 T, 2 C; QN_SM; BM BN BK STAGES;
 * MULTIPLIERS; RESIDENT, the groups that a multiprocessor is to hold; REGISTERS and REGISTERS_COPY,
 * of one who multiplies and of one who copies (sm_90). */

#define BAND 8

typedef struct tile {
  qn_i64 i0, j0;   /* its first row and column */
  qn_i64 k_from;   /* the group's part of k begins here */
  int steps, tail; /* and takes so many steps, of the last of which `tail` counts */
} tile;

QN_DEV tile tile_of(qn_i64 m, qn_i64 n, qn_i64 k, qn_i64 k_part) {
  const int tiles_m = (int)((m + BM - 1) / BM), tiles_n = (int)((n + BN - 1) / BN);
  const int band = QN_WGID(0) / (BAND * tiles_n), in_band = QN_WGID(0) % (BAND * tiles_n);
  const int rows = tiles_m - band * BAND < BAND ? tiles_m - band * BAND : BAND;
  tile at;
  at.i0 = (qn_i64)(band * BAND + in_band % rows) * BM;
  at.j0 = (qn_i64)(in_band / rows) * BN;
  at.k_from = QN_WGID(2) * k_part;
  const qn_i64 part = at.k_from + k_part < k ? k_part : k - at.k_from;
  at.steps = (int)((part + BK - 1) / BK);
  at.tail = (int)(part - (qn_i64)(at.steps - 1) * BK);
  return at;
}

QN_DEV int tile_outside(const tile *at, int region) {
  return (region == 1 && at->i0 + BM <= at->j0) || (region == 2 && at->j0 + BN <= at->i0);
}

/* ---- the sums ---- */

typedef struct target {
  qn_i64 m, n, ldc;
  int region;
  acc alpha, beta;
  out *c;
} target;

QN_DEV void put_sum(const target *to, qn_i64 i, qn_i64 j, acc sum EPILOGUE_PARAMS) {
  if (i >= to->m || j >= to->n || (to->region == 1 && i < j) || (to->region == 2 && i > j)) return;
  out_update(to->c + i + j * to->ldc, to->alpha, sum, to->beta, i, j EPILOGUE_PASS);
}

/* Where all of the tile is stored and columns of C keep the alignment of 16 bytes. */
QN_DEV int tile_stores_vectors(const tile *at, const target *to) {
  return to->region == 0 && at->i0 + BM <= to->m && at->j0 + BN <= to->n &&
         ((qn_u64)to->c | (qn_u64)to->ldc * sizeof(elem)) % 16 == 0;
}

QN_DEV void store_tile(const sums *sum, const tile *at, const target *to,
                       const reader *r EPILOGUE_PARAMS) {
  const int vectors = tile_stores_vectors(at, to);
  QN_UNROLL
  for (int s = 0; s < SUMS; s += VW) {
    const qn_i64 i = at->i0 + r->row + sum_row(s), j = at->j0 + r->col + sum_col(s);
    if (vectors) {
      union {
        vec all;
        acc one[VW];
      } x;
      vec *there = (vec *)(to->c + i + j * to->ldc);
      if (EPILOGUE_READS_C || !acc_is_zero(to->beta)) x.all = *there;
      QN_UNROLL
      for (int v = 0; v < VW; v++)
        out_update(&x.one[v], to->alpha, sum_at(sum, s + v), to->beta, i + v, j EPILOGUE_PASS);
      *there = x.all;
    } else {
      QN_UNROLL
      for (int v = 0; v < VW; v++) put_sum(to, i + v, j, sum_at(sum, s + v) EPILOGUE_PASS);
    }
  }
}

#if QN_SM >= 90
/* The parts of k are the groups of a cluster: each lays down its sums, then takes a share of all.
 */
QN_DEV void store_cluster(char *shared, const sums *sum, const tile *at, const target *to,
                          const reader *r, int t, int parts EPILOGUE_PARAMS) {
  acc *own = (acc *)shared;
  asm volatile("bar.sync 1, %0;" ::"n"(MULTIPLIERS) : "memory"); /* all have read the last stage */
  QN_UNROLL
  for (int s = 0; s < SUMS; s++) own[s * MULTIPLIERS + t] = sum_at(sum, s);
  cluster_barrier();
  for (int s = QN_WGID(2); s < SUMS; s += parts)
    put_sum(to, at->i0 + r->row + sum_row(s), at->j0 + r->col + sum_col(s),
            cluster_sum(shared_of(own + s * MULTIPLIERS + t), parts) EPILOGUE_PASS);
  cluster_barrier(); /* none leaves while others read */
}
#endif

/* ---- the walk over k ---- */

#if SPECIALISED
QN_DEV void walk(sums *sum, char *shared, const reader *r, int t, const tile *at, pipeline line) {
  for (int step = 0; step < at->steps; step++) {
    stage_await(&line);
    multiply_stage(sum, shared + line.stage * STAGE_BYTES, r);
    stage_leave(&line, t);
  }
}
#else
QN_DEV void walk(sums *sum, char *shared, const reader *r, int t, const tile *at, pipeline line,
                 operand *a, operand *b) {
  _Pragma("unroll 1") for (int step = 0; step < STAGES - 1; step++) {
    if (step < at->steps)
      start_step(line.base + step * STAGE_BYTES, a, b, t, step, at->steps, at->tail);
    copies_commit();
  }
  for (int step = 0; step < at->steps; step++) {
    copies_wait(STAGES - 2);
    __syncthreads(); /* this step is there, and the stage before it is free */
    const int next = step + STAGES - 1, stage = (line.stage + STAGES - 1) % STAGES;
    if (next < at->steps)
      start_step(line.base + stage * STAGE_BYTES, a, b, t, next, at->steps, at->tail);
    copies_commit();
    multiply_stage(sum, shared + line.stage * STAGE_BYTES, r);
    next_stage(&line);
  }
}
#endif

QN_KERNEL __launch_bounds__(THREADS, RESIDENT) void gemm(
    qn_i64 m, qn_i64 n, qn_i64 k, int region, acc alpha, const elem *QN_RESTRICT a, qn_i64 off_a,
    qn_i64 lda, const elem *QN_RESTRICT b, qn_i64 off_b, qn_i64 ldb, acc beta, out *QN_RESTRICT c,
    qn_i64 off_c, qn_i64 ldc, int parts, qn_i64 k_part, acc *QN_RESTRICT work EPILOGUE_PARAMS) {
  extern __shared__ __align__(128) char shared[];
  const int t = QN_LID(0);
  const tile at = tile_of(m, n, k, k_part);
  if (tile_outside(&at, region)) return;
  const pipeline line = {shared_of(shared), 0, 0};
#if SPECIALISED
  stages_init(&line, t);
  if (t >= MULTIPLIERS) {
    registers_release(REGISTERS_COPY);
    const int own = t - MULTIPLIERS;
    operand oa = operand_of(a + off_a, lda, at.i0, m, at.k_from, own, A_SIDE);
    operand ob = operand_of(b + off_b, ldb, at.j0, n, at.k_from, own, B_SIDE);
    fill_stages(line, &oa, &ob, own, at.steps, at.tail);
    if (parts > 1) { /* as many barriers as store_cluster has */
      cluster_barrier();
      cluster_barrier();
    }
    return;
  }
  registers_take(REGISTERS);
#else
  operand oa = operand_of(a + off_a, lda, at.i0, m, at.k_from, t, A_SIDE);
  operand ob = operand_of(b + off_b, ldb, at.j0, n, at.k_from, t, B_SIDE);
#endif
  const reader r = reader_of((unsigned)t);
  sums sum;
  QN_UNROLL
  for (int s = 0; s < (int)(sizeof sum / sizeof(real)); s++) ((real *)&sum)[s] = 0;
  target to = {m, n, ldc, region, alpha, beta, c + off_c};
#if SPECIALISED
  walk(&sum, shared, &r, t, &at, line);
#else
  walk(&sum, shared, &r, t, &at, line, &oa, &ob);
#endif
#if QN_SM >= 90
  if (parts > 1) {
    store_cluster(shared, &sum, &at, &to, &r, t, parts EPILOGUE_PASS);
    return;
  }
#else
  if (parts > 1) { /* the sums as they are */
    const target raw = {
        m, n, m, region, acc_make((real)1, (real)0), acc_zero(), work + QN_WGID(2) * m * n};
    to = raw;
  }
#endif
  store_tile(&sum, &at, &to, &r EPILOGUE_PASS);
}
