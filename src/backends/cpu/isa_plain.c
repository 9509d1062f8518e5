/* Whatever the compiler's baseline has: vectors of 16 bytes, 8 accumulators. */
#define ISA    plain
#define VBYTES 16
#define MV     2
#define NR     4
#define CMV    1
#define CNR    4
#include "backends/cpu/isa_template.h"
