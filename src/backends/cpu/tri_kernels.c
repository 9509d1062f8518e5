/* The triangular kernels that go with the instruction set in use. */
#include "backends/cpu/tri_kernels.h"
#include "backends/cpu/kernels.h"

const qn_tri_kernels *qn_tri_kernels_get(qn_dtype dtype) {
  const qn_cpu_isa *isa = qn_cpu_isa_get();
#if defined(__x86_64__)
  if (isa == &qn_cpu_isa_avx512) return &qn_tri_isa_avx512.dtype[dtype];
  if (isa == &qn_cpu_isa_avx2) return &qn_tri_isa_avx2.dtype[dtype];
#elif defined(__aarch64__)
  if (isa == &qn_cpu_isa_neon) return &qn_tri_isa_neon.dtype[dtype];
#endif
  (void)isa;
  return &qn_tri_isa_plain.dtype[dtype];
}
