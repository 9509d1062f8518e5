/* AArch64 NEON: 32 registers of 16 bytes; 24 of them accumulate. */
#define ISA       neon
#define VBYTES    16
#define TMV       2
#define TNR       12
#define POTRF_F32 128
#include "backends/cpu/tri_isa_template.h"
