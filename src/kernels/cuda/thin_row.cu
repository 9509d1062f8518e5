/* A row of tiles of trsm_thin.cu times X, which comes block by block from other thread blocks.
 * Tiles go from memory to registers, two chunks of KC columns ahead, so that the one next to the
 * diagonal is there before its X is; further ones come to the last cache meanwhile.
 *
 * A thread has four rows and KT columns of a chunk. Where rows are contiguous in memory (TRANS 0)
 * a warp has all rows and KT columns, a lane rows side by side where reads of 16 bytes are
 * possible; else 16 rows and all columns, of which each of eight lanes side by side has every
 * eighth run of VW. */

#define KT     (NB * KC / THREADS / 4) /* columns of a chunk that a thread has */
#define KW     (TRANS ? KC : KT)       /* and its warp */
#define CHUNKS (NB / KC)               /* of a tile */
/* chunks whose X a warp asks for at once: a tile's, where registers allow that */
#define ASKED  (QN_T == 3 && TRANS && NC > 1 ? 1 : CHUNKS)
#define SPAN   (ASKED * KW)
#define PARTS  (TRANS ? 1 : WARPS) /* sums of a row */
#define PIECES (NC * SPAN / VW)    /* of 16 bytes in what a warp needs of X */
#define POLLS  ((PIECES + 31) / 32)
/* tiles that are brought to the last cache where the way counts: of all thread blocks, what fits */
#define AHEAD (QN_T == 3 ? 2 : 4)

/* Whether reads of 16 bytes pay for their registers. */
#define RUNS (TRANS || QN_T == 2)

/* From one run of the thread's columns to the next. */
#define RUN_STEP (TRANS ? 8 * VW : VW)

/* Its first row, the way to the next, its first column of a chunk. */
typedef struct place {
  int warp, lane, row, step, col;
} place;

QN_DEV place place_of(int t, int wide) {
  const int warp = t / 32, lane = t % 32;
#if TRANS
  const place at = {warp, lane, warp * 16 + lane / 8, 4, lane % 8 * VW};
#else
  const place at = {warp, lane, RUNS && wide ? 4 * lane : lane, RUNS && wide ? 1 : 32, warp * KT};
#endif
  return at;
}

/* ---- tiles ---- */

/* Rows beyond the matrix are zero. */
QN_DEV void load_chunk(elem (*to)[KT], const triangle *p, int row0, int k0, const place *at) {
  const elem *from = p->a + (row0 + at->row) * SI + (k0 + at->col) * SJ;
  QN_UNROLL
  for (int s = 0; s < 4; s++, from += at->step * SI) {
    const int there = row0 + at->row + s * at->step < p->n;
    QN_UNROLL
    for (int u = 0; u < KT; u++) to[s][u] = there ? from[(u / VW * RUN_STEP + u % VW) * SJ] : 0;
  }
}

/* VW elements that are side by side in memory. */
QN_DEV void read_run(elem *to, const elem *first) {
  elem run[VW];
  UNVEC(run, 0, *(const vec *)(first - (BACK ? VW - 1 : 0)));
  QN_UNROLL
  for (int e = 0; e < VW; e++) to[e] = run[BACK ? VW - 1 - e : e];
}

/* The same by reads of 16 bytes, where all rows are there. */
QN_DEV void load_runs(elem (*to)[KT], const triangle *p, int row0, int k0, const place *at) {
  const elem *from = p->a + (row0 + at->row) * SI + (k0 + at->col) * SJ;
#if TRANS
  QN_UNROLL
  for (int s = 0; s < 4; s++, from += 4 * SI) {
    QN_UNROLL
    for (int u = 0; u < KT; u += VW) read_run(to[s] + u, from + u / VW * RUN_STEP * ALONG);
  }
#else
  QN_UNROLL
  for (int u = 0; u < KT; u++, from += SJ) {
    elem rows[4];
    QN_UNROLL
    for (int s = 0; s < 4; s += VW) read_run(rows + s, from + s * ALONG);
    QN_UNROLL
    for (int s = 0; s < 4; s++) to[s][u] = rows[s];
  }
#endif
}

