/* Whether a solution by an inverse V has digits enough. Needs prelude.cl.
 *
 * norm(|V| |D|) does not see what columns of D graded by powers of two hide: where X falls off as
 * they do, x may be a small rest of large terms. In f32 V is of so many more digits than X that x
 * may be 2^-22 of what it is made up of; elsewhere a correction of 2^-26 of x leaves less than a
 * rounding. By exponents alone: x and part come from the units that have most to do. */
#define EXPONENTS(n) ((n) << 20)

/* part: one of the sums that make up x, or its correction. */
QN_DEV int is_sound(double x, double part) {
  const qn_u32 size = (qn_u32)(QN_BITS_OF_F64(x) >> 32) & 0x7fffffffu,
               of = (qn_u32)(QN_BITS_OF_F64(part) >> 32) & 0x7fffffffu;
  return QN_T == 2 ? of <= size + EXPONENTS(22) : of + EXPONENTS(26) <= size || of == 0;
}
