/* The inner kernels of one real type and its complex type, over GNU vectors.
 *
 * Included once a type by isa_template.h, which defines
 *   REAL      float or double             ON(name)  the type's name for `name`
 *   LANES     reals in a vector           VBYTES    its bytes
 *   MV, NR    real tile: MV vectors by NR columns
 *   CMV, CNR  complex tile, CMV vectors of each plane by CNR columns
 *
 * The accumulators of a tile are an array that the compiler must keep in registers: all loops over
 * it have constant bounds and are unrolled. The loop over k is not: unrolled, gcc 12 spreads a sum
 * over copies of its register and loses a third of the speed. Edge tiles run the same operations on
 * fewer vectors and columns, so that an element's value does not depend on the tile it falls in. */

typedef REAL ON(vec) __attribute__((vector_size(VBYTES), may_alias));
typedef REAL ON(vecu) __attribute__((vector_size(VBYTES), aligned(sizeof(REAL)), may_alias));

QN_INLINE ON(vec) ON(load)(const REAL *p) {
  return *(const ON(vecu) *)p;
}
QN_INLINE void ON(store)(REAL *p, ON(vec) v) {
  *(ON(vecu) *)p = v;
}

/* Edge tiles go through a whole one on the stack, so that they take the same instructions. */
static void ON(copy_part)(const REAL *src, int64_t ld_src, REAL *dst, int64_t ld_dst, int rows,
                          int cols) {
  for (int j = 0; j < cols; j++) {
    for (int i = 0; i < rows; i++) dst[i + j * ld_dst] = src[i + j * ld_src];
  }
}

/* ---- real ---- */

/* One step of k. */
QN_INLINE void ON(step)(ON(vec) acc[NR][MV], const REAL *a, const REAL *b, const int mv,
                        const int nr) {
  ON(vec) av[MV];
  QN_UNROLL
  for (int i = 0; i < mv; i++) {
    av[i] = ON(load)(a + i * LANES);
    QN_KEEP(av[i]);
  }
  QN_UNROLL
  for (int j = 0; j < nr; j++) {
    QN_UNROLL
    for (int i = 0; i < mv; i++) acc[j][i] += av[i] * b[j];
  }
}

/* One tile with full vectors in every column: mv vectors by cols columns of the nr computed. */
QN_INLINE void ON(tile_body)(int64_t k, const REAL *a, int64_t a_step, const REAL *b,
                             int64_t b_step, REAL alpha, REAL beta, REAL *c, int64_t ldc, int cols,
                             const int mv, const int nr) {
  ON(vec) acc[NR][MV];
  QN_UNROLL
  for (int j = 0; j < nr; j++) {
    QN_UNROLL
    for (int i = 0; i < mv; i++) {
      acc[j][i] = (ON(vec)){0};
      __builtin_prefetch(c + j * ldc + i * LANES, 1);
    }
  }
  for (; k > 0; k--, a += a_step, b += b_step) ON(step)(acc, a, b, mv, nr);
  QN_UNROLL
  for (int j = 0; j < nr; j++) {
    if (j >= cols) return;
    QN_UNROLL
    for (int i = 0; i < mv; i++) {
      ON(vec) x = acc[j][i] * alpha;
      if (beta != 0) x += ON(load)(c + i * LANES) * beta;
      ON(store)(c + i * LANES, x);
    }
    c += ldc;
  }
}

#define QN_TILE(mv, quads)                                                                         \
  static __attribute__((noinline)) void ON(tile_##mv##x##quads)(                                   \
      int64_t k, const REAL *a, int64_t a_step, const REAL *b, int64_t b_step, REAL alpha,         \
      REAL beta, REAL *c, int64_t ldc, int cols) {                                                 \
    ON(tile_body)(k, a, a_step, b, b_step, alpha, beta, c, ldc, cols, mv, 4 * (quads));            \
  }
#if NR == 4
#define QN_TILE_ROW(mv)   QN_TILE(mv, 1)
#define QN_TILE_NAMES(mv) ON(tile_##mv##x1)
#elif NR == 8
#define QN_TILE_ROW(mv)   QN_TILE(mv, 1) QN_TILE(mv, 2)
#define QN_TILE_NAMES(mv) ON(tile_##mv##x1), ON(tile_##mv##x2)
#else
#define QN_TILE_ROW(mv)   QN_TILE(mv, 1) QN_TILE(mv, 2) QN_TILE(mv, 3)
#define QN_TILE_NAMES(mv) ON(tile_##mv##x1), ON(tile_##mv##x2), ON(tile_##mv##x3)
#endif
QN_TILE_ROW(1)
QN_TILE_ROW(2)
#if MV == 3
QN_TILE_ROW(3)
#endif

static void ON(tile)(int64_t k, const void *a, int64_t a_step, const void *b, int64_t b_step,
                     const void *alpha, const void *beta, void *c, int64_t ldc, int rows,
                     int cols) {
  typedef void tile_fn(int64_t, const REAL *, int64_t, const REAL *, int64_t, REAL, REAL, REAL *,
                       int64_t, int);
  static tile_fn *const tiles[MV][NR / 4] = {
    {QN_TILE_NAMES(1)},
    {QN_TILE_NAMES(2)},
#if MV == 3
    {QN_TILE_NAMES(3)},
#endif
  };
  tile_fn *fn = tiles[(rows - 1) / LANES][(cols - 1) / 4];
  REAL x = *(const REAL *)alpha, y = *(const REAL *)beta;
  if (rows % LANES == 0) {
    fn(k, a, a_step, b, b_step, x, y, c, ldc, cols);
    return;
  }
  REAL whole[NR * MV * LANES];
  if (y != 0) ON(copy_part)(c, ldc, whole, MV * LANES, rows, cols);
  fn(k, a, a_step, b, b_step, x, y, whole, MV * LANES, cols);
  ON(copy_part)(whole, MV * LANES, c, ldc, rows, cols);
}
#undef QN_TILE
#undef QN_TILE_ROW
#undef QN_TILE_NAMES

