/* Random kernels for any machine: 16-byte vectors, which are SSE2 and NEON where those are. */
#define RNG_ISA   plain
#define RNG_BYTES 16
#define RNG_LANES 16
#include "backends/cpu/rng_kernel.h"
