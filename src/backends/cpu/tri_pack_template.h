/* Packing for the triangular kernels (tri_kernels.h) of one element type.
 *
 * Included once a type by tri_isa_template.h, which defines beside the words of
 * tri_vector_template.h
 *   FOR(name)        the element type's name for `name`
 *   PLANES           reals in an element, 1 or 2
 *   TMR, TNR         right-hand sides of a panel, unknowns of a block
 *
 * All strides here count reals. A matrix of complex elements is packed along its contiguous
 * dimension as a real one of twice the length: re and im of an unknown are two steps of a panel. */

/* Where lane `i` of a piece goes, in steps from the first: elements backwards, parts in order. */
QN_INLINE int FOR(lane_step)(int i, bool reverse) {
  return reverse ? PIECE - PLANES - i + 2 * (i % PLANES) : i;
}

/* ---- right-hand sides ---- */

/* Element (k, v) at src[k * si + v * sj], any strides; what is beyond `count` becomes zero. */
static void FOR(pack_part)(const REAL *src, ptrdiff_t si, ptrdiff_t sj, int64_t n, int64_t count,
                           REAL *dst) {
  for (int64_t k = 0; k < n; k++)
    for (int part = 0; part < PLANES; part++, dst += TMR) {
      for (int64_t v = 0; v < count; v++) dst[v] = src[k * si + v * sj + part];
      for (int64_t v = count; v < TMR; v++) dst[v] = 0;
    }
}

static void FOR(unpack_part)(REAL *dst, ptrdiff_t si, ptrdiff_t sj, int64_t n, int64_t count,
                             const REAL *src) {
  for (int64_t k = 0; k < n; k++)
    for (int part = 0; part < PLANES; part++, src += TMR)
      for (int64_t v = 0; v < count; v++) dst[k * si + v * sj + part] = src[v];
}

/* Unknowns contiguous (the left side). The right-hand sides of a cache line of the panel go down
 * together, a line of each at a time: where the columns of B are a power of two apart their lines
 * share a few places of the first-level cache, and what is not used at once would be fetched again.
 * Squares of LANES; where there are fewer steps than that, PIECE at a time; the last turn overlaps
 * those before it. */
enum {
  FOR(pieces) = LANES / PIECE,
  FOR(line) = LANES < 64 / sizeof(REAL) ? 64 / sizeof(REAL) : LANES,
  FOR(columns) = TMR < FOR(line) ? TMR : FOR(line)
};

/* The piece of a column that holds steps s .. s+PIECE-1. */
#define AT(column, s) (reverse ? (column) - (s)-PIECE + PLANES : (column) + (s))

QN_INLINE void FOR(pack_square)(const REAL *src, const bool reverse, ptrdiff_t sj, int64_t s,
                                const int pieces, REAL *dst) {
  ON(vec) v[FOR(pieces)][PIECE];
  QN_UNROLL
  for (int r = 0; r < PIECE; r++) {
    QN_UNROLL
    for (int q = 0; q < pieces; q++)
      v[q][r] = ON(gather_pieces)(AT(src + r * sj, s + q * PIECE), PIECE * sj);
  }
  QN_UNROLL
  for (int q = 0; q < pieces; q++) {
    ON(transpose_pieces)(v[q]);
    QN_UNROLL
    for (int r = 0; r < PIECE; r++)
      ON(store)(dst + (s + q * PIECE + FOR(lane_step)(r, reverse)) * TMR, v[q][r]);
  }
}

QN_INLINE void FOR(unpack_square)(REAL *dst, const bool reverse, ptrdiff_t sj, int64_t s,
                                  const int pieces, const REAL *src) {
  ON(vec) v[FOR(pieces)][PIECE];
  QN_UNROLL
  for (int q = 0; q < pieces; q++) {
    QN_UNROLL
    for (int r = 0; r < PIECE; r++)
      v[q][r] = ON(load)(src + (s + q * PIECE + FOR(lane_step)(r, reverse)) * TMR);
    ON(transpose_pieces)(v[q]);
  }
  QN_UNROLL
  for (int r = 0; r < PIECE; r++) {
    QN_UNROLL
    for (int q = 0; q < pieces; q++)
      ON(scatter_pieces)(AT(dst + r * sj, s + q * PIECE), PIECE * sj, v[q][r]);
  }
}
#undef AT

