/* Any machine. */
#define ISA    plain
#define VBYTES 16
#include "backends/cpu/epi_isa_template.h"
