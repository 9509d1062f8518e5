/* Tiles of trsm_tensor.cu: from memory to the ring of stages, and from there their products with X.
 */
/* `width` elements of op(A), at (row, k) in the matrix and (r, c) in the tile, both their place in
 * memory's order; what lies outside the matrix becomes zero. */
QN_DEV void copy_piece(elem *to, const triangle *p, int row, int k, int along, int across,
                       int width) {
  const int first = (TRANS ? k : row) + along, other = (TRANS ? row : k) + across;
  const int fit = other < p->n ? QN_MIN(QN_MAX(p->n - first, 0), width) : 0;
  const elem *from = fit > 0 ? p->a + first + other * p->lda : p->a;
  elem *place = to + (TRANS ? AT(across, along) : AT(along, across));
  if (width == VW)
    copy_async(place, from, 16, fit * (int)sizeof(elem));
  else
    copy_async(place, from, sizeof(elem), fit * (int)sizeof(elem));
}

/* The whole tile at (row, k), along the memory's columns. */
QN_DEV void copy_tile(elem *to, int t, const triangle *p, int row, int k) {
  enum { EACH = COPIERS * VW / NB };
  if (p->wide && QN_MAX(row, k) + NB <= p->n) { /* of few instructions: products wait for tiles */
    const int along = t % (NB / VW) * VW, across = t / (NB / VW);
    const elem *from = p->a + (TRANS ? k : row) + along + ((TRANS ? row : k) + across) * p->lda;
    const shared_place place = shared_of(to + across * PITCH + along);
    QN_UNROLL
    for (int e = 0; e < NB / EACH; e++)
      copy_vector(place + e * EACH * PITCH * (int)sizeof(elem), from + e * EACH * p->lda);
  } else if (p->wide) {
    const int along = t % (NB / VW) * VW;
    QN_UNROLL
    for (int across = 0; across < NB; across += EACH)
      copy_piece(to, p, row, k, along, across + t / (NB / VW), VW);
  } else {
    _Pragma("unroll 4") for (int across = t / NB; across < NB; across += COPIERS / NB)
        copy_piece(to, p, row, k, t % NB, across, 1);
  }
}

QN_DEV void copy_tiles(elem *ring, shared_place counters, int t, const triangle *p) {
  const int blocks = blocks_of(p->n);
  int first = 0, end = QN_MIN(HALF, blocks), i = DIAGONAL ? 0 : 1, j = 0;
  int stage = 0, parity = 1; /* the first round finds all empty */
  for (int tile = 0;; tile++) {
    if (i == end && end < blocks) first = i = end, end = blocks, j = 0;
    if (i == end) break;
    counter_wait(EMPTY(stage), parity);
    copy_tile(ring + stage * TILE, t, p, FIRST_ROW(i), FIRST_ROW(j));
    counter_arrive_copied(FULL(tile));
    if (++stage == STAGES) stage = 0, parity ^= 1;
    if (j < first) { /* both halves, down the columns; then the second, along the rows */
      if (++i < end) continue;
      i = first;
      if (++j == first && !DIAGONAL) i++;
    } else if (++j == i + DIAGONAL) {
      i++, j = first;
    }
  }
}

/* Rows 8 r ... of a tile by its unknowns 8 k ...; `from` is the lane's place, AT(g, 2 q). */
QN_DEV void read_right(double right[2], const elem *from, int r, int k) {
  const elem *at = from + AT(8 * r, 8 * k);
#if TRANS && QN_T == 2
  const float2 both = *(const float2 *)at;
  right[0] = both.x, right[1] = both.y;
#elif TRANS
  const pair both = *(const pair *)at;
  right[0] = both.x, right[1] = both.y;
#else
  right[0] = at[0], right[1] = at[PITCH];
#endif
}

/* What one step over eight unknowns takes from shared memory. */
typedef struct step {
  pair left[2]; /* of unknowns 2 q and 2 q + 1 */
  double right[EIGHTS][2];
} step;

QN_DEV void read_step(step *f, const elem *from, const double *x, int k) {
  f->left[0] = *(const pair *)(x + 16 * k);
  f->left[1] = *(const pair *)(x + 16 * k + 2);
  QN_UNROLL
  for (int s = 0; s < EIGHTS; s++) read_right(f->right[s], from, EIGHT(s), k);
}

/* r := r - tile X_j, a step read while the one before it is multiplied; the lane's numbers of X_j
 * begin at x. */
QN_DEV void take_tile(double (*r)[4], const elem *from, const double *x) {
  step f[2];
  read_step(&f[0], from, x, 0);
  QN_UNROLL
  for (int k = 0; k < EIGHTS; k++) {
    const step *now = &f[k % 2];
    if (k + 1 < EIGHTS) read_step(&f[(k + 1) % 2], from, x, k + 1);
    const double left[4] = {now->left[0].x, now->left[1].x, now->left[0].y, now->left[1].y};
    QN_UNROLL
    for (int s = 0; s < EIGHTS; s++) multiply_off(r[s], left, now->right[s]);
  }
}

/* A lane's numbers of eight unknowns, two of each of its columns, and their place. */
QN_DEV void put_eight(double *x, const double r[4]) {
  pair first, second;
  first.x = r[0], first.y = r[2], second.x = r[1], second.y = r[3];
  *(pair *)x = first;
  *(pair *)(x + 2) = second;
}

QN_DEV void get_eight(double r[4], const double *x) {
  const pair first = *(const pair *)x, second = *(const pair *)(x + 2);
  r[0] = first.x, r[1] = second.x, r[2] = first.y, r[3] = second.y;
}