/* The columns of one line of the panel. */
QN_INLINE void FOR(pack_columns)(const REAL *src, const bool reverse, ptrdiff_t sj, int64_t steps,
                                 REAL *dst) {
  for (int64_t i = 0; steps >= LANES && i < steps; i += FOR(line)) {
    int64_t end = qn_min64(i + FOR(line), steps);
    for (int g = 0; g < FOR(columns); g += LANES)
      for (int64_t s = i; s < end; s += LANES) FOR(pack_square)
    (src + g * sj, reverse, sj, qn_min64(s, steps - LANES), FOR(pieces), dst + g);
  }
  for (int64_t i = 0; steps < LANES && i < steps; i += PIECE)
    for (int g = 0; g < FOR(columns); g += LANES)
      FOR(pack_square)(src + g * sj, reverse, sj, qn_min64(i, steps - PIECE), 1, dst + g);
}

QN_INLINE void FOR(pack_down)(const REAL *src, const bool reverse, ptrdiff_t sj, int64_t steps,
                              REAL *dst) {
  for (int g = 0; g < TMR; g += FOR(columns))
    FOR(pack_columns)(src + g * sj, reverse, sj, steps, dst + g);
}

QN_INLINE void FOR(unpack_columns)(REAL *dst, const bool reverse, ptrdiff_t sj, int64_t steps,
                                   const REAL *src) {
  for (int64_t i = 0; steps >= LANES && i < steps; i += FOR(line)) {
    int64_t end = qn_min64(i + FOR(line), steps);
    for (int g = 0; g < FOR(columns); g += LANES)
      for (int64_t s = i; s < end; s += LANES) FOR(unpack_square)
    (dst + g * sj, reverse, sj, qn_min64(s, steps - LANES), FOR(pieces), src + g);
  }
  for (int64_t i = 0; steps < LANES && i < steps; i += PIECE)
    for (int g = 0; g < FOR(columns); g += LANES)
      FOR(unpack_square)(dst + g * sj, reverse, sj, qn_min64(i, steps - PIECE), 1, src + g);
}

QN_INLINE void FOR(unpack_down)(REAL *dst, const bool reverse, ptrdiff_t sj, int64_t steps,
                                const REAL *src) {
  for (int g = 0; g < TMR; g += FOR(columns))
    FOR(unpack_columns)(dst + g * sj, reverse, sj, steps, src + g);
}

/* Right-hand sides contiguous (the right side): vectors as they stand, planes taken apart. Several
 * panels, `stride` apart, side by side: long runs of each unknown are what the processor fetches
 * ahead. */
QN_INLINE void FOR(pack_across)(const REAL *src, ptrdiff_t si, int64_t n, REAL *dst, size_t stride,
                                const int panels) {
  for (int64_t k = 0; k < n; k++, src += si, dst += PLANES * TMR) {
    for (int i = 0; i < panels; i++) {
      const REAL *from = src + i * PLANES * TMR;
      REAL *to = dst + i * stride;
      QN_UNROLL
      for (int g = 0; g < TMR; g += LANES) {
#if PLANES == 1
        ON(store)(to + g, ON(load)(from + g));
#else
        ON(vec) x = ON(load)(from + 2 * g), y = ON(load)(from + 2 * g + LANES);
        ON(store)(to + g, QN_SHUFFLE(x, y, QN_LANES(EVEN, LANES)));
        ON(store)(to + TMR + g, QN_SHUFFLE(x, y, QN_LANES(ODD, LANES)));
#endif
      }
    }
  }
}

QN_INLINE void FOR(unpack_across)(REAL *dst, ptrdiff_t si, int64_t n, const REAL *src,
                                  size_t stride, const int panels) {
  for (int64_t k = 0; k < n; k++, dst += si, src += PLANES * TMR) {
    for (int i = 0; i < panels; i++) {
      const REAL *from = src + i * stride;
      REAL *to = dst + i * PLANES * TMR;
      QN_UNROLL
      for (int g = 0; g < TMR; g += LANES) {
#if PLANES == 1
        ON(store)(to + g, ON(load)(from + g));
#else
        ON(vec) x = ON(load)(from + g), y = ON(load)(from + TMR + g);
        ON(store)(to + 2 * g, QN_SHUFFLE(x, y, QN_LANES(LO, LANES)));
        ON(store)(to + 2 * g + LANES, QN_SHUFFLE(x, y, QN_LANES(HI, LANES)));
#endif
      }
    }
  }
}

