/* The cpu's random fills: one driver (rng.c), one set of kernels an instruction set.
 *
 * A kernel makes one block of QN_RNG_NORMAL_BLOCK numbers in contiguous memory; the driver spreads
 * blocks over threads and over the columns of a view. A number depends on its position alone, the
 * kernels add, multiply and round in one order with no fused step: the bits are the same whatever
 * the threads and the instruction set. */
#ifndef QN_CPU_RNG_H
#define QN_CPU_RNG_H

#include "core/core.h"
#include "device/cpu_ops.h"

typedef struct qn_rng_kernels {
  const char *isa;
  void (*uniform_f32)(uint64_t state, float *out);
  void (*uniform_f64)(uint64_t state, double *out);
  void (*normal_f32)(uint64_t state, float *out);
  void (*normal_f64)(uint64_t state, double *out);
} qn_rng_kernels;

extern const qn_rng_kernels qn_rng_plain; /* 16-byte vectors: SSE2 and NEON too */
#ifdef __x86_64__
extern const qn_rng_kernels qn_rng_avx2, qn_rng_avx512;
#endif

/* The driver behind the slots of qn_cpu_ops, with the kernels of one instruction set. */
void qn_cpu_rng_fill(const qn_rng_kernels *kernels, bool normal, qn_dtype dtype, uint64_t state,
                     qn_cpu_matrix out);

#endif
