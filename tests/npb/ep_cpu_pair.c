/* As wide as NEON. */
#define EP_ISA   pair
#define EP_WIDTH 2
#include "npb/ep_cpu_any.h"
