/* NEON. */
#define ISA    neon
#define VBYTES 16
#include "backends/cpu/epi_isa_template.h"
