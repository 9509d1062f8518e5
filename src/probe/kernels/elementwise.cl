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

/* As little as a kernel can do and still be seen to have run. */
__kernel void count_up(__global int *counter) {
  if (get_global_id(0) == 0) counter[0] += 1;
}
