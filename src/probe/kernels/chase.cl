/* A walk along a chain: every address comes out of the load before it, so that nothing overlaps. */

__kernel void chase_global(__global const uint *restrict next, __global uint *restrict place, int steps) {
  uint at = place[0];
  for (int s = 0; s < steps; s++) at = next[at];
  place[0] = at;
}

#define SLOTS 1024 /* 4 KiB of local memory */
__kernel void chase_local(__global const uint *restrict next, __global uint *restrict place, int steps) {
  __local uint chain[SLOTS];
  for (int i = get_local_id(0); i < SLOTS; i += get_local_size(0)) chain[i] = next[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_id(0) == 0) {
    uint at = place[0];
    for (int s = 0; s < steps; s++) at = chain[at];
    place[0] = at;
  }
}
