/* Loops that an instruction set's width decides: one file of src/probe an instruction set. */
#ifndef PROBE_CPU_LOOPS_H
#define PROBE_CPU_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* How far a chain of fused multiply-adds is followed: PROBE_FMA_LINKS links a round. */
enum { PROBE_FMA_LINKS = 16 };

typedef struct probe_cpu_loops {
  const char *isa;
  int chains_f32, chains_f64; /* numbers that one call works on */
  /* The sum, mod 2^64, of `bytes` / 8 words; bytes is a multiple of 512. */
  uint64_t (*read)(const void *x, size_t bytes);
  /* x[i] := x[i] m + a, rounds * PROBE_FMA_LINKS times, in all chains. */
  void (*fma_f32)(float *x, float m, float a, int64_t rounds);
  void (*fma_f64)(double *x, double m, double a, int64_t rounds);
} probe_cpu_loops;

/* The widest that this processor has. */
const probe_cpu_loops *probe_cpu_loops_get(void);

extern const probe_cpu_loops probe_cpu_plain, probe_cpu_avx2, probe_cpu_avx512;

#endif
