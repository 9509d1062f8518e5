/* The loops of cpu_loops_template.h with vectors of 64 bytes. */
#define BYTES 64
#define ISA   "avx512"
#define TABLE probe_cpu_avx512
#include "probe/cpu_loops_template.h"
