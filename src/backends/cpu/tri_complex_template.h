/* Everything of one complex element type, for tri_isa_template.h. */
#define PLANES  2
#define TMR     LANES
#define NUM     FOR(num)
#define NAME(x) FOR(x)
#include "backends/cpu/scalar_complex.h"
#undef NAME

QN_INLINE NUM FOR(get)(const REAL *p) {
  return (NUM){p[0], p[TNR]};
}
QN_INLINE void FOR(put)(REAL *p, NUM x) {
  p[0] = x.re;
  p[TNR] = x.im;
}
/* The larger part must be far from both ends of the exponent's range, so that no part of the
 * reciprocal, nor the ratio of the two, leaves it unnoticed; all else is divided. */
QN_INLINE bool FOR(reciprocal_does)(NUM x) {
  REAL re = x.re < 0 ? -x.re : x.re, im = x.im < 0 ? -x.im : x.im, size = re > im ? re : im;
  REAL near = REAL_MIN / (REAL)0x1p-40, far = 1 / near;
  return size >= near && size <= far && re - re == 0 && im - im == 0;
}

#include "backends/cpu/tri_pack_template.h"
#include "backends/cpu/tri_tile_complex_template.h"
#include "backends/cpu/tri_run_template.h"
#undef PLANES
#undef TMR
#undef NUM
