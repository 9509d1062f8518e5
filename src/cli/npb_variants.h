/* The variants of a benchmark, one after another. */
#ifndef CLI_NPB_VARIANTS_H
#define CLI_NPB_VARIANTS_H

#include "cli/cli.h"
#include "npb/ep_port.h"

typedef struct npb_variants {
  const ep_class *class;
  ep_port shape; /* mk, mi and block of the port */
  qn_stream *stream;
  const char *device;
  bool json;
} npb_variants;

/* Runs the port, its steps and the default on the stream's device, once all of them are known to
 * fit it, and prints the time, memory and gain of each. Returns an exit status. */
int npb_run_variants(const npb_variants *job);

/* ep_run() with a line of progress that begins with `what`. */
qn_status npb_run_watched(ep_engine *engine, char *what, ep_report *report);

#endif
