/* One step an element: what the memory gives is what they take. */

__kernel void vector_add(__global const float *restrict a, __global const float *restrict b,
                         __global float *restrict c, int n) {
  const int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

__kernel void relu(__global const float *restrict x, __global float *restrict y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

__kernel void nothing(__global float *restrict x) {
  if (x == 0) x[0] = 0.0f;
}
