/* The variants of a benchmark, one after another. */
#ifndef CLI_NPB_VARIANTS_H
#define CLI_NPB_VARIANTS_H

#include "cli/cli.h"
#include "npb/ep_port.h"

/* Runs the port, its steps and the default on the stream's device, and prints a table of time,
 * memory and gain. `shape` has mk, mi and block for the port. Returns an exit status. */
int npb_run_variants(const ep_class *class, const ep_port *shape, qn_stream *stream,
                     const char *device);

#endif
