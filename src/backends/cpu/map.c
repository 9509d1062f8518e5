/* qn_cpu_ops.map: y := f(x), element by element; the halves by way of f32. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/runs.h"
#include <tgmath.h>

#define REAL    float
#define NAME(x) f32_##x
#include "backends/cpu/map_loops.h"
#undef NAME
#define NAME(x) c64_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/map_complex_loops.h"
#undef NAME
#undef REAL

#define REAL    double
#define NAME(x) f64_##x
#include "backends/cpu/map_loops.h"
#undef NAME
#define NAME(x) c128_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/map_complex_loops.h"
#undef NAME
#undef REAL

static void run(const void *job, int64_t i, int64_t j, int64_t n) {
  const qn_cpu_map *p = job;
  const void *x = qn_run_at(p->x, p->dtype, i, j);
  void *y = qn_run_at(p->y, p->dtype, i, j);
  float f[QN_RUN];
  switch (p->dtype) {
  case QN_F32:
    f32_map(p->map, n, x, y);
    break;
  case QN_F64:
    f64_map(p->map, n, x, y);
    break;
  case QN_C64:
    c64_map(p->map, n, x, y);
    break;
  case QN_C128:
    c128_map(p->map, n, x, y);
    break;
  default:
    qn_run_cast(n, QN_F32, f, p->dtype, x);
    f32_map(p->map, n, f, f);
    qn_run_cast(n, p->dtype, y, QN_F32, f);
  }
}

void qn_cpu_map_run(const qn_cpu_map *p) {
  const bool whole = p->x.rows == p->x.ld && p->y.rows == p->y.ld;
  qn_runs_of(p->x, whole, run, p);
}
