/* Reading, writing and copying a working set of any size: T items go over V vectors of 16 bytes,
 * UNROLL at a time.
 *
 *   ALONG 0  item t takes t, t + T, t + 2T ... (mod V): neighbours read neighbours, as GPUs want it. A
 *            set below T vectors is read by many items at once, from whichever cache can hold it.
 *   ALONG 1  item t goes along from t V / T (mod V), as a thread of a processor does
 *
 * The noise is a function of the place, so that the host can tell what a buffer must hold. */

QN_DEV float noise(uint place, uint seed) {
  uint h = (place + seed * 0x9e3779b9u) * 2654435761u;
  h = (h ^ (h >> 15)) * 2246822519u;
  h = (h ^ (h >> 13)) * 3266489917u;
  h ^= h >> 16;
  return ((float)(h >> 9) + 0.5f) * (1.0f / 4194304.0f) - 1.0f;
}

__kernel void fill_noise(__global float *restrict x, uint seed, uint count) {
  for (uint i = get_global_id(0); i < count; i += get_global_size(0)) x[i] = noise(i, seed);
}

#ifndef UNROLL
#define UNROLL 4
#define ALONG  0
#endif

#if ALONG /* V is a multiple of UNROLL */
#define FIRST(item, vectors) \
  ((item) * (uint)((vectors) / UNROLL / (uint)get_global_size(0)) * UNROLL % (vectors))
#define JUMP(vectors) 1u
#define WRAP(at, u, vectors) \
  if ((u) == UNROLL - 1) at -= at >= vectors ? vectors : 0
#else
#define FIRST(item, vectors) ((item) % (vectors))
#define JUMP(vectors)        ((uint)get_global_size(0) % (vectors))
#define WRAP(at, u, vectors) at -= at >= vectors ? vectors : 0
#endif

__kernel void sweep_read(__global const float4 *restrict x, __global float *restrict out, uint vectors,
                         uint steps) {
  const uint item = get_global_id(0), jump = JUMP(vectors);
  uint at = FIRST(item, vectors);
  float sum[UNROLL];
  QN_UNROLL for (int u = 0; u < UNROLL; u++) sum[u] = 0.0f;
  for (uint s = 0; s < steps; s += UNROLL) {
    QN_UNROLL for (int u = 0; u < UNROLL; u++) {
      const float4 v = x[at];
      sum[u] += (v.x + v.y) + (v.z + v.w);
      at += jump;
      WRAP(at, u, vectors);
    }
  }
  QN_UNROLL for (int u = 1; u < UNROLL; u++) sum[0] += sum[u];
  out[item] = sum[0];
}

__kernel void sweep_write(__global float4 *restrict y, float value, uint vectors, uint steps) {
  const uint item = get_global_id(0), jump = JUMP(vectors);
  uint at = FIRST(item, vectors);
  for (uint s = 0; s < steps; s += UNROLL) {
    QN_UNROLL for (int u = 0; u < UNROLL; u++) {
      const float here = (float)(at & 0xffffu) + value;
      y[at] = QN_F32X4(here, -here, here, value);
      at += jump;
      WRAP(at, u, vectors);
    }
  }
}

__kernel void sweep_copy(__global const float4 *restrict x, __global float4 *restrict y, uint vectors,
                         uint steps) {
  const uint item = get_global_id(0), jump = JUMP(vectors);
  uint at = FIRST(item, vectors);
  for (uint s = 0; s < steps; s += UNROLL) {
    float4 v[UNROLL];
    uint place[UNROLL];
    QN_UNROLL for (int u = 0; u < UNROLL; u++) {
      place[u] = at;
      v[u] = x[at];
      at += jump;
      WRAP(at, u, vectors);
    }
    QN_UNROLL for (int u = 0; u < UNROLL; u++) y[place[u]] = v[u];
  }
}
