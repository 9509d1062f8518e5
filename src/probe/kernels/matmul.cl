/* C = A B of order n, row by row, and what may follow it: a bias for each column and max(., 0).
 *
 * naive   every item reads a row of A and a column of B from memory: 2 n reads for 2 n operations
 * tiled   a group brings TILE x TILE of both to local memory; each element is read TILE times there
 *
 * Macros: TILE; FUSED 1 has the bias and the ReLU in the same kernel. */

#ifndef TILE
#define TILE 16
#endif
#ifndef FUSED
#define FUSED 0
#endif

__kernel void matmul_naive(__global const float *restrict a, __global const float *restrict b,
                           __global float *restrict c, int n) {
  const int col = get_global_id(0), row = get_global_id(1);
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

__kernel QN_WG_SIZE(TILE, TILE, 1) void
matmul_tiled(__global const float *restrict a, __global const float *restrict b,
             __global const float *restrict bias, __global float *restrict c, int n) {
  __local float as[TILE][TILE];
  __local float bs[TILE][TILE];
  const int x = get_local_id(0), y = get_local_id(1);
  const int col = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    as[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0.0f;
    bs[y][x] = k + y < n && col < n ? b[(k + y) * n + col] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    QN_UNROLL for (int i = 0; i < TILE; i++) sum += as[y][i] * bs[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row >= n || col >= n) return;
#if FUSED
  sum += bias[col];
  sum = sum > 0.0f ? sum : 0.0f;
#endif
  c[row * n + col] = sum;
}

__kernel void add_bias(__global float *restrict c, __global const float *restrict bias, int n) {
  const int col = get_global_id(0), row = get_global_id(1);
  if (row < n && col < n) c[row * n + col] += bias[col];
}

__kernel void relu_in_place(__global float *restrict c, int n) {
  const int col = get_global_id(0), row = get_global_id(1);
  if (row < n && col < n) c[row * n + col] = c[row * n + col] > 0.0f ? c[row * n + col] : 0.0f;
}
