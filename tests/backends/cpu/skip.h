/* For the binaries that run once for each instruction set. */
#ifndef CPU_SKIP_H
#define CPU_SKIP_H

#include "backends/cpu/kernels.h"
#include <stdio.h>
#include <stdlib.h>

/* Ends a test that QUERN_CPU_ISA asks to run on what this machine lacks. */
static inline void skip_unless_isa(void) {
  const char *name = getenv("QUERN_CPU_ISA");
  if (!name || qn_cpu_isa_find(name)) return;
  printf("skipped: no %s on this machine\n", name);
  exit(77);
}

#endif
