/* AVX2 and FMA: 16 registers of 32 bytes; 12 of them accumulate. */
#define ISA    avx2
#define VBYTES 32
#define MV     3
#define NR     4
#define CMV    1
#define CNR    4
#include "backends/cpu/isa_template.h"
