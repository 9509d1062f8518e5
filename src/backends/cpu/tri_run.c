/* Runs a triangular problem over packed panels, on a team of threads.
 *
 * The triangle is cut into strips, and a strip into the rectangles before it and the triangle at
 * its end. These are the stages of the work: a solve takes them in this order, a product from the
 * end,
 *
 *      0               right-hand sides are packed by chunks that stay so from the first stage to
 *      1 2             the last.
 *      3 4 5
 *
 * Each thread has its range of right-hand sides and packs every stage for itself: to fetch what
 * another core has just written costs more than to pack it again, and nobody waits for anybody. No
 * sum is split between threads.
 *
 *   workspace   | stage of thread 0 | stage of thread 1 | ... | panel | panel | ...              */
#include "backends/cpu/tri_run.h"
#include "backends/cpu/threads.h"
#include "backends/cpu/tri_kernels.h"
#include "backends/cpu/workspace.h"
#include <math.h>

/* Bytes: of a packed stage, a quarter of a usual second-level cache, and of all threads' stages; of
 * all packed right-hand sides: 1024 of 1024 unknowns in f32 fit, with what rounding adds. */
enum { STAGE_SIZE = 256 << 10, STAGES_SIZE = 3584 << 10, PANELS_SIZE = 4608 << 10 };

typedef struct job {
  const qn_tri_form *form;
  const qn_tri_kernels *kernels;
  bool solve;
  qn_tri_use use;
  int64_t blocks, strips, strip; /* of all; strips, and blocks in one (the last may have fewer) */
  int64_t room;                  /* panels packed at a time, at least one a thread */
  size_t size;                   /* bytes of an element */
  char *stages, *panels;
  size_t stage_size, panel_size;
} job;

/* One stage: rows of strip s by columns of strip c, c = s being the triangle. */
typedef struct stage {
  int64_t first, last; /* blocks of rows */
  int64_t row, n;      /* their first unknown, and how many */
  int64_t column, k;   /* unknowns of the columns */
  bool triangle;
} stage;

/* The first unknown of block `block`: block 0 holds what n leaves over a multiple of nr. */
static int64_t unknown_of(const job *j, int64_t block) {
  return block == 0 ? 0 : j->form->n - (j->blocks - block) * j->kernels->nr;
}

static stage stage_of(const job *j, int64_t s, int64_t c) {
  stage g = {.first = s * j->strip,
             .last = qn_min64((s + 1) * j->strip, j->blocks),
             .column = unknown_of(j, c * j->strip),
             .triangle = s == c};
  g.row = unknown_of(j, g.first);
  g.n = unknown_of(j, g.last) - g.row;
  g.k = unknown_of(j, qn_min64((c + 1) * j->strip, j->blocks)) - g.column;
  return g;
}

/* The triangle at the end of a strip, as a problem of its own. */
static qn_tri_form corner_of(const qn_tri_form *f, const stage *g, size_t size) {
  qn_tri_form corner = *f;
  corner.a = (const char *)f->a + (ptrdiff_t)g->row * (f->ai + f->aj) * (ptrdiff_t)size;
  corner.n = g->n;
  return corner;
}

static void pack_stage(const job *j, const stage *g, void *packed) {
  if (g->triangle) {
    qn_tri_form corner = corner_of(j->form, g, j->size);
    j->kernels->pack_triangle(&corner, j->use, packed);
  } else {
    j->kernels->pack_rectangle(j->form, g->row, g->column, g->k, g->last - g->first, packed);
  }
}

static void run_stage(const job *j, const stage *g, const void *packed, char *panel) {
  size_t step = (size_t)j->kernels->mr * j->size, block = step * (size_t)j->kernels->nr;
  char *out = panel + (size_t)g->first * block;
  if (!g->triangle) {
    int64_t pad = j->blocks * j->kernels->nr - j->form->n;
    j->kernels->update(g->k, g->last - g->first, j->solve, packed,
                       panel + (size_t)(pad + g->column) * step, out, j->panel_size);
  } else if (j->solve) {
    j->kernels->solve(g->n, j->use == QN_TRI_DIVIDE, packed, out, j->panel_size);
  } else {
    j->kernels->multiply(g->n, packed, out, j->panel_size);
  }
}

/* Panels first .. last-1 of right-hand sides through all stages; `ready` says that the only stage
 * is packed already. */
