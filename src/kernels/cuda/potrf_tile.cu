/* Tiles of a Cholesky factor: who has which element, sums of products, eight columns at a time.
 * Needs element.cl, vector.cl.
 *
 * In shared memory a tile is column by column, LD apart. A tile that is being made lies in
 * registers, COUNT elements a thread, as what is to be taken away from it, less itself once all of
 * that is there.
 *
 * With NB 64 f64 has its products from the tensor cores, and so has f32 where those are as fast as
 * its own multiply-adds: they ask a fifth of the reads of shared memory. A warp has 32 rows and 16
 * columns, as the instruction lays them out. Else a thread has TM rows and TM columns side by side.
 *
 * Macros of the includer: NB; QN_SM. */

#define THREADS 256
#define TM      (NB / 16)
#define COUNT   (TM * TM)
#define STEP    (QN_T == 5 ? 4 : 8) /* columns that are eliminated at a time */

#define DOUBLES (QN_T == 3 || QN_T == 5)
#define TENSOR  (NB == 64 && (QN_T == 3 || (QN_T == 2 && (QN_SM == 80 || QN_SM == 90))))
#define LD      (NB + (TENSOR && QN_T == 2 ? 8 : 4)) /* lanes that read side by side: other banks */

/* What sums are kept in. */
#if TENSOR
typedef double wide;
#define wide_zero()    0.0
#define wide_add(a, b) ((a) + (double)(b))
#define wide_sub(a, b) ((a) - (double)(b))
#else
typedef acc wide;
#define wide_zero()    acc_zero()
#define wide_add(a, b) acc_add(a, b)
#define wide_sub(a, b) acc_sub(a, b)
#endif

/* A thread's place, and its elements from there. */
typedef struct place {
  int row, col, warp, lane;
} place;

QN_DEV place place_of(int warp, int lane) {
#if TENSOR
  const place at = {warp % 2 * 32 + lane / 4, warp / 2 * 16 + lane % 4 * 2, warp, lane};
#else
  const place at = {(lane % 8 + 8 * (warp % 2)) * TM, (lane / 8 + 4 * (warp / 2)) * TM, warp, lane};
#endif
  return at;
}

#if TENSOR
#define ROW_OF(e) ((e) / 8 * 16 + (e) / 2 % 2 * 8)
#define COL_OF(e) ((e) / 4 % 2 * 8 + (e) % 2)
#else
#define ROW_OF(e) ((e) % TM)
#define COL_OF(e) ((e) / TM)
#endif

/* Whether columns p ... p + STEP - 1 are among those of the thread's warp. */
QN_DEV int has_columns(const place *at, int p) {
  return at->warp / 2 == p / (NB / 4);
}

/* Whether all columns of the thread's warp come before column p; whether all its elements lie above
 * the diagonal. */
QN_DEV int warp_is_before(const place *at, int p) {
  return (at->warp / 2 + 1) * (NB / 4) <= p;
}
QN_DEV int warp_is_above(const place *at) {
  return (at->warp % 2 + 1) * (NB / 2) <= at->warp / 2 * (NB / 4);
}

/* The row of a panel that a thread solves for, or NB and more: the warps that lie above the
 * diagonal do that, while the others add to a square. */
QN_DEV int row_of(const place *at) {
  return at->warp == 4 ? at->lane : at->warp == 6 ? 32 + at->lane : NB;
}

/* ---- sums ---- */

#if TENSOR
/* The rows that a thread's elements have, over STEP columns, and the columns. */
typedef struct side {
  double rows[2][4], cols[2][2];
} side;

QN_DEV void read_rows(side *f, const elem *x, const place *at) {
  QN_UNROLL
  for (int i = 0; i < 8; i++)
    f->rows[i / 4][i % 4] =
        x[(at->lane % 4 + i / 2 % 2 * 4) * LD + at->row + i / 4 * 16 + i % 2 * 8];
}

QN_DEV void read_cols(side *f, const elem *y, const place *at) {
  const elem *from = y + at->lane % 4 * LD + at->warp / 2 * 16 + at->lane / 4;
  QN_UNROLL
  for (int i = 0; i < 4; i++) f->cols[i / 2][i % 2] = from[i % 2 * 4 * LD + i / 2 * 8];
}

