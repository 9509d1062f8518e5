/* Runs a triangular problem over packed panels, on a team of threads.
 *
 * The threads pack the triangle together, wait for one another, and take the right-hand sides panel
 * by panel, each with a panel of its own: no sum is split, so that the bits do not depend on how
 * many threads there are.
 *
 *   workspace   | blocks of the triangle ........ | panel of thread 0 | panel of thread 1 | ... */
#include "backends/cpu/tri_run.h"
#include "backends/cpu/threads.h"
#include "backends/cpu/tri_kernels.h"
#include "backends/cpu/workspace.h"
#include <math.h>
#include <stdatomic.h>

typedef struct job {
  const qn_tri_form *form;
  const qn_tri_kernels *kernels;
  bool solve;
  atomic_bool divide; /* some thread found an element whose reciprocal does not do */
  char *triangle, *panels;
  size_t panel_size;
} job;

/* Packs this thread's blocks, which are as many elements as any other's; false where a reciprocal
 * does not do. */
static bool pack_blocks(const job *j, qn_tri_use use, int thread, int threads) {
  int64_t blocks = qn_ceil_div(j->form->n, j->kernels->nr);
  int64_t first = (int64_t)((double)blocks * sqrt((double)thread / threads));
  int64_t last = (int64_t)((double)blocks * sqrt((double)(thread + 1) / threads));
  if (thread == threads - 1) last = blocks;
  return first == last || j->kernels->pack_triangle(j->form, use, first, last, j->triangle);
}

static void work(void *arg, int thread, int threads) {
  job *j = arg;
  const qn_tri_form *f = j->form;
  const qn_tri_kernels *kernels = j->kernels;
  qn_tri_use use = j->solve ? QN_TRI_SOLVE : QN_TRI_MULTIPLY;
  if (!pack_blocks(j, use, thread, threads)) atomic_store(&j->divide, true);
  qn_team_barrier(threads);
  bool divide = atomic_load(&j->divide);
  if (divide) {
    pack_blocks(j, QN_TRI_DIVIDE, thread, threads);
    qn_team_barrier(threads);
  }
  char *panel = j->panels + (size_t)thread * j->panel_size;
  int64_t panels = qn_ceil_div(f->m, kernels->mr);
  int64_t end = panels * (thread + 1) / threads;
  for (int64_t i = panels * thread / threads; i < end; i++) {
    int64_t first = i * kernels->mr, count = qn_min64(kernels->mr, f->m - first);
    kernels->pack(f, first, count, panel);
    if (j->solve) {
      kernels->solve(f->n, divide, j->triangle, panel);
    } else {
      kernels->multiply(f->n, j->triangle, panel);
    }
    kernels->unpack(f, first, count, panel);
  }
}

/* Threads worth having: each has a panel to work on and room for it. */
static int team_size(const qn_tri_form *f, const qn_tri_kernels *kernels, size_t panel_size) {
  double flops = (double)f->n * (double)f->n * (double)f->m;
  int64_t threads = qn_team_size(qn_dtype_is_complex(f->dtype) ? 4 * flops : flops);
  threads = qn_min64(threads, qn_ceil_div(f->m, kernels->mr));
  return (int)qn_max64(1, qn_min64(threads, (int64_t)(QN_TRI_PANELS_SIZE / panel_size)));
}

qn_status qn_tri_run(const qn_tri_form *f, bool solve, const char *function) {
  const qn_tri_kernels *kernels = qn_tri_kernels_get(f->dtype);
  size_t panel = (size_t)(qn_round_up(f->n, kernels->nr) * kernels->mr) * qn_dtype_size(f->dtype);
  size_t triangle = kernels->triangle_size(f->n);
  triangle = (triangle + QN_HOST_ALIGN - 1) / QN_HOST_ALIGN * QN_HOST_ALIGN;
  int threads = team_size(f, kernels, panel);
  qn_workspace workspace = qn_workspace_get(triangle + panel * (size_t)threads);
  if (!workspace.memory)
    return qn_fail(QN_ENOMEM, function, "workspace of %zu bytes",
                   triangle + panel * (size_t)threads);
  job j = {.form = f,
           .kernels = kernels,
           .solve = solve,
           .triangle = workspace.memory,
           .panels = (char *)workspace.memory + triangle,
           .panel_size = panel};
  atomic_init(&j.divide, false);
  qn_team_run(threads, work, &j);
  qn_workspace_put(workspace);
  return QN_OK;
}