QN_DEV void load(elem (*to)[KT], const triangle *p, int row0, int k0, const place *at) {
  if (RUNS && p->wide)
    load_runs(to, p, row0, k0, at);
  else
    load_chunk(to, p, row0, k0, at);
}

/* A tile to the last cache, by all threads. */
QN_DEV void prefetch_tile(const triangle *p, int row0, int k0) {
  const int t = QN_LID(0), across = t / 2, along = t % 2 * (NB / 2);
  const int row = row0 + (TRANS ? across : along), k = k0 + (TRANS ? along : across);
  const elem *const from = p->a + row * SI + k * SJ;
#pragma unroll 1
  for (int e = 0; e < NB / 2; e += 128 / (int)sizeof(elem))
    if (row + (TRANS ? 0 : e) < p->n)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(from + e * ALONG));
}

/* ---- X ---- */

/* What the warp needs of X for the next chunks, [column][NB] at x. */
QN_DEV void look(piece *v, const elem *x, const place *at) {
  QN_UNROLL
  for (int u = 0; u < POLLS; u++) {
    const int q = QN_MIN(at->lane + 32 * u, PIECES - 1);
    const int c = q / (SPAN / VW), k = q % (SPAN / VW) * VW;
    v[u] = load_shared_by_groups((const piece *)(x + c * NB + k / KW * KC + k % KW));
  }
}

/* Where unknown k of a chunk stands in xs, so that lanes side by side meet in no bank. */
#define X_AT(k) (TRANS ? (k) % VW * (KW / VW) + (k) / VW : (k))

/* Looks again until all of it is there, and puts it to xs, [chunk][X_AT(k)][NC]. */
QN_DEV void await(elem *xs, piece *v, const elem *x, const place *at) {
  SPINS;
  for (;;) {
    int ready = 1;
    QN_UNROLL
    for (int u = 0; u < POLLS; u++) ready = ready && IS_RESULT(v[u]);
    if (__all_sync(0xffffffffu, ready)) break;
    SPIN;
    look(v, x, at);
  }
  __syncwarp();
  QN_UNROLL
  for (int u = 0; u < POLLS; u++) {
    const int q = at->lane + 32 * u, c = q / (SPAN / VW), k = q % (SPAN / VW) * VW;
    const elem *e = (const elem *)&v[u];
    if (q < PIECES) {
      QN_UNROLL
      for (int s = 0; s < VW; s++) xs[(k / KW * KW + X_AT(k % KW + s)) * NC + c] = e[s];
    }
  }
  __syncwarp();
}

QN_DEV void multiply(acc *sum, elem (*l)[KT], const elem *xs, const place *at) {
#if NC == 1 && !TRANS
  elem all[KT];
  read_rows(all, xs, KT);
#endif
  QN_UNROLL
  for (int u = 0; u < KT; u++) {
    elem x[NC];
#if NC == 1 && !TRANS
    x[0] = all[u];
#else
    const elem *from = xs + (TRANS ? X_AT(u / VW * RUN_STEP + u % VW) + at->col / VW : u) * NC;
#if NC % VW == 0
    read_rows(x, from, NC);
#else
    QN_UNROLL
    for (int c = 0; c < NC; c++) x[c] = from[c];
#endif
#endif
    QN_UNROLL
    for (int s = 0; s < 4; s++) {
      QN_UNROLL
      for (int c = 0; c < NC; c++) sum[s * NC + c] = acc_fma(l[s][u], x[c], sum[s * NC + c]);
    }
  }
}

/* ---- their products ---- */

#define X_FROM(chunk) ((chunk) / CHUNKS * NC * NB + (chunk) % CHUNKS * KC)

