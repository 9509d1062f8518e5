/* Tiles of a triangle op(A) on their way to shared memory, and its diagonal. Needs substitute.cu.
 *
 * A tile is cut into slices of KS unknowns, one a warp, side by side: slice w holds columns w KS
 * ... Macros of the includer: NB, WARPS, TRANS, BACK, CONJ; RESIDENT, thread blocks that a
 * multiprocessor is to hold where k is not contiguous: where it is, reads of 16 bytes need more
 * registers. */

#define THREADS (32 * WARPS)
#define FIT     (TRANS ? 1 : RESIDENT)
#define KS      (NB / WARPS)
#define SLICE   (KS * NB)

/* First row of block i of the walk. */
#define FIRST_ROW(i) ((BACK ? blocks - 1 - (i) : (i)) * NB)

typedef struct triangle {
  int n;
  const elem *a;
  qn_i64 lda;
  int wide; /* 16-byte copies of A are possible */
} triangle;

/* The warp's slice of the tile at (row, k), both in elements of the matrix; what lies outside the
 * matrix becomes zero. */
QN_DEV void copy_slice(elem *to, int lane, const triangle *p, int row, int k) {
  /* a lane's pieces lie STEP apart along the dimension that is not contiguous */
#define ALONG (TRANS ? KS : NB)
#define STEP  (32 * VW / ALONG)
  if (p->wide) {
    const int along = lane % (ALONG / VW) * VW, across = lane / (ALONG / VW);
    const int first = (TRANS ? k : row) + along;
    int other = (TRANS ? row : k) + across;
    const int fit = QN_MIN(QN_MAX(p->n - first, 0), VW) * (int)sizeof(elem);
    const elem *from = p->a + first + other * p->lda;
#pragma unroll 4
    for (int u = 0; u < SLICE / VW / 32; u++) {
      const int valid = other < p->n ? fit : 0;
      const int at = across + u * STEP;
      copy_async(to + (TRANS ? AT(at, along) : AT(along, at)), valid ? from : p->a, 16, valid);
      from += STEP * p->lda;
      other += STEP;
    }
  } else {
#pragma unroll 1
    for (int q = lane; q < SLICE; q += 32) {
      const int r = TRANS ? q / KS : q % NB, kk = TRANS ? q % KS : q / NB;
      const int valid = row + r < p->n && k + kk < p->n;
      const elem *from =
          p->a + (TRANS ? (k + kk) + (row + r) * p->lda : (row + r) + (k + kk) * p->lda);
      copy_async(to + AT(r, kk), valid ? from : p->a, sizeof(elem), valid * (int)sizeof(elem));
    }
  }
}

QN_DEV triangle triangle_of(int n, const elem *a, qn_i64 lda) {
  const triangle p = {n, a, lda, (qn_u64)a % 16 == 0 && lda * (int)sizeof(elem) % 16 == 0};
  return p;
}

/* The warp's slice of the whole tile at (row, k) to its place in `tile`. */
QN_DEV void copy_part(elem *tile, int warp, int lane, const triangle *p, int row, int k) {
  copy_slice(tile + warp * SLICE, lane, p, row, k + warp * KS);
}

/* The reciprocals of a diagonal block's diagonal, or itself where one of them is not tame; all
 * threads, with barriers. Says which. */
QN_DEV int invert_diagonal(elem *inverse, const elem *diag, int t, int row0, int n, int unit) {
  int wild = 0;
  if (t < NB) {
    elem d = unit || row0 + t >= n ? acc_make(1, 0) : diag[AT(t, t)];
    if (CONJ) d = acc_conj(d);
    wild = !is_tame(d);
    inverse[t] = d;
  }
  const int tame = !__syncthreads_or(wild);
  if (tame && t < NB) inverse[t] = acc_div(acc_make(1, 0), inverse[t]);
  QN_BARRIER();
  return tame;
}