static void FOR(scale_panel)(qn_scalar alpha, int64_t n, REAL *panel) {
  REAL re = (REAL)alpha.re;
#if PLANES == 1
  for (int64_t i = 0; i < n * TMR; i++) panel[i] *= re;
#else
  REAL im = (REAL)alpha.im;
  for (int64_t k = 0; k < n; k++, panel += 2 * TMR)
    for (int v = 0; v < TMR; v++) {
      REAL x = panel[v], y = panel[TMR + v];
      panel[v] = re * x - im * y;
      panel[TMR + v] = re * y + im * x;
    }
#endif
}

/* How many panels go side by side where `count` right-hand sides are left. */
QN_INLINE int FOR(panels_abreast)(const qn_tri_form *f, int64_t count) {
  enum { MOST = 8 };
  return f->bj == 1 ? (int)qn_max64(1, qn_min64(MOST, count / TMR)) : 1;
}

static void FOR(pack_rhs)(const qn_tri_form *f, int64_t first, int64_t count, void *panels,
                          size_t panel_size) {
  ptrdiff_t si = f->bi * PLANES, sj = f->bj * PLANES;
  int64_t pad = (qn_round_up(f->n, TNR) - f->n) * PLANES * TMR, steps = f->n * PLANES;
  size_t stride = panel_size / sizeof(REAL);
  const REAL *src = (const REAL *)f->b + first * sj;
  REAL *dst = (REAL *)panels + pad;
  for (int abreast; count > 0; count -= abreast * TMR) {
    abreast = FOR(panels_abreast)(f, count);
    if (count < TMR || steps < PIECE) {
      FOR(pack_part)(src, si, sj, f->n, qn_min64(count, TMR), dst);
    } else if (f->bj == 1) {
      FOR(pack_across)(src, si, f->n, dst, stride, abreast);
    } else if (f->bi > 0) {
      FOR(pack_down)(src, false, sj, steps, dst);
    } else {
      FOR(pack_down)(src, true, sj, steps, dst);
    }
    src += abreast * TMR * sj;
    for (int i = 0; i < abreast; i++, dst += stride) {
      memset(dst - pad, 0, (size_t)pad * sizeof(REAL));
      if (f->alpha.re != 1 || (PLANES == 2 && f->alpha.im != 0))
        FOR(scale_panel)(f->alpha, f->n, dst);
    }
  }
}

static void FOR(unpack_rhs)(const qn_tri_form *f, int64_t first, int64_t count, const void *panels,
                            size_t panel_size) {
  ptrdiff_t si = f->bi * PLANES, sj = f->bj * PLANES;
  int64_t pad = (qn_round_up(f->n, TNR) - f->n) * PLANES * TMR, steps = f->n * PLANES;
  size_t stride = panel_size / sizeof(REAL);
  REAL *dst = (REAL *)f->b + first * sj;
  const REAL *src = (const REAL *)panels + pad;
  for (int abreast; count > 0; count -= abreast * TMR) {
    abreast = FOR(panels_abreast)(f, count);
    if (count < TMR || steps < PIECE) {
      FOR(unpack_part)(dst, si, sj, f->n, qn_min64(count, TMR), src);
    } else if (f->bj == 1) {
      FOR(unpack_across)(dst, si, f->n, src, stride, abreast);
    } else if (f->bi > 0) {
      FOR(unpack_down)(dst, false, sj, steps, src);
    } else {
      FOR(unpack_down)(dst, true, sj, steps, src);
    }
    dst += abreast * TMR * sj;
    src += abreast * stride;
  }
}

/* ---- the triangle ---- */

/* Steps of a block's panel before its corner: the unknowns above it. Block 0 holds what is left of
 * n over a multiple of TNR. */
QN_INLINE int64_t FOR(block_first)(int64_t n, int64_t block) {
  return block ? n - (qn_ceil_div(n, TNR) - block) * TNR : 0;
}
/* Where block `block` begins, in reals. */
QN_INLINE int64_t FOR(block_at)(int64_t n, int64_t block) {
  if (block == 0) return 0;
  int64_t first = FOR(block_first)(n, 1);
  return PLANES * TNR * (TNR + (block - 1) * first + TNR * (block * (block - 1) / 2));
}

