/* AVX-512: 32 registers of 64 bytes; 24 of them accumulate. */
#define ISA       avx512
#define VBYTES    64
#define TMV       2
#define TNR       12
#define POTRF_F32 128
#include "backends/cpu/tri_isa_template.h"
