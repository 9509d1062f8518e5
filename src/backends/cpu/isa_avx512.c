/* AVX-512: 32 registers of 64 bytes; 24 of them accumulate. */
#define ISA    avx512
#define VBYTES 64
#define MV     2
#define NR     12
#define CMV    2
#define CNR    4
#include "backends/cpu/isa_template.h"
