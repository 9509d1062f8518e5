/* AVX2 and FMA: 16 registers of 32 bytes; 12 of them accumulate. */
#define ISA       avx2
#define VBYTES    32
#define TMV       2
#define TNR       6
#define POTRF_F32 256
#define ASK_AHEAD
#include "backends/cpu/tri_isa_template.h"
