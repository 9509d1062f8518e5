/* The loops for vectors of BYTES bytes; the file that includes this defines BYTES, ISA (a text) and
 * TABLE, the name of its row. */
#include "probe/cpu_loops.h"

enum { CHAINS = 12, STREAMS = 8 };

typedef float vf __attribute__((vector_size(BYTES), aligned(8), may_alias));
typedef double vd __attribute__((vector_size(BYTES), aligned(8), may_alias));
typedef uint64_t vu __attribute__((vector_size(BYTES), aligned(8), may_alias));

static uint64_t read_words(const void *x, size_t bytes) {
  const vu *v = x;
  vu sum[STREAMS] = {{0}};
  for (size_t i = 0; i < bytes / BYTES; i += STREAMS)
    for (int s = 0; s < STREAMS; s++) sum[s] += v[i + (size_t)s];
  uint64_t all = 0;
  for (int s = 0; s < STREAMS; s++)
    for (size_t k = 0; k < BYTES / 8; k++) all += sum[s][k];
  return all;
}

#define FMA_LOOP(name, scalar, vector)                                                             \
  static void name(scalar *x, scalar m, scalar a, int64_t rounds) {                                \
    vector c[CHAINS], vm = (vector){0} + m, va = (vector){0} + a;                                  \
    for (int j = 0; j < CHAINS; j++) c[j] = ((vector *)x)[j];                                      \
    for (int64_t r = 0; r < rounds * PROBE_FMA_LINKS; r++)                                         \
      for (int j = 0; j < CHAINS; j++) c[j] = c[j] * vm + va;                                      \
    for (int j = 0; j < CHAINS; j++) ((vector *)x)[j] = c[j];                                      \
  }
FMA_LOOP(fma_f32, float, vf)
FMA_LOOP(fma_f64, double, vd)

const probe_cpu_loops TABLE = {
    .isa = ISA,
    .chains_f32 = CHAINS * BYTES / (int)sizeof(float),
    .chains_f64 = CHAINS * BYTES / (int)sizeof(double),
    .read = read_words,
    .fma_f32 = fma_f32,
    .fma_f64 = fma_f64,
};
