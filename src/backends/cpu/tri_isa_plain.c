/* Whatever the compiler's baseline has: vectors of 16 bytes, 8 accumulators. */
#define ISA       plain
#define VBYTES    16
#define TMV       2
#define TNR       4
#define POTRF_F32 128
#include "backends/cpu/tri_isa_template.h"
