/* The sums of a tile whose parts of k are the two groups of a cluster.
 *
 * An item's sums are taken 16 bytes at a time, neighbours in a column, by the groups in turn. Each
 * group keeps what it takes in registers and sends the other's half there, behind the stages where
 * shared memory has room: then nothing is waited for but the sums themselves. Else over the
 * stages, once both groups have read them. An item reads only what the item of its own number
 * wrote. */
/* Sums s, s + 1 ... */
QN_DEV out_vector pair_unit(const sums *sum, int s) {
  out_vector x;
  QN_UNROLL
  for (int v = 0; v < VW; v++) x.one[v] = sum_at(sum, s + v);
  return x;
}

QN_DEV void pair_send(const pipeline *line, shared_place place, const sums *sum, int t, int rank) {
  const shared_place there = cluster_place(place + t * 16, 1 - rank),
                     counter = cluster_place(gathered(line), 1 - rank);
  QN_UNROLL
  for (int u = 0; u < PAIR_UNITS; u++) {
    const out_vector x = pair_unit(sum, (2 * u + 1 - rank) * VW);
    cluster_send_16(there + u * MULTIPLIERS * 16, (const float *)&x, counter);
  }
}

/* Unit u of the group's own, both halves of it added: where it lies in shared memory is `theirs`.
 */
QN_DEV out_vector pair_sum(const sums *sum, int u, int rank, const char *theirs) {
  const out_vector x = pair_unit(sum, (2 * u + rank) * VW),
                   y = *(const out_vector *)(theirs + u * MULTIPLIERS * 16);
  out_vector z;
  QN_UNROLL
  for (int v = 0; v < VW; v++) z.one[v] = acc_add(x.one[v], y.one[v]);
  return z;
}
QN_DEV int pair_row(int u, int rank) {
  return sum_row((2 * u + rank) * VW);
}
QN_DEV int pair_col(int u, int rank) {
  return sum_col((2 * u + rank) * VW);
}

/* Units that are read of C before any of them is stored. */
#define PAIR_AHEAD QN_MIN(PAIR_UNITS, 4)

QN_DEV void pair_put(const char *theirs, const sums *sum, qn_i64 i0, qn_i64 j0, const target *to,
                     int rank EPILOGUE_PARAMS) {
  QN_UNROLL
  for (int first = 0; first < PAIR_UNITS; first += PAIR_AHEAD) {
    out_vector x[PAIR_AHEAD];
    vec *there[PAIR_AHEAD];
    QN_UNROLL
    for (int q = 0; q < PAIR_AHEAD; q++)
      there[q] = (vec *)(to->c + i0 + pair_row(first + q, rank) +
                         (j0 + pair_col(first + q, rank)) * to->ldc);
    if (reads_c(to)) {
      QN_UNROLL
      for (int q = 0; q < PAIR_AHEAD; q++) x[q].all = *there[q];
    }
    QN_UNROLL
    for (int q = 0; q < PAIR_AHEAD; q++) {
      const out_vector y = pair_sum(sum, first + q, rank, theirs);
      update_vector(&x[q], to, i0 + pair_row(first + q, rank), j0 + pair_col(first + q, rank),
                    y.one EPILOGUE_PASS);
      *there[q] = x[q].all;
    }
  }
}

/* One by one, by way of shared memory: short rather than fast. */
QN_DEV void pair_put_slowly(char *theirs, const sums *sum, qn_i64 i0, qn_i64 j0, const target *to,
                            int rank, int vectors EPILOGUE_PARAMS) {
  QN_UNROLL
  for (int u = 0; u < PAIR_UNITS; u++)
    *(out_vector *)(theirs + u * MULTIPLIERS * 16) = pair_sum(sum, u, rank, theirs);
  _Pragma("unroll 1") for (int u = 0; u < PAIR_UNITS; u++) {
    const out_vector x = *(const out_vector *)(theirs + u * MULTIPLIERS * 16);
    put_vector(to, i0 + pair_row(u, rank), j0 + pair_col(u, rank), x.one, vectors EPILOGUE_PASS);
  }
}

/* Of the group `rank`, a constant: chosen while the program runs, the sums would be given
 * registers of the wrong banks. */
QN_DEV void store_half(char *shared, const pipeline *line, const sums *sum, const tile *at,
                       const target *to, const reader *r, int t, int place,
                       int rank EPILOGUE_PARAMS) {
  pair_send(line, line->base + place, sum, t, rank);
  char *theirs = shared + place + t * 16;
  const qn_i64 i0 = at->i0 + r->row, j0 = at->j0 + r->col;
  const int vectors = tile_stores_vectors(at, to);
  counter_wait(gathered(line), 0);
  if (!TRIANGLE && vectors)
    pair_put(theirs, sum, i0, j0, to, rank EPILOGUE_PASS);
  else
    pair_put_slowly(theirs, sum, i0, j0, to, rank, vectors EPILOGUE_PASS);
}

QN_DEV void store_pair(char *shared, const pipeline *line, const sums *sum, const tile *at,
                       const target *to, const reader *r, int t, int apart EPILOGUE_PARAMS) {
  const int place = apart ? STAGES * STAGE_BYTES : 0;
  cluster_meets(apart); /* the other group has begun, or has no stage to read any more */
  if (QN_WGID(2))
    store_half(shared, line, sum, at, to, r, t, place, 1 EPILOGUE_PASS);
  else
    store_half(shared, line, sum, at, to, r, t, place, 0 EPILOGUE_PASS);
}
