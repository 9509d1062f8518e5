/* What the operating system tells about the processor. */
#ifndef QN_HOST_INFO_H
#define QN_HOST_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void qn_host_cpu_name(char *text, size_t size); /* the product's name, or the architecture's */
unsigned qn_host_clock_mhz(void);               /* the highest clock, 0 where unknown */
uint64_t qn_host_memory(void);                  /* bytes that this process may use */
uint64_t qn_host_last_cache(void);              /* bytes, 0 where unknown */

#endif
