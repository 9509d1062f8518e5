/* AArch64 NEON: 32 registers of 16 bytes; 24 of them accumulate. */
#define ISA    neon
#define VBYTES 16
#define MV     2
#define NR     12
#define CMV    2
#define CNR    4
#include "backends/cpu/isa_template.h"
