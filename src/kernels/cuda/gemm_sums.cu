/* How the sums of a tile of gemm_kernel.cu leave for C: 16 bytes of a column at a time where C
 * allows it, else one by one. */

typedef struct target {
  qn_i64 m, n, ldc;
  int region;
  acc alpha, beta;
  out *c;
#if TRIANGLE
  const elem *a, *b;
  qn_i64 k, lda, ldb;
  int unit;
#endif
} target;

/* A sum as it goes to (i, j) of C. */
QN_DEV acc settled(const target *to, qn_i64 i, qn_i64 j, acc sum) {
#if TRIANGLE
  if (is_nan(sum)) return plain_sum(to->a, to->lda, to->b, to->ldb, i, j, to->k, to->unit);
#endif
  return sum;
}

QN_DEV void put_sum(const target *to, qn_i64 i, qn_i64 j, acc sum EPILOGUE_PARAMS) {
  if (i >= to->m || j >= to->n || (to->region == 1 && i < j) || (to->region == 2 && i > j)) return;
  out_update(to->c + i + j * to->ldc, to->alpha, settled(to, i, j, sum), to->beta, i,
             j EPILOGUE_PASS);
}

/* Where all of the tile is stored and columns of C keep the alignment of 16 bytes. */
QN_DEV int tile_stores_vectors(const tile *at, const target *to) {
  return to->region == 0 && at->i0 + BM <= to->m && at->j0 + BN <= to->n &&
         ((qn_u64)to->c | (qn_u64)to->ldc * sizeof(elem)) % 16 == 0;
}

/* VW neighbours in a column of C. */
typedef union out_vector {
  vec all;
  acc one[VW];
} out_vector;

QN_DEV int reads_c(const target *to) {
  return EPILOGUE_READS_C || !acc_is_zero(to->beta);
}

QN_DEV void update_vector(out_vector *x, const target *to, qn_i64 i, qn_i64 j,
                          const acc *sum EPILOGUE_PARAMS) {
  QN_UNROLL
  for (int v = 0; v < VW; v++)
    out_update(&x->one[v], to->alpha, settled(to, i + v, j, sum[v]), to->beta, i + v,
               j EPILOGUE_PASS);
}

/* VW sums, neighbours in a column, to C from (i, j) on. */
QN_DEV void put_vector(const target *to, qn_i64 i, qn_i64 j, const acc *sum,
                       int vectors EPILOGUE_PARAMS) {
  if (vectors) {
    out_vector x;
    vec *there = (vec *)(to->c + i + j * to->ldc);
    if (reads_c(to)) x.all = *there;
    update_vector(&x, to, i, j, sum EPILOGUE_PASS);
    *there = x.all;
  } else {
    QN_UNROLL
    for (int v = 0; v < VW; v++) put_sum(to, i + v, j, sum[v] EPILOGUE_PASS);
  }
}

/* Vectors of C that are read before any of them is stored: the compiler moves no read ahead of a
 * store, and each by itself would take as long as memory does. Registers are left for it in f64
 * where others copy. */
#ifndef READ_AHEAD
#define READ_AHEAD (QN_T == 3 && SPECIALISED ? 4 : 1)
#endif

/* READ_AHEAD vectors of the item's sums, the first of them s. */
QN_DEV void put_vectors(const sums *sum, int s, qn_i64 i0, qn_i64 j0,
                        const target *to EPILOGUE_PARAMS) {
  out_vector x[READ_AHEAD];
  vec *there[READ_AHEAD];
  QN_UNROLL
  for (int r = 0; r < READ_AHEAD; r++)
    there[r] = (vec *)(to->c + i0 + sum_row(s + r * VW) + (j0 + sum_col(s + r * VW)) * to->ldc);
  if (reads_c(to)) {
    QN_UNROLL
    for (int r = 0; r < READ_AHEAD; r++) x[r].all = *there[r];
  }
  QN_UNROLL
  for (int r = 0; r < READ_AHEAD; r++) {
    acc y[VW];
    QN_UNROLL
    for (int v = 0; v < VW; v++) y[v] = sum_at(sum, s + r * VW + v);
    update_vector(&x[r], to, i0 + sum_row(s + r * VW), j0 + sum_col(s + r * VW), y EPILOGUE_PASS);
    *there[r] = x[r].all;
  }
}

QN_DEV void store_tile(const sums *sum, const tile *at, const target *to,
                       const reader *r EPILOGUE_PARAMS) {
  const int vectors = tile_stores_vectors(at, to);
  const qn_i64 i0 = at->i0 + opaque(r->row), j0 = at->j0 + opaque(r->col);
  QN_UNROLL
  for (int s = 0; s < SUMS; s += READ_AHEAD * VW) {
    if (vectors) {
      put_vectors(sum, s, i0, j0, to EPILOGUE_PASS);
      continue;
    }
    QN_UNROLL
    for (int v = 0; v < READ_AHEAD * VW; v++)
      put_sum(to, i0 + sum_row(s + v), j0 + sum_col(s + v), sum_at(sum, s + v) EPILOGUE_PASS);
  }
}
