/* The state of a sum of squares that neither overflows nor loses small parts. Needs element.cl.
 *
 * Three sums by size, the outer two of scaled squares (J. L. Blue, "A Portable Fortran Program to
 * Find the Euclidean Norm of a Vector", ACM TOMS 4, 1978; the constants as LAPACK's xNRM2):
 *
 *        SMALL            LARGE
 *   -------+----------------+-------> |x|
 *     low  |     middle     |  high          (x UP)^2       x^2       (x DOWN)^2 */
typedef real result;
typedef struct state {
  real low, middle, high;
} state;

#if QN_T == 3 || QN_T == 5
#define POWER_OF_TWO(e) QN_F64_OF_BITS((qn_u64)(1023 + (e)) << 52)
#define SMALL           POWER_OF_TWO(-511)
#define LARGE           POWER_OF_TWO(486)
#define UP              POWER_OF_TWO(537)
#define DOWN            POWER_OF_TWO(-538)
#else
#define POWER_OF_TWO(e) QN_F32_OF_BITS((qn_u32)(127 + (e)) << 23)
#define SMALL           POWER_OF_TWO(-63)
#define LARGE           POWER_OF_TWO(52)
#define UP              POWER_OF_TWO(75)
#define DOWN            POWER_OF_TWO(-76)
#endif

QN_DEV state nothing(void) {
  state s;
  s.low = s.middle = s.high = 0;
  return s;
}

QN_DEV state join(state a, state b) {
  a.low += b.low, a.middle += b.middle, a.high += b.high;
  return a;
}

QN_DEV state of_real(real x) {
  state s = nothing();
  const real size = fabs(x);
  if (size > LARGE)
    s.high = (size * DOWN) * (size * DOWN);
  else if (size < SMALL)
    s.low = (size * UP) * (size * UP);
  else
    s.middle = size * size;
  return s;
}

#if QN_IS_COMPLEX
#define state_of(z) join(of_real((z).x), of_real((z).y))
#else
#define state_of(z) of_real(z)
#endif

/* Beside a high part nothing low counts; a low part and a middle one are joined after their roots.
 * "!(x <= 0)" is true of NaN too. */
QN_DEV result result_of(state s) {
  if (s.high > 0) {
    if (!(s.middle <= 0)) s.high += (s.middle * DOWN) * DOWN;
    return sqrt(s.high) / DOWN;
  }
  if (!(s.low > 0)) return sqrt(s.middle);
  const real low = sqrt(s.low) / UP;
  if (s.middle <= 0) return low;
  const real middle = sqrt(s.middle);
  const real larger = middle < low ? low : middle, ratio = (middle < low ? middle : low) / larger;
  return larger * sqrt(1 + ratio * ratio);
}