static void run_chunk(const job *j, int64_t first, int64_t last, char *panels, void *packed,
                      bool ready) {
  const int64_t from = first * j->kernels->mr;
  const int64_t count = qn_min64(last * j->kernels->mr, j->form->m) - from;
  j->kernels->pack(j->form, from, count, panels, j->panel_size);
  for (int64_t i = 0; i < j->strips; i++) {
    int64_t s = j->solve ? i : j->strips - 1 - i;
    for (int64_t c = 0; c <= s; c++) {
      stage g = stage_of(j, s, j->solve ? c : (c ? c - 1 : s));
      if (!ready) pack_stage(j, &g, packed);
      for (int64_t p = 0; p < last - first; p++)
        run_stage(j, &g, packed, panels + (size_t)p * j->panel_size);
    }
  }
  j->kernels->unpack(j->form, from, count, panels, j->panel_size);
}

/* A thread's panels in as few chunks as its room allows, all of a size: each costs a packing of the
 * triangle. */
static void work(void *arg, int thread, int threads) {
  const job *j = arg;
  int64_t panels = qn_ceil_div(j->form->m, j->kernels->mr), most = j->room / threads;
  int64_t first = panels * thread / threads, last = panels * (thread + 1) / threads;
  int64_t chunk = qn_ceil_div(last - first, qn_max64(1, qn_ceil_div(last - first, most)));
  char *memory = j->panels + (size_t)(most * thread) * j->panel_size;
  for (int64_t i = first; i < last; i += chunk)
    run_chunk(j, i, qn_min64(i + chunk, last), memory, j->stages + (size_t)thread * j->stage_size,
              i > first && j->strips == 1);
}

/* The cut into strips: one where the whole triangle fits a stage, else as even as can be. */
static void cut_strips(job *j, size_t stage_size) {
  int64_t nr = j->kernels->nr, n = j->blocks * nr;
  double elements = (double)stage_size / (double)j->size;
  j->strips = 1;
  if ((double)(n + nr) * (double)n / 2 > elements)
    j->strips = qn_ceil_div(n, (int64_t)sqrt(elements) / nr * nr);
  j->strip = qn_ceil_div(j->blocks, j->strips);
  j->strips = qn_ceil_div(j->blocks, j->strip);
}

qn_status qn_tri_run(const qn_tri_form *f, bool solve, const char *function) {
  const qn_tri_kernels *kernels = qn_tri_kernels_get(f->dtype);
  job j = {.form = f, .kernels = kernels, .solve = solve, .size = qn_dtype_size(f->dtype)};
  j.use = !solve ? QN_TRI_MULTIPLY : kernels->reciprocals_do(f) ? QN_TRI_SOLVE : QN_TRI_DIVIDE;
  j.blocks = qn_ceil_div(f->n, kernels->nr);
  j.panel_size = (size_t)(j.blocks * kernels->nr * kernels->mr) * j.size;

  /* A team no larger than there are panels, and than panels that may be packed at a time. */
  int64_t panels = qn_ceil_div(f->m, kernels->mr);
  j.room = qn_max64(1, qn_min64(panels, (int64_t)(PANELS_SIZE / j.panel_size)));
  double flops = (double)f->n * (double)f->n * (double)f->m;
  int threads = qn_team_size(qn_dtype_is_complex(f->dtype) ? 4 * flops : flops);
  threads = (int)qn_min64(threads, j.room);
  cut_strips(&j, (size_t)qn_min64(STAGE_SIZE, STAGES_SIZE / threads));
  if (j.strips == 1) j.room = threads;

  j.stage_size = (size_t)(j.strip * kernels->nr * (j.strip + 1) * kernels->nr) * j.size;
  if (j.strips == 1) j.stage_size /= 2;
  j.stage_size = (j.stage_size + QN_HOST_ALIGN - 1) / QN_HOST_ALIGN * QN_HOST_ALIGN;
  size_t total = j.stage_size * (size_t)threads + (size_t)j.room * j.panel_size;
  qn_workspace workspace = qn_workspace_get(total);
  if (!workspace.memory) return qn_fail(QN_ENOMEM, function, "workspace of %zu bytes", total);
  j.stages = workspace.memory;
  j.panels = j.stages + (size_t)threads * j.stage_size;
  qn_team_run(threads, work, &j);
  qn_workspace_put(workspace);
  return QN_OK;
}

int64_t qn_tri_block(const qn_cpu_triangular *p) {
  int64_t order = p->a.rows, others = p->side == QN_LEFT ? p->b.cols : p->b.rows;
  int64_t chunk = PANELS_SIZE / (int64_t)qn_dtype_size(p->dtype) / qn_max64(order, 1);
  return others <= chunk ? qn_max64(order, 1024) : 1024;
}
