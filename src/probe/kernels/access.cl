/* What neighbours read. Each item reads one f32 of x and writes one of y.
 *
 *   stride 1   x: a b c d e f g h ...      items 0 1 2 3 share the sectors that memory moves
 *   stride 4   x: a . . . b . . . c        each item has a sector of its own, mostly unused       */

__kernel void read_strided(__global const float *restrict x, __global float *restrict y, int stride,
                           int start, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = 2.0f * x[start + i * stride];
}

/* Particles as structures in an array: x y z vx vy vz m q of one, then of the next ... */
__kernel void move_aos(__global const float *restrict p, __global float *restrict x, float dt, int n) {
  const int i = get_global_id(0);
  if (i < n) x[i] = p[8 * i] + dt * p[8 * i + 3];
}

/* ... and as a structure of arrays: all x, then all y ... */
__kernel void move_soa(__global const float *restrict p, __global float *restrict x, float dt, int n) {
  const int i = get_global_id(0);
  if (i < n) x[i] = p[i] + dt * p[3 * n + i];
}