QN_DEV void add_side(wide *sum, const side *row, const side *col) {
  QN_UNROLL
  for (int i = 0; i < 4; i++) mma_f64(sum + 4 * i, row->rows[i / 2], col->cols[i % 2]);
}

/* sum += x y^H over STEP columns of both. */
QN_DEV void add_products(wide *sum, const elem *x, const elem *y, const place *at) {
  side f;
  read_rows(&f, x, at);
  read_cols(&f, y, at);
  add_side(sum, &f, &f);
}

/* sum += x x^H for the columns of panel p alone, which are the warp's. */
QN_DEV void add_next(wide *sum, const elem *x, int p, const place *at) {
  side f;
  read_rows(&f, x, at);
  read_cols(&f, x, at);
  if (p / STEP % 2)
    mma_f64(sum + 4, f.rows[0], f.cols[1]), mma_f64(sum + 12, f.rows[1], f.cols[1]);
  else
    mma_f64(sum, f.rows[0], f.cols[0]), mma_f64(sum + 8, f.rows[1], f.cols[0]);
}

/* The same for those of the warp's columns that come after panel p. */
QN_DEV void add_rest(wide *sum, const elem *x, int p, const place *at) {
  if (warp_is_before(at, p + STEP)) return;
  if (has_columns(at, p))
    add_next(sum, x, p + STEP, at);
  else
    add_products(sum, x, x, at);
}

/* And square += x x^H. */
QN_DEV void add_both(wide *sum, wide *square, const elem *x, const elem *y, const place *at) {
  side f;
  read_rows(&f, x, at);
  read_cols(&f, y, at);
  add_side(sum, &f, &f);
  read_cols(&f, x, at);
  add_side(square, &f, &f);
}
#else
QN_DEV void read_side(elem *to, const elem *from) {
#if TM % VW == 0
  QN_UNROLL
  for (int i = 0; i < TM; i += VW) UNVEC(to, i, *(const vec *)(from + i));
#else
  QN_UNROLL
  for (int i = 0; i < TM; i++) to[i] = from[i];
#endif
}

QN_DEV void add_side(wide *sum, const elem *rows, const elem *cols) {
  QN_UNROLL
  for (int e = 0; e < COUNT; e++) sum[e] = acc_fma(rows[e % TM], acc_conj(cols[e / TM]), sum[e]);
}

/* sum += x y^H over STEP columns of both. */
QN_DEV void add_products(wide *sum, const elem *x, const elem *y, const place *at) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++) {
    elem rows[TM], cols[TM];
    read_side(rows, x + k * LD + at->row);
    read_side(cols, y + k * LD + at->col);
    add_side(sum, rows, cols);
  }
}

/* The same for columns of panel p, and all others of a warp that has it. */
QN_DEV void add_next(wide *sum, const elem *x, int p, const place *at) {
  add_products(sum, x, x, at);
}

/* And for those of the other warps that come after panel p. */
QN_DEV void add_rest(wide *sum, const elem *x, int p, const place *at) {
  if (!warp_is_before(at, p + STEP) && !has_columns(at, p)) add_products(sum, x, x, at);
}

/* And square += x x^H. */
QN_DEV void add_both(wide *sum, wide *square, const elem *x, const elem *y, const place *at) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++) {
    elem rows[TM], cols[TM];
    read_side(rows, x + k * LD + at->row);
    read_side(cols, y + k * LD + at->col);
    add_side(sum, rows, cols);
    read_side(cols, x + k * LD + at->col);
    add_side(square, rows, cols);
  }
}
#endif

QN_DEV acc acc_neg(acc x) {
#if QN_IS_COMPLEX
  return acc_make(-x.x, -x.y);
#else
  return -x;
#endif
}

/* Columns p ... p + STEP - 1 of the tile to shared memory. */
#if TENSOR
QN_DEV void put_columns(elem *tile, const wide *sum, int p, const place *at) {
  if (at->warp / 2 != p / (NB / 4)) return;
  const int right = p / STEP % 2;
  elem *const to = tile + (at->col + right * 8) * LD + at->row;
  QN_UNROLL
  for (int e = 0; e < COUNT; e++)
    if (COL_OF(e) < 8) to[COL_OF(e) * LD + ROW_OF(e)] = (elem) - (right ? sum[e + 4] : sum[e]);
}
#else
QN_DEV void put_columns(elem *tile, const wide *sum, int p, const place *at) {
  if (TM <= STEP && at->col / STEP != p / STEP) return;
  elem *const to = tile + at->col * LD + at->row;
  QN_UNROLL
  for (int e = 0; e < COUNT; e++)
    if (TM <= STEP || (at->col + COL_OF(e)) / STEP == p / STEP)
      to[COL_OF(e) * LD + ROW_OF(e)] = acc_neg(sum[e]);
}
#endif

