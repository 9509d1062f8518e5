/* As many fused multiply-adds as the units take: CHAINS chains an item that do not wait for one
 * another, 16 links of each without a jump.
 *
 *   c_j := c_j m + a          towards a / (1 - m) from wherever it starts
 *
 * Macros: REAL float, double or, for OpenCL's CPUs, a vector of them; FUSED its multiply-add;
 * CHAINS. */

__kernel void fma_chains(__global const REAL *restrict x, __global REAL *restrict out, SCALAR m, SCALAR a,
                         int rounds) {
  const size_t item = get_global_id(0);
  const REAL start = x[item];
  REAL c[CHAINS];
  QN_UNROLL for (int j = 0; j < CHAINS; j++) c[j] = start + (REAL)((SCALAR)j);
  for (int r = 0; r < rounds; r++) {
    QN_UNROLL for (int u = 0; u < 16; u++) {
      QN_UNROLL for (int j = 0; j < CHAINS; j++) c[j] = FUSED(c[j], (REAL)(m), (REAL)(a));
    }
  }
  REAL sum = c[0];
  QN_UNROLL for (int j = 1; j < CHAINS; j++) sum += c[j];
  out[item] = sum;
}
