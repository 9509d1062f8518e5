/* The ladder's sixth step.
 *
 * New here: the pieces of each line are permuted (SWIZZLED, mma_tile.cu), so that eight pieces read
 * or written at a time lie in different banks. Nothing else differs from the fifth step.
 *
 * Measured on an H200, bf16 with op(A) transposed, 4096^3: 284 TFLOP/s, from 157.
 *
 * m, n and k: multiples of 256, 128 and 32. Macros: those of mma_tile.cu; C_F32. */
#define SWIZZLED 1
#include "cuda/gemm_mma_tiled.cu"