/* TNR rows of one column, contiguous, piece by piece; a last piece overlaps the one before it. */
QN_INLINE void FOR(pack_column)(const REAL *a, const bool reverse, REAL sign, REAL *dst) {
  (void)sign;
  QN_UNROLL
  for (int q = 0; q < TNR; q += PIECE) {
    const int c = q + PIECE > TNR ? TNR - PIECE : q;
    const REAL *from = reverse ? a - PLANES * (c + PIECE - 1) : a + PLANES * c;
    ON(piece) x = *(const ON(piece) *)from;
#if PLANES == 2
    ON(piece) y = *(const ON(piece) *)(from + PIECE), im = QN_SHUFFLE(x, y, PIECE_ODD) * sign;
    x = QN_SHUFFLE(x, y, PIECE_EVEN);
    if (reverse) im = QN_SHUFFLE(im, im, PIECE_REVERSED);
    *(ON(piece) *)(dst + TNR + c) = im;
#endif
    if (reverse) x = QN_SHUFFLE(x, x, PIECE_REVERSED);
    *(ON(piece) *)(dst + c) = x;
  }
}

/* Blocks that are packed side by side: together they take whole lines of a column of A, six at
 * least, which would not stay in the first-level cache from one block to the next where columns are
 * a power of two apart. */
enum {
  FOR(row_bytes) = PLANES * TNR * (int)sizeof(REAL),
  FOR(group) = FOR(row_bytes) < 48 ? 6 * 64 / FOR(row_bytes) : 8,
  FOR(ahead) = 8
};

QN_INLINE void FOR(pack_blocks_down)(const REAL *a, const bool reverse, ptrdiff_t sj, REAL sign,
                                     int64_t k, int blocks, REAL *const dst[]) {
  const ptrdiff_t rows = reverse ? -PLANES * TNR : PLANES * TNR;
  for (int64_t p = 0; p < k; p++, a += sj) {
    const char *next = (const char *)(a + FOR(ahead) * sj);
    for (int byte = 0; byte < blocks * PLANES * TNR * (int)sizeof(REAL) + 63; byte += 64)
      __builtin_prefetch(reverse ? next - byte : next + byte);
    for (int b = 0; b < blocks; b++)
      FOR(pack_column)(a + b * rows, reverse, sign, dst[b] + p * PLANES * TNR);
  }
}

/* Columns contiguous: PIECE rows by PIECE steps at a time, a cache line of some rows before the
 * next rows (whose lines may fall on theirs); the last of both overlap. The next block's rows,
 * which come after these, are asked for. */
QN_INLINE void FOR(pack_rows_across)(const REAL *a, const bool reverse, ptrdiff_t si, REAL sign,
                                     int64_t steps, REAL *dst) {
  enum { LINE = 64 / sizeof(REAL) };
  (void)sign;
  for (int64_t i = 0; i < steps; i += LINE) {
    int64_t end = qn_min64(i + LINE, steps);
    QN_UNROLL
    for (int q = 0; q < TNR; q += PIECE) {
      const int c = q + PIECE > TNR ? TNR - PIECE : q;
      for (int64_t p = i; p < end; p += PIECE) {
        int64_t s = qn_min64(p, steps - PIECE);
        const REAL *from = (reverse ? a - s - PIECE + PLANES : a + s) + c * si;
        ON(piece) v[PIECE];
        QN_UNROLL
        for (int r = 0; r < PIECE; r++) v[r] = *(const ON(piece) *)(from + r * si);
        ON(transpose_piece)(v);
        QN_UNROLL
        for (int r = 0; r < PIECE; r++) {
          if (PLANES == 2 && r % 2) v[r] *= sign;
          *(ON(piece) *)(dst + (s + FOR(lane_step)(r, reverse)) * TNR + c) = v[r];
        }
      }
    }
  }
}

/* Full blocks whose first row is `row`, over columns column .. column+k-1, k * PLANES >= PIECE;
 * those at the corner bring along what stands above the diagonal, which nobody reads. */
