/* A row of tiles times X, which comes block by block from other thread blocks, each warp on its own
 * slices. Needs exchange.cu, copies.cu, tiles.cu.
 *
 * Macros of the includer: those of tiles.cu; NC, columns of a thread block; STAGES, slices of a
 * warp that are on their way at a time. */

#define LR (NB / 4) /* lanes along the rows of a tile, four rows each */
#define LC (32 / LR)
#define TC (NC / LC) /* columns of a lane */
#define XS (NC + VW) /* padded: lanes that write rows do not meet in a bank */
/* the lane's rows of a tile in multiply, by their places */
#define PLACE(r) (TRANS ? lr + LR * (r) : ((r) / VW * LR + lr) * VW + (r) % VW)

/* Row of the tile that lies at a place. */
#define ROW_OF(place)                                                                              \
  (TRANS ? 8 * ((place) % LQ) + (place) / LQ                                                       \
         : 8 * ((place) % (LQ * VW) / VW) + (place) / (LQ * VW) * VW + (place) % VW)
#define KV (TRANS ? VW : 1) /* unknowns of a read */

/* sum += slice of T times slice of X. `first` is the slice's first unknown if the tile is the
 * diagonal one, of which the triangle counts alone, with ones on its diagonal if `unit`. */
QN_DEV void multiply(acc (*sum)[TC], const elem *t, const elem *x, int lane, int diagonal,
                     int first, int unit) {
  const int lr = lane % LR, lc = lane / LR;
#pragma unroll 1
  for (int k = 0; k < KS; k += KV) {
    elem at[4][KV];
#if TRANS
    QN_UNROLL
    for (int r = 0; r < 4; r++) UNVEC(at[r], 0, *(const vec *)(t + k * NB + PLACE(r) * VW));
#else
    QN_UNROLL
    for (int r = 0; r < 4; r += VW) {
      elem run[VW];
      UNVEC(run, 0, *(const vec *)(t + k * NB + PLACE(r)));
      QN_UNROLL
      for (int v = 0; v < VW; v++) at[r + v][0] = run[v];
    }
#endif
    QN_UNROLL
    for (int v = 0; v < KV; v++) {
      const elem *from = x + (k + v) * XS + lc * TC;
      elem xk[TC];
#if TC % VW == 0
      QN_UNROLL
      for (int c = 0; c < TC; c += VW) UNVEC(xk, c, *(const vec *)(from + c));
#else
      QN_UNROLL
      for (int c = 0; c < TC; c++) xk[c] = from[c];
#endif
      QN_UNROLL
      for (int r = 0; r < 4; r++) {
        elem e = CONJ ? acc_conj(at[r][v]) : at[r][v];
        const int below =
            BACK ? first + k + v - ROW_OF(PLACE(r)) : ROW_OF(PLACE(r)) - first - k - v;
        if (diagonal && unit && below == 0) e = acc_make(1, 0);
        QN_UNROLL
        for (int c = 0; c < TC; c++)
          if (!diagonal || below >= 0) sum[r][c] = acc_fma(e, xk[c], sum[r][c]);
      }
    }
  }
}

#define PIECES (NC * KS / VW) /* of 16 bytes in a warp's slice of X_j */
#define POLLS  ((PIECES + 31) / 32)

/* The slice of X_j, [column][NB] in memory. */
QN_DEV void look(piece *v, const elem *x, int lane) {
  QN_UNROLL
  for (int u = 0; u < POLLS; u++) {
    const int q = QN_MIN(lane + 32 * u, PIECES - 1);
    v[u] = load_shared_by_groups((const piece *)(x + q / (KS / VW) * NB + q % (KS / VW) * VW));
  }
}

/* Looks again until all of it is there, and puts it to xs, [k][XS]. */
QN_DEV void await(elem *xs, piece *v, const elem *x, int lane) {
  SPINS;
  for (;;) {
    int ready = 1;
    QN_UNROLL
    for (int u = 0; u < POLLS; u++) ready = ready && IS_RESULT(v[u]);
    if (__all_sync(0xffffffffu, ready)) break;
    SPIN;
    look(v, x, lane);
  }
  QN_UNROLL
  for (int u = 0; u < POLLS; u++) {
    const int q = lane + 32 * u, c = q / (KS / VW), k = q % (KS / VW) * VW;
    const elem *e = (const elem *)&v[u];
    if (q < PIECES) {
      QN_UNROLL
      for (int s = 0; s < VW; s++) xs[(k + s) * XS + c] = e[s];
    }
  }
}

/* The first slices of the row's tiles on their way, one batch each; the first batch takes what was
 * started before along. */
QN_DEV void start_row(elem *ring, const triangle *p, int blocks, int row0, int tiles, int warp,
                      int lane) {
#pragma unroll 1
  for (int j = 0; j < STAGES - 1; j++) {
    if (j < tiles) copy_slice(ring + j * SLICE, lane, p, row0, FIRST_ROW(j) + warp * KS);
    copy_commit();
  }
}

/* sum := the row's first `tiles` tiles times X, the warp's part of it. `mine` points at the warp's
 * unknowns of X_0. */
QN_DEV void sum_row(acc (*sum)[TC], elem *ring, elem *xs, const elem *mine, const triangle *p,
                    int blocks, int row0, int tiles, int warp, int lane) {
  QN_UNROLL
  for (int r = 0; r < 4; r++) {
    QN_UNROLL
    for (int c = 0; c < TC; c++) sum[r][c] = acc_zero();
  }
  piece next[POLLS];
  if (tiles > 0) look(next, mine, lane);
#pragma unroll 1
  for (int j = 0; j < tiles; j++) {
    await(xs, next, mine, lane);
    mine += NC * NB;
    if (j + 1 < tiles) look(next, mine, lane);
    copy_wait(STAGES - 2);
    __syncwarp();
    const int ahead = j + STAGES - 1;
    if (ahead < tiles)
      copy_slice(ring + ahead % STAGES * SLICE, lane, p, row0, FIRST_ROW(ahead) + warp * KS);
    copy_commit();
    multiply(sum, ring + j % STAGES * SLICE, xs, lane, 0, 0, 0);
    __syncwarp();
  }
}

/* Each warp's sums to its part of the ring, [NC][NB] by places; all copies have to be there. */
QN_DEV void put_sums(elem *ring, acc (*sum)[TC], int lane) {
  const int lr = lane % LR, lc = lane / LR;
  QN_UNROLL
  for (int c = 0; c < TC; c++) {
    QN_UNROLL
    for (int r = 0; r < 4; r++) ring[(lc * TC + c) * NB + PLACE(r)] = sum[r][c];
  }
}

/* The sum over the warps at one place, in their order. */
QN_DEV acc whole_sum(const elem *sums, int at) {
  acc all = sums[at];
  QN_UNROLL
  for (int w = 1; w < WARPS; w++) all = acc_add(all, sums[w * (STAGES * SLICE) + at]);
  return all;
}
