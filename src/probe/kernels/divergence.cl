/* Two bodies long enough that no compiler makes a select of the branch: LINKS dependent steps each.
 *
 * The items of a warp (wavefront, vector) go through both bodies where they part, one after the
 * other, and through one where all take the same. */

#define LINKS 64

QN_DEV float one_way(float x) {
  for (int i = 0; i < LINKS; i++) x = x * 0.75f + 0.125f;
  return x;
}

QN_DEV float other_way(float x) {
  for (int i = 0; i < LINKS; i++) x = 0.75f - 0.5f * x * x;
  return x;
}

/* WIDTH neighbours go the same way: 1, or the items of a warp and more. */
__kernel void branch(__global const float *restrict x, __global float *restrict y, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  if ((i / WIDTH) % 2) {
    y[i] = one_way(x[i]);
  } else {
    y[i] = other_way(x[i]);
  }
}

/* One body alone. */
__kernel void straight_long(__global const float *restrict x, __global float *restrict y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = one_way(x[i]);
}

/* Both bodies for everyone, then a choice without a jump. */
__kernel void branchless(__global const float *restrict x, __global float *restrict y, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  const float a = one_way(x[i]), b = other_way(x[i]);
  y[i] = i % 2 ? a : b;
}

/* The textbook's bodies: so short that the compiler selects, and nothing parts. */
__kernel void branch_short(__global const float *restrict x, __global float *restrict y, int n) {
  const int i = get_global_id(0);
  if (i >= n) return;
  if (i % 2) {
    y[i] = x[i] * 2.0f;
  } else {
    y[i] = x[i] + 1.0f;
  }
}

__kernel void straight_short(__global const float *restrict x, __global float *restrict y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = x[i] * 2.0f;
}
