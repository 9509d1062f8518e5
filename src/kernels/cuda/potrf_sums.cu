/* Sums of products over many tiles of two rows of tiles, for potrf_walk.cu. Needs potrf_tile.cu and
 * exchange.cu.
 *
 *        k = 0 ... 7   8 ... 15  16 ... 23  24 ... 31        STEP columns each
 *      +-----------+----------+----------+----------+
 *      |  warps    |          |          |          |        Two warps take half of the columns of
 *      |  0 and 1  |  2 and 3 |  4 and 5 |  6 and 7 |  ...   the tile each, for a fourth of k, so
 *      |           |          |          |          |        that an element that is read serves
 *      +-----------+----------+----------+----------+        twice as many sums as where eight
 *                                                            warps share the tile. A warp's part is
 * the quarters of four warps of potrf_tile.cu, lane by lane; what it has of them goes to them in
 * the end, and they add it up in order. */

#define CLOSE        8  /* rows below the diagonal whose last tiles come late */
#define MANY         4  /* tiles in a row that are worth it */
#define CHUNK        32 /* columns that are on their way at a time */
#define CHUNK_PIECES (NB * CHUNK / VW / THREADS)
#define AHEAD        (NB == 64) /* whether half of the warps put columns before they multiply */
/* Which of a warp's pieces thread t waits for: in f32 all for the last one, which asks less of the
 * second cache. f64 has been no faster by that. */
#define LOOKED_AT(t) (QN_T == 2 ? (t) | 31 : (t))

/* ---- a quarter of a tile for each of four warps ---- */

/* part[q] += x y^H over STEP columns of both, for quarter q of `at`, that of the first. */
#if TENSOR
QN_DEV void add_quarters(wide (*part)[COUNT], const elem *x, const elem *y, const place *at) {
  side f[2];
  QN_UNROLL
  for (int h = 0; h < 2; h++) {
    const place there = {at->row + h * (NB / 2), 0, at->warp + 2 * h, at->lane};
    read_rows(f + h, x, &there);
    read_cols(f + h, y, &there);
  }
  QN_UNROLL
  for (int q = 0; q < 4; q++) add_side(part[q], f + q % 2, f + q / 2);
}
#else
QN_DEV void add_quarters(wide (*part)[COUNT], const elem *x, const elem *y, const place *at) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++) {
    elem rows[2][TM], cols[2][TM];
    QN_UNROLL
    for (int h = 0; h < 2; h++) {
      read_side(rows[h], x + k * LD + at->row + h * (NB / 2));
      read_side(cols[h], y + k * LD + at->col + h * (NB / 4));
    }
    QN_UNROLL
    for (int q = 0; q < 4; q++) add_side(part[q], rows[q % 2], cols[q / 2]);
  }
}
#endif

/* ---- the walk along two rows ---- */

/* A thread's pieces of CHUNK columns of both rows, on their way, and where the next ones are. */
typedef struct pair {
  piece of[2][CHUNK_PIECES];
  const elem *from[2];
} pair;

QN_DEV void look_pair(pair *v, int t) {
  QN_UNROLL
  for (int s = 0; s < 2; s++) {
    QN_UNROLL
    for (int u = 0; u < CHUNK_PIECES; u++)
      v->of[s][u] = load_shared_by_groups((const piece *)v->from[s] + t + u * THREADS);
  }
}

/* Whether all have come, by one look at them together. */
QN_DEV int pair_has_come(const pair *v) {
  qn_u32 largest = 0;
  QN_UNROLL
  for (int u = 0; u < 2 * CHUNK_PIECES; u++)
    largest = max(largest, LARGEST_PART(v->of[u / CHUNK_PIECES][u % CHUNK_PIECES]));
  return largest != 0xffffffffu;
}

/* Waits for the last of each, which come last, without a look at the others meanwhile. */
QN_DEV void await_pair(pair *v, int t) {
  SPINS;
  while (!pair_has_come(v)) {
    QN_UNROLL
    for (int s = 0; s < 2; s++) {
      const piece *const last =
          (const piece *)v->from[s] + LOOKED_AT(t) + (CHUNK_PIECES - 1) * THREADS;
      while (!IS_RESULT(load_shared_by_groups(last))) SPIN;
    }
    look_pair(v, t);
  }
}

/* To `to`, and TILE behind it; the next ones are then on their way, if there are any. */
QN_DEV void put_pair(elem *to, pair *v, int any, int t) {
  await_pair(v, t);
  QN_UNROLL
  for (int u = 0; u < 2 * CHUNK_PIECES; u++) {
    const int s = u / CHUNK_PIECES, at = (t + u % CHUNK_PIECES * THREADS) * VW;
    *(piece *)(to + s * TILE + at / NB * LD + at % NB) = v->of[s][u % CHUNK_PIECES];
  }
  v->from[0] += NB * CHUNK;
  v->from[1] += NB * CHUNK;
  if (any) look_pair(v, t);
}

/* sum += x y^H over `count` tiles of rows x and y. All operands' place in `tiles` is used, and free
 * in the end. While some warps of a scheduler multiply, others put what comes next where it goes.
 */
QN_DEV void add_tiles(wide *sum, elem *tiles, const elem *rows, const elem *cols, int count, int t,
                      const place *at) {
  const int share = at->warp / 2, ahead = AHEAD && at->warp < 4;
  const place first = place_of(at->warp % 2 * 4, at->lane);
  wide part[4][COUNT];
  QN_UNROLL
  for (int e = 0; e < 4 * COUNT; e++) part[e / COUNT][e % COUNT] = wide_zero();
  pair next;
  next.from[0] = rows, next.from[1] = cols;
  const int chunks = count * (NB / CHUNK);
  look_pair(&next, t);
  put_pair(tiles, &next, chunks > 1, t);
#pragma unroll 1
  for (int c = 0; c < chunks; c++) {
    elem *const x = tiles + c % 2 * (2 * TILE), *const to = tiles + (c + 1) % 2 * (2 * TILE);
    QN_BARRIER();
    if (ahead && c + 1 < chunks) put_pair(to, &next, c + 2 < chunks, t);
    QN_UNROLL
    for (int p = 0; p < CHUNK; p += 4 * STEP) {
      const elem *const own = x + (p + share * STEP) * LD;
      add_quarters(part, own, own + TILE, &first);
    }
    if (!ahead && c + 1 < chunks) put_pair(to, &next, c + 2 < chunks, t);
  }
  QN_BARRIER();
  /* one by one: sums that go four at a time would lie in registers that make products wait */
  QN_UNROLL
  for (int q = 0; q < 4; q++) {
    elem *const to = tiles + share * (NB * NB) + (first.warp + q) * 32 + at->lane;
    QN_UNROLL
    for (int e = 0; e < COUNT; e++) to[e * THREADS] = (elem)part[q][e];
  }
  QN_BARRIER();
  QN_UNROLL
  for (int s = 0; s < 4; s++) {
    QN_UNROLL
    for (int e = 0; e < COUNT; e++)
      sum[e] = wide_add(sum[e], tiles[s * (NB * NB) + e * THREADS + t]);
  }
  QN_BARRIER();
}
