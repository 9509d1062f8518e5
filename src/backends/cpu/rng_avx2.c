/* Random kernels for AVX2. */
#define RNG_ISA   avx2
#define RNG_BYTES 32
#define RNG_LANES 32
#include "backends/cpu/rng_kernel.h"
