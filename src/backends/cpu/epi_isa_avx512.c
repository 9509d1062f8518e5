/* AVX-512. */
#define ISA    avx512
#define VBYTES 64
#include "backends/cpu/epi_isa_template.h"
