/* qn_cpu_ops.potrf: Cholesky of a block. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/tri_kernels.h"
#include "backends/cpu/workspace.h"
#include <math.h>

#define REAL_PART(x)   (x)
#define SQUARE(x)      ((x) * (x))
#define SET_REAL(x, v) ((x) = (v))
#define DIVIDE(x, d)   ((x) / (d))

#define REAL    float
#define SQRT    sqrtf
#define NAME(x) f32_##x
#include "backends/cpu/scalar_real.h"
#include "backends/cpu/potrf_loops.h"
#undef NAME
#undef SQRT
#undef REAL

#define REAL    double
#define SQRT    sqrt
#define NAME(x) f64_##x
#include "backends/cpu/scalar_real.h"
#include "backends/cpu/potrf_loops.h"
#undef NAME
#undef SQRT
#undef REAL

#undef REAL_PART
#undef SQUARE
#undef SET_REAL
#undef DIVIDE
#define REAL_PART(x)   ((x).re)
#define SQUARE(x)      ((x).re * (x).re + (x).im * (x).im)
#define SET_REAL(x, v) ((x).re = (v), (x).im = 0)
#define DIVIDE(x, d)   ((__typeof__(x)){(x).re / (d), (x).im / (d)})

#define REAL    float
#define SQRT    sqrtf
#define NAME(x) c64_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/potrf_loops.h"
#undef NAME
#undef SQRT
#undef REAL

#define REAL    double
#define SQRT    sqrt
#define NAME(x) c128_##x
#include "backends/cpu/scalar_complex.h"
#include "backends/cpu/potrf_loops.h"

enum { SMALL = 8, PACKED_MAX = 512 }; /* orders between which the packed form pays */

qn_status qn_cpu_potrf(qn_dtype dtype, qn_uplo uplo, qn_cpu_matrix a, int64_t *info) {
  ptrdiff_t ai = uplo == QN_LOWER ? 1 : a.ld, aj = uplo == QN_LOWER ? a.ld : 1;
  const qn_tri_kernels *kernels = qn_tri_kernels_get(dtype);
  if (kernels->potrf && a.rows > SMALL && a.rows <= PACKED_MAX) {
    size_t size = kernels->potrf_workspace(a.rows);
    qn_workspace workspace = qn_workspace_get(size);
    if (!workspace.memory) return qn_fail(QN_ENOMEM, "qn_potrf", "workspace of %zu bytes", size);
    *info = kernels->potrf(a.data, ai, aj, a.rows, workspace.memory);
    qn_workspace_put(workspace);
    return QN_OK;
  }
  switch (dtype) {
  case QN_F32:
    *info = f32_potrf(a.data, ai, aj, a.rows);
    break;
  case QN_F64:
    *info = f64_potrf(a.data, ai, aj, a.rows);
    break;
  case QN_C64:
    *info = c64_potrf(a.data, ai, aj, a.rows);
    break;
  default:
    *info = c128_potrf(a.data, ai, aj, a.rows);
    break;
  }
  return QN_OK;
}

int64_t qn_cpu_potrf_block(qn_dtype dtype) {
  return qn_tri_kernels_get(dtype)->potrf_block;
}
