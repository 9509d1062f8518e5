/* Packing of real operands into panels, from one element type.
 *
 * Included by isa_template.h with
 *   REAL, ON(name)   the panels' type, as in tile_template.h
 *   SRC, FROM(name)  the operand's element type and the suffix of its functions
 *   GET(x)           an element as a REAL
 *   MR, NR           panel widths, multiples of 4
 *   PLANES           lanes of the vectors that transposing uses, a multiple of 4
 *
 * An operand whose tile dimension is contiguous is copied row by row; the other is transposed in
 * blocks of four rows by PLANES steps:
 *
 *   row 0: k0 k1 k2 ...                 panel: ..r0 r1 r2 r3.. (k0)
 *   row 1: k0 k1 k2 ...    two rounds          ..r0 r1 r2 r3.. (k1)
 *   row 2: k0 k1 k2 ...    of shuffles         ...
 *   row 3: k0 k1 k2 ...                                                            */

QN_INLINE void FROM(pack_load)(const SRC *p, ON(pvec) * v) {
  union {
    ON(pvec) v;
    REAL r[PLANES];
  } x;
  for (int i = 0; i < PLANES; i++) x.r[i] = GET(p[i]);
  *v = x.v;
}

/* Four rows, PLANES steps: step p's four go to dst + p * w. */
QN_INLINE void FROM(pack_quad)(const SRC *src, int64_t ld, REAL *dst, const int w) {
  ON(pvec) v0, v1, v2, v3;
  FROM(pack_load)(src, &v0);
  FROM(pack_load)(src + ld, &v1);
  FROM(pack_load)(src + 2 * ld, &v2);
  FROM(pack_load)(src + 3 * ld, &v3);
  ON(pvec)
  even[2] = {QN_SHUFFLE(v0, v2, QN_LANES(LO, PLANES)), QN_SHUFFLE(v0, v2, QN_LANES(HI, PLANES))};
  ON(pvec)
  odd[2] = {QN_SHUFFLE(v1, v3, QN_LANES(LO, PLANES)), QN_SHUFFLE(v1, v3, QN_LANES(HI, PLANES))};
  union {
    ON(pvec) v;
    ON(quad) q[PLANES / 4];
  } out;
  QN_UNROLL for (int part = 0; part < 4; part++) {
    out.v = part % 2 ? QN_SHUFFLE(even[part / 2], odd[part / 2], QN_LANES(HI, PLANES))
                     : QN_SHUFFLE(even[part / 2], odd[part / 2], QN_LANES(LO, PLANES));
    QN_UNROLL for (int q = 0; q < PLANES / 4; q++) {
      *(ON(quad) *)(dst + (part * (PLANES / 4) + q) * w) = out.q[q];
    }
  }
}

/* Steps p0..p1-1 of rows w0..w1-1, one by one; rows from `width` on are zero. */
static void FROM(pack_scalar)(const SRC *src, int64_t ld, int width, int w0, int w1, int64_t p0,
                              int64_t p1, REAL *dst, int w) {
  for (int i = w0; i < w1; i++) {
    for (int64_t p = p0; p < p1; p++) dst[p * w + i] = i < width ? GET(src[p + i * ld]) : 0;
  }
}

QN_INLINE void FROM(pack_along_k)(const SRC *src, int64_t ld, int width, int64_t k, REAL *dst,
                                  const int w) {
  enum { BLOCK = 64 }; /* steps of one block: the panel's part stays in L1 */
  int quads = width / 4 * 4;
  for (int64_t p0 = 0; p0 < k; p0 += BLOCK) {
    int64_t p1 = qn_min64(p0 + BLOCK, k), whole = p0 + (p1 - p0) / PLANES * PLANES;
    for (int i = 0; i < quads; i += 4) {
      for (int64_t p = p0; p < whole; p += PLANES)
        FROM(pack_quad)(src + p + i * ld, ld, dst + p * w + i, w);
    }
    FROM(pack_scalar)(src, ld, width, 0, quads, whole, p1, dst, w);
    FROM(pack_scalar)(src, ld, width, quads, w, p0, p1, dst, w);
  }
}

QN_INLINE void FROM(pack_along_tile)(const SRC *src, int64_t ld, int width, int64_t k, REAL *dst,
                                     const int w) {
  for (int64_t p = 0; p < k; p++) {
    if (width == w) {
      for (int i = 0; i < w; i++) dst[i] = GET(src[i]);
    } else {
      for (int i = 0; i < width; i++) dst[i] = GET(src[i]);
      for (int i = width; i < w; i++) dst[i] = 0;
    }
    src += ld;
    dst += w;
  }
}

QN_INLINE void FROM(pack)(const qn_operand *x, int64_t width, int64_t k, REAL *dst, const int w) {
  for (int64_t i = 0; i < width; i += w) {
    int part = (int)qn_min64(width - i, w);
    const SRC *src = (const SRC *)x->src + i * (x->along_k ? x->ld : 1);
    if (x->along_k) {
      FROM(pack_along_k)(src, x->ld, part, k, dst, w);
    } else {
      FROM(pack_along_tile)(src, x->ld, part, k, dst, w);
    }
    dst += k * w;
  }
}

static void FROM(pack_a)(const qn_operand *x, int64_t width, int64_t k, void *dst) {
  FROM(pack)(x, width, k, dst, MR);
}
static void FROM(pack_b)(const qn_operand *x, int64_t width, int64_t k, void *dst) {
  FROM(pack)(x, width, k, dst, NR);
}