static void FOR(pack_blocks)(const qn_tri_form *f, int64_t row, int64_t column, int64_t k,
                             int blocks, REAL *const dst[]) {
  ptrdiff_t si = f->ai * PLANES, sj = f->aj * PLANES;
  const REAL *a = (const REAL *)f->a + row * si + column * sj;
  REAL sign = f->conj ? -1 : 1;
  if (f->ai == 1) {
    FOR(pack_blocks_down)(a, false, sj, sign, k, blocks, dst);
  } else if (f->ai == -1) {
    FOR(pack_blocks_down)(a, true, sj, sign, k, blocks, dst);
  } else if (f->aj == 1) {
    for (int b = 0; b < blocks; b++)
      FOR(pack_rows_across)(a + b * TNR * si, false, si, sign, k * PLANES, dst[b]);
  } else {
    for (int b = 0; b < blocks; b++)
      FOR(pack_rows_across)(a + b * TNR * si, true, si, sign, k * PLANES, dst[b]);
  }
}

/* Block 0: its rows are the last of TNR, rows of the identity come before them. */
static void FOR(pack_first)(const qn_tri_form *f, REAL *dst) {
  const NUM *a = f->a;
  int64_t rows = FOR(block_first)(f->n, 1), pad = TNR - rows;
  memset(dst, 0, PLANES * TNR * TNR * sizeof(REAL));
  for (int64_t k = 0; k < pad; k++) dst[k * (PLANES * TNR + 1)] = 1;
  dst += pad * (PLANES * TNR + 1);
  for (int64_t k = 0; k < rows; k++)
    for (int64_t c = k; c < rows; c++) {
      NUM t = a[c * f->ai + k * f->aj];
      FOR(put)(dst + k * PLANES * TNR + c, f->conj ? FOR(conj)(t) : t);
    }
}

static bool FOR(reciprocals_do)(const qn_tri_form *f) {
  const NUM *a = f->a;
  bool good = true;
  if (!f->unit)
    for (int64_t k = 0; k < f->n; k++) good = good && FOR(reciprocal_does)(a[k * (f->ai + f->aj)]);
  return good;
}

/* The diagonal of a block: ones where unit, reciprocals for a solve. */
static void FOR(pack_diagonal)(const qn_tri_form *f, qn_tri_use use, REAL *corner) {
  for (int64_t k = 0; k < TNR; k++) {
    REAL *d = corner + k * (PLANES * TNR + 1);
    NUM one = FOR(from)(qn_real(1)), value = f->unit ? one : FOR(get)(d);
    if (use == QN_TRI_SOLVE && !f->unit) value = FOR(div)(one, value);
    FOR(put)(d, value);
  }
}

static void FOR(pack_triangle)(const qn_tri_form *f, qn_tri_use use, void *triangle) {
  REAL *t = triangle;
  int64_t n = f->n, last = qn_ceil_div(n, TNR);
  FOR(pack_first)(f, t);
  for (int64_t b = 1; b < last; b += FOR(group)) {
    int blocks = (int)qn_min64(FOR(group), last - b);
    int64_t row = FOR(block_first)(n, b), k = row + TNR;
    REAL *dst[FOR(group)];
    for (int i = 0; i < blocks; i++) dst[i] = t + FOR(block_at)(n, b + i);
    FOR(pack_blocks)(f, row, 0, k, blocks, dst);
    for (int i = 1; i < blocks; i++) { /* the steps that the shortest of them does not have */
      dst[i] += k * PLANES * TNR;
      FOR(pack_blocks)(f, row + i * TNR, k, i * TNR, 1, dst + i);
    }
  }
  for (int64_t b = 0; b < last; b++)
    FOR(pack_diagonal)(f, use, t + FOR(block_at)(n, b + 1) - PLANES * TNR * TNR);
}

static void FOR(pack_rectangle)(const qn_tri_form *f, int64_t row, int64_t column, int64_t k,
                                int64_t blocks, void *rectangle) {
  for (int64_t b = 0; b < blocks; b += FOR(group)) {
    int count = (int)qn_min64(FOR(group), blocks - b);
    REAL *dst[FOR(group)];
    for (int i = 0; i < count; i++) dst[i] = (REAL *)rectangle + (b + i) * k * PLANES * TNR;
    FOR(pack_blocks)(f, row + b * TNR, column, k, count, dst);
  }
}
