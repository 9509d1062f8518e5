/* Local memory lies in 32 banks of 4 bytes; a warp's reads of one bank go one after another.
 *
 *   float t[32][32]      column c lies in one bank        float t[32][33]     in all of them
 *     bank 0 1 2 ..        t[0][c] t[1][c] t[2][c]          the row's end is moved on by one
 *
 * Macros: PAD 0 or 1. */

#define SIDE 32

/* A group of 32 x 8 items turns its tile about `rounds` times. */
__kernel void turn_tile(__global const float *restrict x, __global float *restrict y, int rounds) {
  __local float tile[SIDE][SIDE + PAD];
  const int lx = get_local_id(0), ly = get_local_id(1);
  const int base = get_group_id(0) * SIDE * SIDE;
  float v[4];
  QN_UNROLL for (int i = 0; i < 4; i++) v[i] = x[base + (ly + 8 * i) * SIDE + lx];
  for (int r = 0; r < rounds; r++) {
    QN_UNROLL for (int i = 0; i < 4; i++) tile[ly + 8 * i][lx] = v[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    QN_UNROLL for (int i = 0; i < 4; i++) v[i] = tile[lx][ly + 8 * i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  QN_UNROLL for (int i = 0; i < 4; i++) y[base + (ly + 8 * i) * SIDE + lx] = v[i];
}

#define WORDS 4096 /* 16 KiB */

/* 4 words a read, neighbours beside each other: the most that local memory gives. */
__kernel void read_local(__global const float *restrict x, __global float *restrict out, int rounds) {
  __local float4 words[WORDS / 4];
  __global const float4 *from = (__global const float4 *)x;
  const int l = get_local_id(0), size = get_local_size(0);
  for (int i = l; i < WORDS / 4; i += size) words[i] = from[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  int at = l;
  for (int r = 0; r < rounds; r += 4) {
    QN_UNROLL for (int u = 0; u < 4; u++) {
      const float4 v = words[at];
      sum[u] += (v.x + v.y) + (v.z + v.w);
      at = (at + size) & (WORDS / 4 - 1);
    }
  }
  out[get_global_id(0)] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
