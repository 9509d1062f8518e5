/* The loops of cpu_loops_template.h with vectors of 16 bytes. */
#define BYTES 16
#define ISA   "plain"
#define TABLE probe_cpu_plain
#include "probe/cpu_loops_template.h"
