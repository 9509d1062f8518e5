/* A backend whose compiler only counts: its machine code is the source text itself, and a kernel is
 * there when the text has its name. */
#ifndef QN_TEST_FAKE_COMPILER_H
#define QN_TEST_FAKE_COMPILER_H

#include "device/device.h"

typedef struct fake_compiler {
  qn_device device;
  atomic_int compiles, loads, modules; /* modules: alive now */
  atomic_int at_once, most_at_once;    /* compilations running side by side */
  int milliseconds;                    /* how long one takes */
  qn_status failure;                   /* what compile returns */
} fake_compiler;

/* A device over it; one at a time in a process. */
fake_compiler *fake_new(const char *identity);
/* Frees the kernels as the device would; returns the modules still alive. */
int fake_free(fake_compiler *fake);

#endif