/* ---- STEP columns of a row ---- */

QN_DEV real real_part(acc x) {
#if QN_IS_COMPLEX
  return x.x;
#else
  return x;
#endif
}

QN_DEV acc times_real(acc x, real by) {
#if QN_IS_COMPLEX
  return acc_make(x.x * by, x.y * by);
#else
  return x * by;
#endif
}

QN_DEV acc over_real(acc x, real by) {
#if QN_IS_COMPLEX
  return acc_make(x.x / by, x.y / by);
#else
  return x / by;
#endif
}

/* l[k][s] := row s, column k of the square at d; what of it is not used is not read. */
QN_DEV void read_panel(acc (*l)[STEP], const elem *d) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++) {
    QN_UNROLL
    for (int s = 0; s < STEP; s += VW) UNVEC(l[k], s, *(const vec *)(d + k * LD + s));
  }
}

/* Whether x is positive and in the middle of the normal range, so that what follows can leave it
 * nowhere: f64 2^-120 to 2^120, f32 2^-60 to 2^60. */
QN_DEV int is_tame(real x) {
#if DOUBLES
  return HIGH(QN_BITS_OF_F64(x)) - 0x38700000u < 0x0f000000u;
#else
  return QN_BITS_OF_F32(x) - 0x21800000u < 0x3c000000u;
#endif
}

/* by / sqrt(x) of a tame x within a rounding or two: the hardware's approximation, corrected. */
QN_DEV real over_root(real x, real by) {
  real r;
#if DOUBLES
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  const real e = fma(-x * r, r, (real)1), first = r * by;
  return fma(first * e, fma(e, (real)0.375, (real)0.5), first);
#else
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r * by;
#endif
}

/* Of eight columns of a diagonal tile, what is above the diagonal holds the reciprocals of it: that
 * of column k < STEP - 1 is in row k of the last column, the last one's in the column before. All
 * are zero where some have to be divided by. */
#define LAST                (STEP - 1)
#define RECIPROCAL_OF(l, k) real_part((k) < LAST ? (l)[LAST][k] : (l)[LAST - 1][LAST - 2])

/* own := own L^-H for a row, `by` reciprocals or by division. */
QN_DEV void solve_step(acc *own, acc (*l)[STEP], int by) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++) {
    own[k] = by ? times_real(own[k], RECIPROCAL_OF(l, k)) : over_real(own[k], real_part(l[k][k]));
    QN_UNROLL
    for (int s = k + 1; s < STEP; s++) own[s] = acc_fnma(own[k], acc_conj(l[k][s]), own[s]);
  }
}

/* Eight columns of a row. */
QN_DEV void put_row(elem *row, const acc *own) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++) row[k * LD] = own[k];
}

/* own := a row of the panel at `row`, by the triangle at d; to `to`. */
QN_DEV void solve_row(acc *own, elem *to, const elem *row, const elem *d) {
  acc l[STEP][STEP];
  read_panel(l, d);
  QN_UNROLL
  for (int k = 0; k < STEP; k++) own[k] = row[k * LD];
  if (RECIPROCAL_OF(l, 0) != 0)
    solve_step(own, l, 1);
  else
    solve_step(own, l, 0);
  put_row(to, own);
}

/* The root of a pivot, corrected by its reciprocal. */
QN_DEV real root_of(real pivot, real by) {
  const real near = pivot * by;
  const real root = QN_REAL_FMA((real)0.5 * by, QN_REAL_FMA(-near, near, pivot), near);
  return by == 0 ? pivot : root; /* of Inf */
}

/* Column k of a triangle l, and of the row, by its pivot's reciprocal root. */
QN_DEV void scale_column(acc *own, acc (*l)[STEP], int k, real by) {
  own[k] = times_real(own[k], by);
  QN_UNROLL
  for (int s = k + 1; s < STEP; s++) l[k][s] = times_real(l[k][s], by);
}

