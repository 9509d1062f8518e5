/* Which loops this processor runs. */
#include "probe/cpu_loops.h"

const probe_cpu_loops *probe_cpu_loops_get(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return &probe_cpu_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &probe_cpu_avx2;
#endif
  return &probe_cpu_plain;
}
