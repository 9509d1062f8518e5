/* Which tiles of C a group of gemm_kernel.cu has, and which part of k. */

#define BAND 8

typedef struct tile {
  qn_i64 i0, j0;   /* its first row and column */
  qn_i64 k_from;   /* the group's part of k begins here */
  int steps, tail; /* and takes so many steps, of the last of which `tail` counts */
#if TRIANGLE
  int shift; /* from the tile's first row (column, of B) to k_from */
#endif
} tile;

/* The group's part of k, [from, end). */
QN_DEV void take_part(tile *at, qn_i64 from, qn_i64 end, qn_i64 k_part) {
  at->k_from = from + QN_WGID(2) * k_part;
  const qn_i64 part = at->k_from + k_part < end ? k_part : end - at->k_from;
  at->steps = part > 0 ? (int)((part + BK - 1) / BK) : 0;
  at->tail = (int)(part - (qn_i64)(at->steps - 1) * BK);
}

/* Copiers find their tile fast, and before counters are there. In f32 and c64 registers of the walk
 * would then be given out worse. */
#define COPIERS_FIRST (SPECIALISED && (QN_T == 3 || QN_T == 5))

/* a / b, both positive, where that is below 2^21; an integer division takes three times as long. */
QN_DEV int quotient(int a, int b) {
  if (!COPIERS_FIRST) return a / b;
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"((float)b));
  const int about = (int)((float)a * inverse), rest = a - about * b;
  return about + (rest >= b) - (rest < 0);
}
QN_DEV int remainder_of(int a, int b) {
  return COPIERS_FIRST ? a - quotient(a, b) * b : a % b;
}

#if TRIANGLE
/* The same of what the triangle leaves of k, cut for each tile anew. Its order has 31 bits. */
QN_DEV void take_triangle(tile *at, int k, int parts) {
  const int first = (int)(TRIANGLE_SIDE == A_SIDE ? at->i0 : at->j0),
            end = first + EXTENT(TRIANGLE_SIDE);
  const int from = TRIANGLE_BELOW ? 0 : first, to = TRIANGLE_BELOW && end < k ? end : k;
  const int steps = (int)((unsigned)(to - from + BK - 1) / BK);
  const int whole = parts == 1 ? steps : quotient(steps + parts - 1, parts);
  const int k_from = from + QN_WGID(2) * whole * BK, part = QN_MIN(whole * BK, to - k_from);
  at->k_from = k_from;
  at->steps = part > 0 ? (int)((unsigned)(part + BK - 1) / BK) : 0;
  at->tail = part - (at->steps - 1) * BK;
  at->shift = k_from - first;
}
#endif

/* Tiles of one band have much the same to do; of a triangle as B those of a column of tiles, as far
 * as the last cache holds the other operand. Of f32's large ones, which are few, all have; of such
 * as lie along the triangle those of a full band, for a last one in part would leave the longest to
 * the end. (Not opaque, registers of the walk would be given out worse.) */
QN_DEV int band_height(int tiles_m, qn_i64 k) {
  if (MASKED && TRIANGLE_SIDE == A_SIDE) return 1;
  if (MASKED) return opaque(tiles_m % BAND > 0 && tiles_m < 5 * BAND ? tiles_m : BAND);
  const qn_i64 cached = (qn_i64)(32 << 20) / sizeof(elem);
  if (TRIANGLE && TRIANGLE_SIDE == B_SIDE && tiles_m * BM * k <= cached) return tiles_m;
  if (!TRIANGLE || TRIANGLE_SIDE == B_SIDE) return BAND;
  return QN_MIN(QN_MAX(tiles_m / BAND, 1), BAND);
}

QN_DEV int tiles_along(qn_i64 extent, int side) {
  return (int)((qn_u64)(extent + EXTENT(side) - 1) / EXTENT(side));
}

QN_DEV tile tile_of(int index, qn_i64 m, qn_i64 n, qn_i64 k, int parts, qn_i64 k_part) {
  const int tiles_m = tiles_along(m, A_SIDE), tiles_n = tiles_along(n, B_SIDE);
  const int height = band_height(tiles_m, k);
  const int band = quotient(index, height * tiles_n);
  const int in_band = remainder_of(index, height * tiles_n);
  const int rows = QN_MIN(tiles_m - band * height, height);
  int i = band * height + remainder_of(in_band, rows), j = quotient(in_band, rows);
  if (TRIANGLE == 1) i = tiles_m - 1 - i; /* those with most to do come first */
  if (TRIANGLE == 3) j = tiles_n - 1 - j;
  tile at;
  at.i0 = (qn_i64)i * BM;
  at.j0 = (qn_i64)j * BN;
#if TRIANGLE
  take_triangle(&at, (int)k, parts);
#else
  take_part(&at, 0, k, k_part);
#endif
  return at;
}

/* The group's tile after that, or a negative number. */
QN_DEV int next_tile(int index, int tiles) {
  if (!STAYS || TRIANGLE) return -1;
  return index + QN_NWG(0) < tiles ? index + QN_NWG(0) : -1;
}

QN_DEV int tile_outside(const tile *at, int region) {
  return (region == 1 && at->i0 + BM <= at->j0) || (region == 2 && at->j0 + BN <= at->i0);
}