/* Takes column k from column c, and from that of the row. */
QN_DEV void take_column(acc *own, acc (*l)[STEP], int k, int c) {
  own[c] = acc_fnma(own[k], acc_conj(l[k][c]), own[c]);
  QN_UNROLL
  for (int s = c; s < STEP; s++) l[c][s] = acc_fnma(l[k][s], acc_conj(l[k][c]), l[c][s]);
}

/* What a row of a diagonal tile keeps beside its own: its own pivot, its root and the root's
 * reciprocal, and the reciprocal of the last pivot's root. */
typedef struct diagonal {
  real pivot, root, by, last;
} diagonal;

/* Factors the triangle l and takes it from the row, which is row `below` of it. Returns how many
 * pivots came before one that is not positive. */
QN_DEV int factor_step(acc *own, acc (*l)[STEP], int below, diagonal *d) {
  int good = STEP;
  QN_UNROLL
  for (int k = 0; k < STEP; k++) {
    const real pivot = real_part(l[k][k]);
    if (!(pivot > 0) && good == STEP) good = k;
#if DOUBLES
    const real by = 1 / sqrt(pivot), root = sqrt(pivot);
#else
    const real by = rsqrtf(pivot), root = root_of(pivot, by);
#endif
    scale_column(own, l, k, by);
    if (below == k) d->root = root;
    QN_UNROLL
    for (int c = k + 1; c < STEP; c++) take_column(own, l, k, c);
  }
  d->by = d->last = 0;
  return good;
}

/* The same, two pivots at a time, a and then (a b - |c|^2) / a, whose roots do not wait for one
 * another. Returns STEP if all were tame, else 0. */
QN_DEV int factor_pairs(acc *own, acc (*l)[STEP], int below, diagonal *d) {
  int tame = 1;
  QN_UNROLL
  for (int k = 0; k < STEP; k += 2) {
    const real a = real_part(l[k][k]), b = real_part(l[k + 1][k + 1]);
    const real minor = QN_REAL_FMA(a, b, -real_part(acc_mul(l[k][k + 1], acc_conj(l[k][k + 1]))));
    const real by = over_root(a, 1), by_next = over_root(minor, a * by), next = minor * by * by;
    tame &= is_tame(a) & is_tame(next); /* b is not less, and makes Inf if it is too large */
    scale_column(own, l, k, by);
    take_column(own, l, k, k + 1);
    scale_column(own, l, k + 1, by_next);
    if (below == k) d->pivot = a, d->by = by;
    if (below == k + 1) d->pivot = next, d->by = by_next;
    d->last = by_next;
    QN_UNROLL
    for (int c = k + 2; c < STEP; c++) {
      take_column(own, l, k, c);
      take_column(own, l, k + 1, c);
    }
  }
  d->root = root_of(d->pivot, d->by);
  return tame ? STEP : 0;
}

/* What is above the diagonal, on it, and the reciprocals, of a row that is factored. */
QN_DEV void finish_row(acc *own, const diagonal *r, int below) {
  QN_UNROLL
  for (int k = 0; k < STEP; k++)
    own[k] = below > k ? own[k] : below == k ? acc_make(r->root, 0) : acc_zero();
  if (below >= 0 && below < LAST) own[LAST] = acc_make(r->by, 0);
  if (below == LAST - 2) own[LAST - 1] = acc_make(r->last, 0);
}

/* own := a row of the panel at `row`, `below` the first of the triangle at d, which is factored on
 * the way: each of NB threads does that for itself; to `to`. Returns what factor_step does. */
QN_DEV int factor_row(acc *own, elem *to, const elem *row, const elem *d, int below) {
  acc l[STEP][STEP];
  diagonal r = {1, 1, 1, 1};
  read_panel(l, d);
  QN_UNROLL
  for (int k = 0; k < STEP; k++) own[k] = row[k * LD];
  int good = factor_pairs(own, l, below, &r);
  finish_row(own, &r, below);
  put_row(to, own);
  if (good < STEP) {
    read_panel(l, d);
    QN_UNROLL
    for (int k = 0; k < STEP; k++) own[k] = row[k * LD];
    good = factor_step(own, l, below, &r);
    finish_row(own, &r, below);
    put_row(to, own);
  }
  return good;
}
