/* Peaks of arithmetic: chains of fused multiply-adds, without memory in the way. */
#include "probe/families.h"
#include "probe/sources.h"
#include <math.h>
#include <stdio.h>

enum { GROUP = 256, GROUPS_A_UNIT = 8, LINKS = 16, ROUNDS = 256 };
static const double factor = 0.9990234375, term = 0.000244140625; /* exact in f32 */

/* One way to keep the units busy. */
typedef struct chains {
  const char *text; /* as told */
  probe_arithmetic arithmetic;
  int lanes, chains; /* of a vector; of an item */
  const char *options;
} chains;

/* Where every item is a lane of its own, as on GPUs. */
static const chains by_items[] = {
    {"f32 multiply-adds", PROBE_F32, 1, 8,
     "-DREAL=float -DSCALAR=float -DFUSED=QN_FMAF -DCHAINS=8"},
    {"f64 multiply-adds", PROBE_F64, 1, 8,
     "-DREAL=double -DSCALAR=double -DFUSED=QN_FMA64 -DCHAINS=8"},
};

/* CPUs behind OpenCL: an item is a thread for a while and computes on vectors. */
static const chains by_vectors[] = {
    {"f32 multiply-adds by 8", PROBE_F32, 8, 12,
     "-DREAL=float8 -DSCALAR=float -DFUSED=QN_FMAF -DCHAINS=12"},
    {"f32 multiply-adds by 16", PROBE_F32, 16, 8,
     "-DREAL=float16 -DSCALAR=float -DFUSED=QN_FMAF -DCHAINS=8"},
    {"f64 multiply-adds by 4", PROBE_F64, 4, 12,
     "-DREAL=double4 -DSCALAR=double -DFUSED=QN_FMA64 -DCHAINS=12"},
    {"f64 multiply-adds by 8", PROBE_F64, 8, 8,
     "-DREAL=double8 -DSCALAR=double -DFUSED=QN_FMA64 -DCHAINS=8"},
};

/* Where the sum of an item's chains must end, each of which converges to term / (1 - factor). */
static double end_of_chains(double start, int count) {
  const double limit = term / (1.0 - factor), shrink = pow(factor, LINKS * ROUNDS);
  double sum = 0.0;
  for (int j = 0; j < count; j++) sum += limit + (start + j - limit) * shrink;
  return sum;
}

static void check(probe *p, probe_figure *f, const chains *c, qn_buffer *out, const float *start,
                  size_t count) {
  const bool wide = c->arithmetic == PROBE_F64;
  const void *got = probe_fetch(p, out, count * (wide ? sizeof(double) : sizeof(float)));
  for (size_t i = 0; got && i < count; i++) {
    const double value = wide ? ((const double *)got)[i] : ((const float *)got)[i];
    const double want = end_of_chains(start[i], c->chains);
    probe_check(f, fabs(value - want) < 1e-3 * (1.0 + fabs(want)));
  }
}

static void one_peak(probe *p, const chains *c, uint32_t groups, uint32_t group) {
  const size_t items = (size_t)groups * group, count = items * (size_t)c->lanes;
  const bool wide = c->arithmetic == PROBE_F64;
  if (wide && !(p->info.dtypes & 1u << QN_F64)) return;
  const float *start = probe_random(p, (uint32_t)count, 3);
  double *wide_start = wide ? probe_host(p, count * sizeof *wide_start) : NULL;
  for (size_t i = 0; wide_start && i < count; i++) wide_start[i] = start[i];
  const size_t bytes = count * (wide ? sizeof(double) : sizeof(float));
  qn_buffer *x = probe_upload(p, wide ? (const void *)wide_start : start, bytes);
  qn_buffer *out = probe_buffer(p, bytes);
  probe_launch l = {.entry = "fma_chains",
                    .grid = {{groups, 1, 1}, {group, 1, 1}},
                    .count = 5,
                    .turns = 1,
                    .kernel = probe_kernel(p, probe_peak_source, "fma_chains", c->options)};
  probe_figure *f = probe_add(p, "fma", NAN, PROBE_GFLOPS, "%s", c->text);
  if (!f) return;
  qn_kernel_arg *a = l.args[0];
  a[0] = qn_arg_buffer(x);
  a[1] = qn_arg_buffer(out);
  a[2] = wide ? qn_arg_f64(factor) : qn_arg_f32((float)factor);
  a[3] = wide ? qn_arg_f64(term) : qn_arg_f32((float)term);
  a[4] = qn_arg_i32(ROUNDS);
  f->arithmetic = c->arithmetic;
  f->flops = 2.0 * LINKS * ROUNDS * (double)count * c->chains;
  f->bytes = 2.0 * (double)bytes;
  probe_time(p, f, &l);
  check(p, f, c, out, start, count);
}

void probe_peak_kernels(probe *p) {
  const bool by_vector = p->info.kind == QN_DEVICE_CPU;
  const chains *c = by_vector ? by_vectors : by_items;
  const size_t count = by_vector ? sizeof by_vectors / sizeof *c : sizeof by_items / sizeof *c;
  const uint32_t units = p->info.compute_units ? p->info.compute_units : 1;
  for (size_t i = 0; i < count; i++)
    one_peak(p, &c[i], units * GROUPS_A_UNIT, by_vector ? 16 : GROUP);
  probe_tensor_peaks(p);
}
