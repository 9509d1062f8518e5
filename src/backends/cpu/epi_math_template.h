/* exp, log, tanh and erf over vectors of one real type, without branches; NaN in, NaN out.
 *
 * Included by epi_isa_template.h with REAL, LANES, VBYTES and ON(name), and for the type's format
 *   INT, DIGITS, BIAS     the integer of its width, bits of the fraction, bias of the exponent
 *   MAGIC                 1.5 2^DIGITS: adding it rounds to an integer, which the last bits then
 * are LN2_HI, LN2_LO        ln 2 in two parts; products of HI with an exponent are exact EXP_LOW,
 * EXP_HIGH     beyond them e^x is 0 or Inf        TANH_HIGH  tanh is 1 there EXP_TERMS, LOG_TERMS
 * terms of the series          ERF_NEAR, ERF_FAR, ERF_END
 *
 * The series are Taylor's, on reduced arguments. erf is x P(x^2) below 1 and 1 - e^-G(x - 1) above,
 * both fitted to the smallest weighted error. */

typedef REAL ON(vec) __attribute__((vector_size(VBYTES), may_alias));
typedef REAL ON(vecu) __attribute__((vector_size(VBYTES), aligned(sizeof(REAL)), may_alias));
typedef INT ON(ivec) __attribute__((vector_size(VBYTES)));

/* Where the mask is all ones a, where it is zero b. */
QN_INLINE ON(vec) ON(pick)(ON(ivec) mask, ON(vec) a, ON(vec) b) {
  return (ON(vec))((mask & (ON(ivec))a) | (~mask & (ON(ivec))b));
}

QN_INLINE ON(vec) ON(all)(REAL x) {
  return x - (ON(vec)){0}; /* keeps the sign of -0 */
}

QN_INLINE ON(ivec) ON(is_nan)(ON(vec) x) {
  return ~(x <= ON(all)((REAL)INFINITY));
}

/* c[0] + c[1] x + ... */
QN_INLINE ON(vec) ON(horner)(ON(vec) x, const REAL *c, const int terms) {
  ON(vec) sum = ON(all)(c[terms - 1]);
  QN_UNROLL
  for (int i = terms - 2; i >= 0; i--) sum = sum * x + c[i];
  return sum;
}

/* 2^n for an n whose power is a normal number. */
QN_INLINE ON(vec) ON(power)(ON(ivec) n) {
  return (ON(vec))((n + BIAS) << DIGITS);
}

/* x = n ln 2 + r: returns e^r - 1 and sets n. x is within the range of e^x or NaN. */
QN_INLINE ON(vec) ON(reduced)(ON(vec) x, ON(ivec) * n) {
  ON(vec) shifted = x * (REAL)1.44269504088896340736 + MAGIC, whole = shifted - MAGIC;
  *n = (ON(ivec))shifted - (ON(ivec))ON(all)(MAGIC);
  ON(vec) r = (x - whole * LN2_HI) - whole * LN2_LO;
  static const REAL inverse_factorial[] = {
      1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  return r + r * r * ON(horner)(r, inverse_factorial, EXP_TERMS);
}

QN_INLINE ON(vec) ON(exp)(ON(vec) x) {
  ON(ivec) n;
  x = ON(pick)(x > EXP_HIGH, ON(all)(EXP_HIGH), x);
  x = ON(pick)(x < EXP_LOW, ON(all)(EXP_LOW), x);
  ON(vec) m = ON(reduced)(x, &n);
  ON(ivec) half = n >> 1; /* twice half the way, so that 2^n need not be normal */
  return (1 + m) * ON(power)(half) * ON(power)(n - half);
}

QN_INLINE ON(vec) ON(abs)(ON(vec) x) {
  return (ON(vec))((ON(ivec))x & ~(ON(ivec))ON(all)((REAL)-0.0));
}

QN_INLINE ON(vec) ON(copysign)(ON(vec) size, ON(vec) sign) {
  return (ON(vec))((ON(ivec))size | ((ON(ivec))sign & (ON(ivec))ON(all)((REAL)-0.0)));
}

/* t / (t + 2) with t = e^(2 |x|) - 1 = 2^n (e^r - 1) + (2^n - 1) */
QN_INLINE ON(vec) ON(tanh)(ON(vec) x) {
  ON(ivec) n;
  ON(vec) y = ON(abs)(x);
  y = ON(pick)(y > TANH_HIGH, ON(all)(TANH_HIGH), y);
  ON(vec) m = ON(reduced)(2 * y, &n), scale = ON(power)(n);
  ON(vec) t = scale * m + (scale - 1);
  return ON(copysign)(t / (t + 2), x);
}

QN_INLINE ON(vec) ON(erf)(ON(vec) x) {
  static const REAL near[] = ERF_NEAR, far[] = ERF_FAR;
  ON(vec) y = ON(abs)(x);
  ON(vec) small = y * ON(horner)(y * y, near, sizeof near / sizeof *near);
  y = ON(pick)(y > ERF_END, ON(all)(ERF_END), y);
  ON(vec) large = 1 - ON(exp)(-ON(horner)(y - 1, far, sizeof far / sizeof *far));
  return ON(copysign)(ON(pick)(y > 1, large, small), x);
}

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)); f = m - 1, s = f / (2 + f):
 * log m = 2 (s + s^3/3 + s^5/5 + ...) = f - s (f - R), R = 2 (s^2/3 + s^4/5 + ...) */
QN_INLINE ON(vec) ON(log)(ON(vec) x) {
  static const REAL odd[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                             2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
  const ON(vec) infinity = ON(all)((REAL)INFINITY), zero = {0};
  ON(ivec) tiny = x < ON(all)(SMALLEST);
  ON(vec) up = x * ON(power)((ON(ivec)){0} + DIGITS + 1);
  ON(ivec) bits = (ON(ivec))ON(pick)(tiny, up, x);
  ON(ivec) k = (bits - (ON(ivec))ON(all)((REAL)0.70710678118654752440)) >> DIGITS;
  ON(vec) f = (ON(vec))(bits - (k << DIGITS)) - 1, s = f / (2 + f), z = s * s;
  ON(vec) e = __builtin_convertvector(k - (tiny & (DIGITS + 1)), ON(vec));
  ON(vec) r = z * ON(horner)(z, odd, LOG_TERMS);
  ON(vec) y = e * LN2_HI + (f - (s * (f - r) - e * LN2_LO));
  y = ON(pick)(x < zero, ON(all)((REAL)NAN), y);
  y = ON(pick)(x == zero, -infinity, y);
  return ON(pick)((x == infinity) | ON(is_nan)(x), x, y);
}
