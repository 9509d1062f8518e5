/* C := epilogue(alpha (sum of the parts) + beta C): ends a product whose k was split among groups,
 * in the order of the parts. One item an element; grid x along m, y along n (any number of groups).
 *
 * Macros: QN_T, C_F32 (out.cl). */
#include "portable/prelude.cl"
#include "portable/halves.cl"
#include "portable/element.cl"
#include "portable/out.cl"

#define AHEAD 16

QN_KERNEL QN_WG_SIZE_PER_UNIT(64, 1, 1, 8) void gemm_reduce(
    qn_i64 m, qn_i64 n, int parts, int region, acc alpha, QN_GLOBAL const acc *QN_RESTRICT work,
    acc beta, QN_GLOBAL out *QN_RESTRICT c, qn_i64 off_c, qn_i64 ldc EPILOGUE_PARAMS) {
  const qn_i64 i = (qn_i64)QN_WGID(0) * 64 + QN_LID(0);
  for (qn_i64 j = QN_WGID(1); j < n; j += QN_NWG(1)) {
    if (i >= m || (region == 1 && i < j) || (region == 2 && i > j)) continue;
    acc sum = work[j * m + i];
    /* the loads go out together, the sum keeps its order */
    for (int z = 1; z < parts; z += AHEAD) {
      acc part[AHEAD];
      QN_UNROLL
      for (int s = 0; s < AHEAD; s++)
        if (z + s < parts) part[s] = work[((z + s) * n + j) * m + i];
      QN_UNROLL
      for (int s = 0; s < AHEAD; s++)
        if (z + s < parts) sum = acc_add(sum, part[s]);
    }
    out_update(c + off_c + i + j * ldc, alpha, sum, beta, i, j EPILOGUE_PASS);
  }
}
