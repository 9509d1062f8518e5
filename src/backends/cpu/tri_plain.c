/* Triangular solve and product, element by element. */
#include "backends/cpu/tri_form.h"

#define REAL    float
#define NAME(x) f32_##x
#include "backends/cpu/scalar_real.h"
#include "backends/cpu/tri_plain_loops.h"
#undef NAME
#define NAME(x) c64_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/tri_plain_loops.h"
#undef NAME
#undef REAL

#define REAL    double
#define NAME(x) f64_##x
#include "backends/cpu/scalar_real.h"
#include "backends/cpu/tri_plain_loops.h"
#undef NAME
#define NAME(x) c128_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/tri_plain_loops.h"
#undef NAME
#undef REAL

void qn_tri_solve_plain(const qn_tri_form *f) {
  switch (f->dtype) {
  case QN_F32:
    f32_solve(f);
    break;
  case QN_F64:
    f64_solve(f);
    break;
  case QN_C64:
    c64_solve(f);
    break;
  default:
    c128_solve(f);
    break;
  }
}

void qn_tri_multiply_plain(const qn_tri_form *f) {
  switch (f->dtype) {
  case QN_F32:
    f32_multiply(f);
    break;
  case QN_F64:
    f64_multiply(f);
    break;
  case QN_C64:
    c64_multiply(f);
    break;
  default:
    c128_multiply(f);
    break;
  }
}
