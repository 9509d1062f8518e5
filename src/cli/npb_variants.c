/* quern npb ep --variant all: the port, step by step, beside the kernel without arrays. */
#include "cli/npb_variants.h"
#include "cli/progress.h"
#include <math.h>
#include <stdio.h>

/* In the order in which one would take the steps; the last is the default. */
static const char *const variants[] = {"port",
                                       "use_sm",
                                       "q_coalesced",
                                       "coalesced",
                                       "coalesced_block",
                                       "coalesced,q_coalesced",
                                       "coalesced_block,q_coalesced",
                                       "use_sm,coalesced",
                                       "use_sm,coalesced_block",
                                       "default"};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void say(void *user, double fraction) {
  cli_progress_say(user, fraction);
}

static qn_status open_variant(const char *name, const ep_class *class, const ep_port *shape,
                              qn_stream *stream, ep_engine *engine) {
  if (name == variants[VARIANTS - 1])
    return ep_device_open((ep_share){class->m, 0, EP_ROWS}, stream, engine);
  ep_port port = *shape;
  ep_port_parse(name, &port);
  return ep_port_open(&port, class->m, stream, engine);
}

static qn_status run_variant(const char *name, ep_engine *engine, ep_report *report) {
  char what[64];
  snprintf(what, sizeof what, "%s", name);
  const npb_progress progress = {say, what};
  cli_progress_begin();
  cli_progress_say(what, 0.0);
  const qn_status status = ep_run(engine, &progress, report);
  cli_progress_end();
  return status;
}

static void print_row(const char *name, const ep_report *r, uint64_t memory, double first) {
  printf("%-28s %10.4f %9.0f %11.3f %8.2f  %s\n", name, r->seconds, ep_mops(r),
         ldexp((double)memory, -30), first / r->seconds, r->check.passed ? "yes" : "NO");
  fflush(stdout);
}

int npb_run_variants(const ep_class *class, const ep_port *shape, qn_stream *stream,
                     const char *device) {
  bool wrong = false;
  double first = 0.0;
  printf("EP class %c on %s; port: batches of 2^%d pairs, 2^%d passes, blocks of %d\n", class->name,
         device, shape->mk, shape->mi, shape->block);
  printf("%-28s %10s %9s %11s %8s  %s\n", "variant", "seconds", "Mop/s", "memory GiB", "x port",
         "verified");
  for (int i = 0; i < VARIANTS; i++) {
    ep_report report = {.class = class};
    ep_engine engine;
    qn_status status = open_variant(variants[i], class, shape, stream, &engine);
    if (status) return cli_fail(status, variants[i]);
    const uint64_t memory = engine.memory;
    status = run_variant(variants[i], &engine, &report);
    engine.close(&engine);
    if (status) return cli_fail(status, variants[i]);
    if (i == 0) first = report.seconds;
    print_row(variants[i], &report, memory, first);
    wrong |= !report.check.passed;
  }
  return wrong ? cli_error(CLI_FAILED, "EP class %c: a wrong result", class->name) : CLI_DONE;
}
