/* A product, a bias and a ReLU: three kernels, then one. */
#include "probe/families.h"
#include "probe/matmul.h"
#include "probe/sources.h"
#include <math.h>

typedef struct fusion_job {
  probe_launch product, bias, relu;
} fusion_job;

static qn_status run(probe *p, const probe_launch *l) {
  return qn_kernel_launch(p->stream, l->kernel, l->grid, l->args[0], l->count);
}

static qn_status separate(probe *p, void *user, unsigned turn) {
  (void)turn;
  const fusion_job *j = user;
  qn_status status = run(p, &j->product);
  if (!status) status = run(p, &j->bias);
  return status ? status : run(p, &j->relu);
}

static probe_launch pass_over(probe *p, const probe_product *m, const char *entry, bool bias) {
  const uint32_t n = (uint32_t)m->n;
  probe_launch l = {.entry = entry,
                    .grid = qn_grid_2d(n, n, 32, 8),
                    .count = bias ? 3 : 2,
                    .turns = 1,
                    .kernel = probe_kernel(p, probe_matmul_source, entry, NULL)};
  l.args[0][0] = qn_arg_buffer(m->c);
  if (bias) l.args[0][1] = qn_arg_buffer(m->bias);
  l.args[0][l.count - 1] = qn_arg_i32((int32_t)m->n);
  return l;
}

void probe_fusion_kernels(probe *p) {
  enum { TILE = 16 };
  probe_product m = probe_product_make(p);
  fusion_job j = {probe_product_tiled(p, &m, TILE, false), pass_over(p, &m, "add_bias", true),
                  pass_over(p, &m, "relu_in_place", false)};
  const probe_launch fused = probe_product_tiled(p, &m, TILE, true);
  probe_figure *f[2] = {probe_add(p, "fusion", NAN, PROBE_US, "product, bias, ReLU apart"),
                        probe_add(p, "fusion", NAN, PROBE_US, "in one kernel")};
  if (p->status) return;
  const double elements = (double)m.n * (double)m.n;
  for (int i = 0; i < 2; i++) {
    f[i]->flops = 2.0 * elements * (double)m.n;
    f[i]->local = probe_tiled_local_bytes(m.n, TILE);
  }
  f[1]->bytes = 12.0 * elements;                  /* A and B read, C written once */
  f[0]->bytes = f[1]->bytes + 2 * 8.0 * elements; /* and twice read and written */
  probe_time_work(p, f[0], separate, &j);
  const size_t bytes = (size_t)(m.n * m.n) * sizeof(float);
  probe_check_product(p, f[0], probe_fetch(p, m.c, bytes), m.n, true);
  probe_time(p, f[1], &fused);
  probe_check_product(p, f[1], probe_fetch(p, m.c, bytes), m.n, true);
  if (p->status) return;
  const double saved = f[0]->seconds.median - f[1]->seconds.median;
  probe_gain(p, f[0], f[1]);
  probe_say(p, "fused: %.4g MB less to move and %.3g us %s, of %.4g", 16e-6 * elements,
            1e6 * fabs(saved), saved >= 0.0 ? "less" : "more", 1e6 * f[0]->seconds.median);
}
