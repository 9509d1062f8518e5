/* Which limit a kernel runs against, and what usually helps.
 *
 *   memory share  = bytes it must move / time / the memory's ceiling
 *   local share   = bytes that local memory's banks move / time / local memory's ceiling
 *   compute share = operations / time / the ceiling of its arithmetic
 *
 * The largest share names the bound when it is at least half; where none is, the kernel waits:
 * for memory's answers, for barriers, for its own launch. */
#include "probe/work.h"
#include <math.h>

static const double bound_from = 0.5;

static double share_of(double amount, double seconds, double ceiling) {
  return ceiling > 0.0 ? 1e-9 * amount / seconds / ceiling : 0.0;
}

void probe_judge(probe *p, probe_figure *f) {
  const probe_ceilings *c = &p->ceilings;
  const double t = f->seconds.median;
  f->memory_share = share_of(f->moved > 0.0 ? f->moved : f->bytes, t, c->memory);
  f->local_share = share_of(f->local, t, c->local);
  f->compute_share = share_of(f->flops, t, c->compute[f->arithmetic]);
  const bool counted = f->flops > 0.0 || f->local > 0.0; /* a copy has no rival to memory */
  const double most = fmax(f->memory_share, fmax(f->local_share, f->compute_share));
  if (!counted || c->memory == 0.0) {
    f->bound = PROBE_UNBOUND;
  } else if (most < bound_from) {
    f->bound = PROBE_LATENCY;
  } else {
    f->bound = most == f->memory_share  ? PROBE_MEMORY
               : most == f->local_share ? PROBE_LOCAL
                                        : PROBE_COMPUTE;
  }
}

static double value_at(const probe_figure *f, double t) {
  switch (f->unit) {
  case PROBE_GBS:
    return 1e-9 * f->bytes / t;
  case PROBE_GFLOPS:
    return 1e-9 * f->flops / t;
  case PROBE_NS:
    return 1e9 * t / f->steps;
  case PROBE_US:
    return 1e6 * t / f->steps;
  }
  return 0.0;
}

double probe_value(const probe_figure *f) {
  return value_at(f, f->seconds.median);
}

double probe_best(const probe_figure *f) {
  return value_at(f, f->seconds.least);
}

const char *probe_unit_name(probe_unit unit) {
  static const char *const names[] = {
      [PROBE_GBS] = "GB/s", [PROBE_GFLOPS] = "GFLOP/s", [PROBE_NS] = "ns", [PROBE_US] = "us"};
  return names[unit];
}

const char *probe_arithmetic_name(probe_arithmetic arithmetic) {
  static const char *const names[] = {[PROBE_F32] = "f32",
                                      [PROBE_F64] = "f64",
                                      [PROBE_F16_TENSOR] = "f16 tensor",
                                      [PROBE_TF32_TENSOR] = "tf32 tensor",
                                      [PROBE_F64_TENSOR] = "f64 tensor"};
  return names[arithmetic];
}

const char *probe_bound_name(probe_bound bound) {
  static const char *const names[] = {[PROBE_UNBOUND] = "",
                                      [PROBE_MEMORY] = "memory-bound",
                                      [PROBE_LOCAL] = "local-memory-bound",
                                      [PROBE_COMPUTE] = "compute-bound",
                                      [PROBE_LATENCY] = "latency-bound"};
  return names[bound];
}

const char *probe_remedy(const probe_figure *f) {
  if (f->resources.spill_bytes)
    return "registers spill: smaller tiles, or fewer values alive at once";
  switch (f->bound) {
  case PROBE_UNBOUND:
    return "";
  case PROBE_MEMORY:
    return "move fewer bytes: fuse kernels, reuse tiles, store narrower types";
  case PROBE_LOCAL:
    return "local memory is busy: tiles in registers, so that a value read is used several times; "
           "pad rows whose columns share a bank";
  case PROBE_COMPUTE:
    return "at the arithmetic's limit: tensor cores, a narrower type or fewer operations";
  case PROBE_LATENCY:
    if (f->resources.occupancy > 0.0 && f->resources.occupancy < 0.5)
      return "too few items at work: fewer registers or less local memory a group, more groups";
    return "more independent work in flight: larger launches, several elements an item";
  }
  return "";
}
