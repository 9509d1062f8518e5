/* A triangle as an operand of a pipelined product: its k stops at the diagonal, or begins there.
 *
 *        k                TRIANGLE 1: A, k up to the row        3: B, k up to the column
 *      +-+-------+                 2: A, k from the row on      4: B, k from the column on
 *      |*|       |                 0: none
 *      +-+-+     |
 *      |   |*|   |        A tile of C walks over the k that its rows (of A; columns, of B) have.
 *      +---+-+   |        Where the diagonal crosses a step, what lies outside the triangle is
 *      |     |*| |        replaced by zero as fragments are read (*), and a unit diagonal by one.
 *      +-----+-+-+
 *
 * Zero times an Inf or NaN of the other operand is a NaN that the product does not have. So a sum
 * that is NaN is worked out again, over its own k alone and up to the first NaN. */
#define TRIANGLE_SIDE  (TRIANGLE <= 2 ? A_SIDE : B_SIDE)
#define TRIANGLE_BELOW (TRIANGLE % 2) /* k up to the row */

/* Which of the tile's WARPS_M parts along m a warp has. A triangle as A leaves some more to do than
 * others: those of a scheduler, which are of one number modulo 4, then have various ones. */
#define WARP_PART(warp) ((TRIANGLE == 1 || TRIANGLE == 2 ? (warp) + (warp) / 4 : (warp)) % WARPS_M)

#if TRIANGLE
#define TRIANGLE_PARAMS , int unit
#define TRIANGLE_PASS   , unit

/* Of the triangle's element at k - row = `beyond`. */
QN_DEV int triangle_has(int beyond) {
  return TRIANGLE_BELOW ? beyond <= 0 : beyond >= 0;
}

QN_DEV real triangle_part(real x, int beyond, int unit, real one) {
  if (unit && beyond == 0) return one;
  return triangle_has(beyond) ? x : (real)0;
}

/* Whether what lies outside the triangle becomes zero as it is copied: in the large tile of f32 the
 * loop over k is then that of a plain product, and its registers lie in banks as well as there. */
#define MASKED (SPECIALISED && QN_T == 2 && STAYS)
#if MASKED
static __device__ const elem diagonal_one = 1;
#endif

/* What the triangle has of BK of k that begin `shift` behind the first of a warp's rows (columns,
 * of B): nothing, a part, or all without the diagonal. Two forms of f32 have registers for this by
 * the tile's rows alone. */
enum { TRIANGLE_NONE, TRIANGLE_PART, TRIANGLE_ALL };
#define BY_WARP     (QN_T != 2 || TRIANGLE_BELOW || MASKED)
#define WARP_EXTENT (!BY_WARP ? EXTENT(TRIANGLE_SIDE) : TRIANGLE_SIDE == A_SIDE ? WM : WN)

QN_DEV int triangle_share(int shift) {
  const int before = shift + BK <= 0, after = shift >= WARP_EXTENT;
  if (TRIANGLE_BELOW) return before ? TRIANGLE_ALL : after ? TRIANGLE_NONE : TRIANGLE_PART;
  return before ? TRIANGLE_NONE : after ? TRIANGLE_ALL : TRIANGLE_PART;
}

QN_DEV int is_nan(acc x) {
#if QN_IS_COMPLEX
  return x.x != x.x || x.y != x.y;
#else
  return x != x;
#endif
}

QN_DEV acc operand_at(const elem *x, qn_i64 ld, qn_i64 row, qn_i64 k, int side) {
  const int conj = (side == A_SIDE ? TRANSA : TRANSB) == 2;
  const elem e = x[ALONG_K(side) ? k + row * ld : row + k * ld];
  return conj ? acc_conj(e) : e;
}

/* Sum (i, j) by the plain loop, which ends where nothing can change it any more. */
static __device__ __noinline__ acc plain_sum(const elem *a, qn_i64 lda, const elem *b, qn_i64 ldb,
                                             qn_i64 i, qn_i64 j, qn_i64 k, int unit) {
  const qn_i64 row = TRIANGLE_SIDE == A_SIDE ? i : j;
  const qn_i64 end = TRIANGLE_BELOW ? row + 1 : k;
  acc sum = acc_zero();
  for (qn_i64 p = TRIANGLE_BELOW ? 0 : row; p < end && !is_nan(sum); p++) {
    acc l = operand_at(a, lda, i, p, A_SIDE), r = operand_at(b, ldb, j, p, B_SIDE);
    if (unit && p == row && TRIANGLE_SIDE == A_SIDE) l = acc_make((real)1, (real)0);
    if (unit && p == row && TRIANGLE_SIDE == B_SIDE) r = acc_make((real)1, (real)0);
    sum = acc_fma(l, r, sum);
  }
  return sum;
}
#else
#define TRIANGLE_PARAMS
#define TRIANGLE_PASS
#define MASKED 0
#endif
