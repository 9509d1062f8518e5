/* AVX2 and FMA: 16 registers of 32 bytes; 12 of them accumulate. */
#define ISA    avx2
#define VBYTES 32
#define TMV    2
#define TNR    6
#include "backends/cpu/tri_isa_template.h"
