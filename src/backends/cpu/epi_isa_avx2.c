/* AVX2. */
#define ISA    avx2
#define VBYTES 32
#include "backends/cpu/epi_isa_template.h"
