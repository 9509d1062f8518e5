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
  QN_UNROLL
  for (int part = 0; part < 4; part++) {
    out.v = part % 2 ? QN_SHUFFLE(even[part / 2], odd[part / 2], QN_LANES(HI, PLANES))
                     : QN_SHUFFLE(even[part / 2], odd[part / 2], QN_LANES(LO, PLANES));
    QN_UNROLL
    for (int q = 0; q < PLANES / 4; q++) {
      *(ON(quad) *)(dst + (part * (PLANES / 4) + q) * w) = out.q[q];
    }
  }
}

/* One whole panel. The next panel's rows are asked for while this one's are read. */
QN_INLINE void FROM(pack_along_k)(const SRC *src, int64_t ld, int64_t k, REAL *dst, const int w) {
  enum { BLOCK = 64 }; /* steps of one block: the panel's part stays in L1 */
  int64_t whole = k / PLANES * PLANES;
  for (int64_t p0 = 0; p0 < whole; p0 += BLOCK) {
    int64_t p1 = qn_min64(p0 + BLOCK, whole);
    for (int i = 0; i < w; i += 4) {
      for (int64_t p = p0; p < p1; p += PLANES) {
        const SRC *rows = src + p + i * ld;
        QN_UNROLL
        for (int r = 0; r < 4; r++) __builtin_prefetch(rows + (w + r) * ld);
        FROM(pack_quad)(rows, ld, dst + p * w + i, w);
      }
    }
  }
  for (int64_t p = whole; p < k; p++) {
    for (int i = 0; i < w; i++) dst[p * w + i] = GET(src[p + i * ld]);
  }
}

/* `steps` steps of all whole panels. Several steps at once write whole cache lines, so that panels
 * whose places fall on one another in the cache do no harm. */
QN_INLINE void FROM(pack_steps)(const SRC *src, int64_t ld, int64_t panels, int64_t panel,
                                REAL *dst, const int steps, const int w) {
  enum { AHEAD = 8, LINE = 64 / sizeof(SRC) };
  const int line = qn_max64(LINE / w, 1); /* panels whose parts of a step one cache line holds */
  for (int64_t x = 0; x < panels; x++, src += w, dst += panel) {
    QN_UNROLL
    for (int p = 0; p < steps; p++) {
      for (int i = 0; x % line == 0 && i < w; i += LINE)
        __builtin_prefetch(src + (p + AHEAD) * ld + i);
      for (int i = 0; i < w; i++) dst[p * w + i] = GET(src[p * ld + i]);
    }
  }
}

/* Whole panels whose tile dimension is contiguous: long runs of the source, the next steps' runs
 * asked for ahead. */
QN_INLINE void FROM(pack_along_tile)(const SRC *src, int64_t ld, int64_t panels, int64_t k,
                                     REAL *dst, const int w) {
  enum { STEPS = 4, RUN = 2048 / sizeof(SRC) };
  for (int64_t left = panels; left > 0;) {
    int64_t some = qn_min64(left, qn_max64(RUN / w, 1));
    int64_t p = 0;
    for (; p + STEPS <= k; p += STEPS) {
      FROM(pack_steps)(src + p * ld, ld, some, k * w, dst + p * w, STEPS, w);
    }
    for (; p < k; p++) FROM(pack_steps)(src + p * ld, ld, some, k * w, dst + p * w, 1, w);
    left -= some;
    src += some * w;
    dst += some * k * w;
  }
}

/* The last panel, of fewer than w rows. */
static void FROM(pack_part)(const qn_operand *x, const SRC *src, int width, int64_t k, REAL *dst,
                            int w) {
  int64_t row = x->along_k ? x->ld : 1, step = x->along_k ? 1 : x->ld;
  for (int64_t p = 0; p < k; p++, src += step, dst += w) {
    for (int i = 0; i < width; i++) dst[i] = GET(src[i * row]);
    for (int i = width; i < w; i++) dst[i] = 0;
  }
}

QN_INLINE void FROM(pack)(const qn_operand *x, int64_t width, int64_t k, REAL *dst, const int w) {
  int64_t panels = width / w;
  const SRC *src = x->src;
  if (x->along_k) {
    for (int64_t i = 0; i < panels; i++)
      FROM(pack_along_k)(src + i * w * x->ld, x->ld, k, dst + i * k * w, w);
  } else {
    FROM(pack_along_tile)(src, x->ld, panels, k, dst, w);
  }
  int64_t done = panels * w;
  if (done < width) FROM(pack_part)
  (x, src + done * (x->along_k ? x->ld : 1), (int)(width - done), k, dst + done * k, w);
}

static void FROM(pack_a)(const qn_operand *x, int64_t width, int64_t k, void *dst) {
  FROM(pack)(x, width, k, dst, MR);
}
static void FROM(pack_b)(const qn_operand *x, int64_t width, int64_t k, void *dst) {
  FROM(pack)(x, width, k, dst, NR);
}