/* sum := the row's tiles before the diagonal times X. */
QN_DEV void sum_row(acc *sum, elem *xs, const elem *x, const triangle *p, int row0,
                    const place *at) {
  const int chunks = row0 / KC;
  elem ahead[2][4][KT];
  piece next[POLLS];
  QN_UNROLL
  for (int h = 0; h < 2; h++)
    if (h < chunks) load(ahead[h], p, row0, h * KC, at);
  x += TRANS ? 0 : at->col;
  if (chunks > 0) look(next, x, at);
#pragma unroll 1
  for (int j = 0; j < chunks; j += 2) {
    QN_UNROLL
    for (int h = 0; h < 2; h++) {
      const int now = j + h, then = now + ASKED;
      if (now >= chunks) break;
      if (h % ASKED == 0) {
        await(xs, next, x + X_FROM(now), at);
        if (then < chunks) look(next, x + X_FROM(then), at);
      }
      if (p->ahead && now % CHUNKS == 0 && now + AHEAD * CHUNKS < chunks)
        prefetch_tile(p, row0, (now + AHEAD * CHUNKS) * KC);
      multiply(sum, ahead[h], xs + h % ASKED * KW * NC, at);
      if (now + 2 < chunks) load(ahead[h], p, row0, (now + 2) * KC, at);
    }
  }
}

/* Where put_sums leaves part w of column c at row r. What a warp will take of one column in f32
 * stands side by side, and so far apart that neither writes nor reads meet in a bank. */
#define BY_EIGHTHS (ONE && !TRANS)
#define EIGHTH     (NB / 8 + 4)
#define PART       (BY_EIGHTHS ? 8 * EIGHTH + 16 : NC * NB)
#define SUM_AT(w, c, r)                                                                            \
  ((w)*PART + (BY_EIGHTHS ? (r) / 2 % 8 * EIGHTH + (r) / 16 * 2 + (r) % 2 : (c)*NB + (r)))
#define SUMS (PARTS * PART)

QN_DEV void put_four(elem *to, const elem *x) {
#if QN_T == 3
  ((double2 *)to)[0] = make_double2(x[0], x[1]), ((double2 *)to)[1] = make_double2(x[2], x[3]);
#else
  *(float4 *)to = make_float4(x[0], x[1], x[2], x[3]);
#endif
}

QN_DEV void put_sums(elem *to, acc *sum, const place *at) {
#if TRANS
  acc *v = sum; /* over the eight lanes of a row; each keeps a share */
  int first = 0, half = 2 * NC;
  QN_UNROLL
  for (int m = 4; m > 0; m /= 2) {
    const int upper = (at->lane & m) != 0;
    QN_UNROLL
    for (int e = 0; e < 2 * NC; e++) {
      if (e >= half) continue;
      const acc keep = upper ? v[e + half] : v[e], give = upper ? v[e] : v[e + half];
      v[e] = keep + __shfl_xor_sync(0xffffffffu, give, m);
    }
    if (half == 0) v[0] += __shfl_xor_sync(0xffffffffu, v[0], m);
    first += upper ? half : 0;
    half /= 2;
  }
  QN_UNROLL
  for (int e = 0; e < QN_MAX(NC / 2, 1); e++) {
    const int at_sum = first + e;
    to[SUM_AT(0, at_sum % NC, at->row + at_sum / NC * 4)] = v[e];
  }
#else
  QN_UNROLL
  for (int c = 0; c < NC; c++) {
    if (!BY_EIGHTHS && at->step == 1) {
      const elem own[4] = {sum[c], sum[NC + c], sum[2 * NC + c], sum[3 * NC + c]};
      put_four(to + SUM_AT(at->warp, c, at->row), own);
    } else {
      QN_UNROLL
      for (int s = 0; s < 4; s++) to[SUM_AT(at->warp, c, at->row + s * at->step)] = sum[s * NC + c];
    }
  }
#endif
}
