/* qn_cpu_ops.axpby: y := alpha x + beta y; the halves by way of f32. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/runs.h"
#include <string.h>

static bool is_zero(qn_scalar s) {
  return s.re == 0 && s.im == 0;
}

#define REAL    float
#define NAME(x) f32_##x
#include "backends/cpu/scalar_real.h"
#include "backends/cpu/axpby_loops.h"
#undef NAME
#define NAME(x) c64_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/axpby_loops.h"
#undef NAME
#undef REAL

#define REAL    double
#define NAME(x) f64_##x
#include "backends/cpu/scalar_real.h"
#include "backends/cpu/axpby_loops.h"
#undef NAME
#define NAME(x) c128_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/axpby_loops.h"
#undef NAME
#undef REAL

static void halves(int64_t n, const qn_cpu_axpby *p, const void *x, void *y) {
  float fx[QN_RUN], fy[QN_RUN];
  if (!is_zero(p->alpha)) qn_run_cast(n, QN_F32, fx, p->dtype, x);
  if (!is_zero(p->beta)) qn_run_cast(n, QN_F32, fy, p->dtype, y);
  f32_axpby(n, p, fx, fy);
  qn_run_cast(n, p->dtype, y, QN_F32, fy);
}

static void run(const void *job, int64_t i, int64_t j, int64_t n) {
  static void (*const loops[QN_DTYPE_COUNT])(int64_t, const qn_cpu_axpby *, const void *,
                                             void *) = {halves,    halves,    f32_axpby,
                                                        f64_axpby, c64_axpby, c128_axpby};
  const qn_cpu_axpby *p = job;
  loops[p->dtype](n, p, qn_run_at(p->x, p->dtype, i, j), qn_run_at(p->y, p->dtype, i, j));
}

void qn_cpu_axpby_run(const qn_cpu_axpby *p) {
  const bool whole = p->x.rows == p->x.ld && p->y.rows == p->y.ld;
  qn_runs_of(p->x, whole, run, p);
}
