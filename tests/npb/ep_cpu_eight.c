/* As wide as AVX-512. */
#define EP_ISA   eight
#define EP_WIDTH 8
#include "npb/ep_cpu_any.h"
