/* Vectors of one real type for the triangular kernels, and how rows become columns in them.
 *
 * Included once a type by tri_isa_template.h, which defines
 *   REAL        float or double            ON(name)    the type's name for `name`
 *   LANES       reals in a vector          VBYTES      its bytes
 *   PIECE       reals in 16 bytes, 4 or 2
 *
 * Shuffles across the whole of a long vector are slow, those within 16 bytes are not. So a vector
 * is gathered from pieces of 16 bytes, each from the row where it stands, and PIECE vectors are
 * transposed piece by piece:
 *
 *   a0 a1 a2 a3 | e0 e1 e2 e3        a0 b0 c0 d0 | e0 f0 g0 h0
 *   b0 b1 b2 b3 | f0 ..        ->    a1 b1 c1 d1 | e1 ..
 *   c0 ..       | g0 ..              a2 ..       | e2 ..
 *   d0 ..       | h0 ..              a3 ..       | e3 ..                                       */

typedef REAL ON(vec) __attribute__((vector_size(VBYTES), may_alias));
typedef REAL ON(vecu) __attribute__((vector_size(VBYTES), aligned(sizeof(REAL)), may_alias));
typedef REAL ON(piece) __attribute__((vector_size(16), aligned(sizeof(REAL)), may_alias));

QN_INLINE ON(vec) ON(load)(const REAL *p) {
  return *(const ON(vecu) *)p;
}
QN_INLINE void ON(store)(REAL *p, ON(vec) v) {
  *(ON(vecu) *)p = v;
}

#if PIECE == 4
#define PIECE_AT(b)    b, b + 1, b + 2, b + 3
#define PIECE_EVEN     0, 2, 4, 6
#define PIECE_ODD      1, 3, 5, 7
#define PIECE_REVERSED 3, 2, 1, 0
#else
#define PIECE_AT(b)    b, b + 1
#define PIECE_EVEN     0, 2
#define PIECE_ODD      1, 3
#define PIECE_REVERSED 1, 0
#endif

/* The pieces at p, p + stride, ... side by side, and back. */
QN_INLINE ON(vec) ON(gather_pieces)(const REAL *p, ptrdiff_t stride) {
#if VBYTES == 16
  (void)stride;
  return ON(load)(p);
#else
  ON(piece) a = *(const ON(piece) *)p, b = *(const ON(piece) *)(p + stride);
#if VBYTES == 32
  return QN_SHUFFLE(a, b, QN_LANES(COUNT, LANES));
#else
  ON(piece) c = *(const ON(piece) *)(p + 2 * stride), d = *(const ON(piece) *)(p + 3 * stride);
  return QN_SHUFFLE(QN_SHUFFLE(a, b, QN_LANES(COUNT, HALF)),
                    QN_SHUFFLE(c, d, QN_LANES(COUNT, HALF)), QN_LANES(COUNT, LANES));
#endif
#endif
}
QN_INLINE void ON(scatter_pieces)(REAL *p, ptrdiff_t stride, ON(vec) v) {
#define TAKE(i) *(ON(piece) *)(p + (i)*stride) = QN_SHUFFLE(v, v, PIECE_AT((i)*PIECE))
  TAKE(0);
#if VBYTES >= 32
  TAKE(1);
#endif
#if VBYTES == 64
  TAKE(2);
  TAKE(3);
#endif
#undef TAKE
}

/* Lists of lanes, one piece at a time: x0 y0 x1 y1 and so on. */
#define SINGLES_LO(b) b, b + LANES, b + 1, b + 1 + LANES
#define SINGLES_HI(b) b + 2, b + 2 + LANES, b + 3, b + 3 + LANES
#define PAIRS_LO(b)   b, b + 1, b + LANES, b + 1 + LANES
#define PAIRS_HI(b)   b + 2, b + 3, b + 2 + LANES, b + 3 + LANES
#define DOUBLES_LO(b) b, b + LANES
#define DOUBLES_HI(b) b + 1, b + 1 + LANES
#if VBYTES == 16
#define EACH_PIECE(list) list(0)
#elif VBYTES == 32
#define EACH_PIECE(list) list(0), list(PIECE)
#else
#define EACH_PIECE(list) list(0), list(PIECE), list(2 * PIECE), list(3 * PIECE)
#endif

QN_INLINE void ON(transpose_pieces)(ON(vec) v[PIECE]) {
#if PIECE == 4
  ON(vec) a = QN_SHUFFLE(v[0], v[1], EACH_PIECE(SINGLES_LO));
  ON(vec) b = QN_SHUFFLE(v[0], v[1], EACH_PIECE(SINGLES_HI));
  ON(vec) c = QN_SHUFFLE(v[2], v[3], EACH_PIECE(SINGLES_LO));
  ON(vec) d = QN_SHUFFLE(v[2], v[3], EACH_PIECE(SINGLES_HI));
  v[0] = QN_SHUFFLE(a, c, EACH_PIECE(PAIRS_LO));
  v[1] = QN_SHUFFLE(a, c, EACH_PIECE(PAIRS_HI));
  v[2] = QN_SHUFFLE(b, d, EACH_PIECE(PAIRS_LO));
  v[3] = QN_SHUFFLE(b, d, EACH_PIECE(PAIRS_HI));
#else
  ON(vec) a = v[0], b = v[1];
  v[0] = QN_SHUFFLE(a, b, EACH_PIECE(DOUBLES_LO));
  v[1] = QN_SHUFFLE(a, b, EACH_PIECE(DOUBLES_HI));
#endif
}

/* One piece from four (two) rows of a transposed matrix: the same for the narrow side. */
QN_INLINE void ON(transpose_piece)(ON(piece) v[PIECE]) {
#if PIECE == 4
  ON(piece) a = QN_SHUFFLE(v[0], v[1], 0, 4, 1, 5), b = QN_SHUFFLE(v[0], v[1], 2, 6, 3, 7);
  ON(piece) c = QN_SHUFFLE(v[2], v[3], 0, 4, 1, 5), d = QN_SHUFFLE(v[2], v[3], 2, 6, 3, 7);
  v[0] = QN_SHUFFLE(a, c, 0, 1, 4, 5);
  v[1] = QN_SHUFFLE(a, c, 2, 3, 6, 7);
  v[2] = QN_SHUFFLE(b, d, 0, 1, 4, 5);
  v[3] = QN_SHUFFLE(b, d, 2, 3, 6, 7);
#else
  ON(piece) a = v[0], b = v[1];
  v[0] = QN_SHUFFLE(a, b, 0, 2);
  v[1] = QN_SHUFFLE(a, b, 1, 3);
#endif
}
