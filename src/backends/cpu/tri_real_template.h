/* Everything of one real element type, for tri_isa_template.h. */
#define PLANES  1
#define TMR     (TMV * LANES)
#define NUM     FOR(num)
#define NAME(x) FOR(x)
#include "backends/cpu/scalar_real.h"
#undef NAME

QN_INLINE NUM FOR(get)(const REAL *p) {
  return *p;
}
QN_INLINE void FOR(put)(REAL *p, NUM x) {
  *p = x;
}
/* A product by the reciprocal is as good as a quotient where both numbers are normal; and it is the
 * same where x is zero, Inf or NaN. */
QN_INLINE bool FOR(reciprocal_does)(NUM x) {
  REAL size = x < 0 ? -x : x;
  return (size >= REAL_MIN && size <= 1 / REAL_MIN) || x == 0 || x - x != 0;
}

#include "backends/cpu/tri_pack_template.h"
#include "backends/cpu/tri_tile_real_template.h"
#include "backends/cpu/tri_run_template.h"
#include "backends/cpu/tri_potrf_template.h"
#undef PLANES
#undef TMR
#undef NUM
