/* What more threads of the processor bring: to arithmetic all, to memory little. */
#include "probe/families.h"
#include <stdio.h>
#include <string.h>

/* Both ceilings' experiments with fewer threads. */
void probe_threads_cpu(probe *p) {
  const int all = qn_num_threads();
  const probe_figure *first = NULL, *last = NULL;
  for (int threads = 1; !p->status; threads = threads * 2 < all ? threads * 2 : all) {
    const unsigned before = p->result->count;
    p->status = qn_set_num_threads(threads);
    if (!p->status) probe_peak_cpu(p);
    if (!p->status) probe_memory_cpu(p);
    for (unsigned i = before; i < p->result->count; i++) {
      probe_figure *f = &p->result->figure[i];
      f->x = threads;
      char kept[sizeof f->variant];
      memcpy(kept, f->variant, sizeof kept);
      snprintf(f->variant, sizeof f->variant, "%d: %.34s", threads, kept);
      f->series =
          f->unit == PROBE_GFLOPS ? (f->arithmetic == PROBE_F64 ? "f64" : "f32") : f->series;
    }
    if (p->result->count <= before) break;
    last = &p->result->figure[before];
    if (!first) first = last;
    if (threads == all) break;
  }
  const qn_status status = qn_set_num_threads(all);
  if (!p->status) p->status = status;
  if (p->status || !last || all < 2) return;
  probe_say(p, "%d threads do %.3g times the arithmetic of one", all,
            probe_value(last) / probe_value(first));
}
