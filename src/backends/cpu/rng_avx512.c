/* Random kernels for AVX-512 F, DQ (its 64-bit multiply) and VL. */
#define RNG_ISA   avx512
#define RNG_BYTES 64
#define RNG_LANES 32
#include "backends/cpu/rng_kernel.h"
