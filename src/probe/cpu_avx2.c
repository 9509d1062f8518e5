/* The loops of cpu_loops_template.h with vectors of 32 bytes. */
#define BYTES 32
#define ISA   "avx2"
#define TABLE probe_cpu_avx2
#include "probe/cpu_loops_template.h"