/* ---- complex: planes in the panels, interleaved in C ---- */

/* One vector of C's column from the product's planes. A real alpha scales the parts alone, so that
 * an infinite product is not multiplied by its zero. */
QN_INLINE void ON(complex_put)(ON(vec) re, ON(vec) im, const REAL *alpha, const REAL *beta,
                               REAL *c) {
  ON(vec) x = re * alpha[0], y = im * alpha[0];
  if (alpha[1] != 0) {
    x -= im * alpha[1];
    y += re * alpha[1];
  }
  ON(vec) half[2] = {QN_SHUFFLE(x, y, QN_LANES(LO, LANES)), QN_SHUFFLE(x, y, QN_LANES(HI, LANES))};
  QN_UNROLL
  for (int h = 0; h < 2; h++) {
    REAL *to = c + h * LANES;
    if (beta[0] == 1 && beta[1] == 0) {
      half[h] += ON(load)(to);
    } else if (beta[0] != 0 || beta[1] != 0) {
      ON(vec) old = ON(load)(to);
      ON(vec) cross = QN_SHUFFLE(old, old, QN_LANES(SWAP, LANES)) * beta[1];
      half[h] += old * beta[0] + QN_SHUFFLE(-cross, cross, QN_LANES(BLEND, LANES));
    }
    ON(store)(to, half[h]);
  }
}

QN_INLINE void ON(complex_step)(ON(vec) re[CNR][CMV], ON(vec) im[CNR][CMV], const REAL *a,
                                const REAL *b, const int mv) {
  ON(vec) ar[CMV], ai[CMV];
  QN_UNROLL
  for (int i = 0; i < mv; i++) {
    ar[i] = ON(load)(a + i * LANES);
    ai[i] = ON(load)(a + CMR + i * LANES);
    QN_KEEP(ar[i]);
    QN_KEEP(ai[i]);
  }
  QN_UNROLL
  for (int j = 0; j < CNR; j++) {
    QN_UNROLL
    for (int i = 0; i < mv; i++) {
      re[j][i] += ar[i] * b[j];
      im[j][i] += ai[i] * b[j];
    }
    QN_UNROLL
    for (int i = 0; i < mv; i++) {
      re[j][i] -= ai[i] * b[CNR + j];
      im[j][i] += ar[i] * b[CNR + j];
    }
  }
}

QN_INLINE void ON(complex_body)(int64_t k, const REAL *a, int64_t a_step, const REAL *b,
                                int64_t b_step, const REAL *alpha, const REAL *beta, REAL *c,
                                int64_t ldc, int cols, const int mv) {
  ON(vec) re[CNR][CMV], im[CNR][CMV];
  QN_UNROLL
  for (int j = 0; j < CNR; j++) {
    QN_UNROLL
    for (int i = 0; i < mv; i++) {
      re[j][i] = im[j][i] = (ON(vec)){0};
      __builtin_prefetch(c + 2 * (j * ldc + i * LANES), 1);
    }
  }
  for (; k > 0; k--, a += a_step, b += b_step) ON(complex_step)(re, im, a, b, mv);
  QN_UNROLL
  for (int j = 0; j < CNR; j++) {
    if (j >= cols) return;
    QN_UNROLL
    for (int i = 0; i < mv; i++)
      ON(complex_put)(re[j][i], im[j][i], alpha, beta, c + 2 * i * LANES);
    c += 2 * ldc;
  }
}

#define QN_COMPLEX_TILE(mv)                                                                        \
  static __attribute__((noinline)) void ON(complex_tile_##mv)(                                     \
      int64_t k, const REAL *a, int64_t a_step, const REAL *b, int64_t b_step, const REAL *alpha,  \
      const REAL *beta, REAL *c, int64_t ldc, int cols) {                                          \
    ON(complex_body)(k, a, a_step, b, b_step, alpha, beta, c, ldc, cols, mv);                      \
  }
QN_COMPLEX_TILE(1)
#if CMV == 2
QN_COMPLEX_TILE(2)
#endif

static void ON(complex_tile)(int64_t k, const void *a, int64_t a_step, const void *b,
                             int64_t b_step, const void *alpha, const void *beta, void *c,
                             int64_t ldc, int rows, int cols) {
  typedef void tile_fn(int64_t, const REAL *, int64_t, const REAL *, int64_t, const REAL *,
                       const REAL *, REAL *, int64_t, int);
#if CMV == 2
  tile_fn *fn = rows > LANES ? ON(complex_tile_2) : ON(complex_tile_1);
#else
  tile_fn *fn = ON(complex_tile_1);
#endif
  if (rows % LANES == 0) {
    fn(k, a, a_step, b, b_step, alpha, beta, c, ldc, cols);
    return;
  }
  enum { LD = CMV * LANES };
  REAL whole[2 * CNR * LD];
  const REAL *y = beta;
  if (y[0] != 0 || y[1] != 0) ON(copy_part)(c, 2 * ldc, whole, 2 * LD, 2 * rows, cols);
  fn(k, a, a_step, b, b_step, alpha, beta, whole, LD, cols);
  ON(copy_part)(whole, 2 * LD, c, 2 * ldc, 2 * rows, cols);
}
#undef QN_COMPLEX_TILE
