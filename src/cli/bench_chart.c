/* The chart of a bench: a panel a dtype, rate over order, ours as lines and the peer dashed. */
#include "cli/bench_grid.h"
#include "plot/chart.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES_MOST = 7, LABEL = 64 };

typedef struct bench_curve {
  char label[LABEL], peer_label[LABEL];
  double *x, *ours, *peer;
  size_t count;
} bench_curve;

typedef struct bench_panel {
  bench_curve curve[CURVES_MOST];
  size_t curves;
  qn_chart_series series[2 * CURVES_MOST];
} bench_panel;

static double size_of(const bench_problem *p) {
  if (p->routine != BENCH_GEMM) return (double)bench_order(p);
  return cbrt((double)p->m * (double)p->n * (double)p->k);
}

/* What tells one curve from another: side, right-hand sides, threads. */
static void label_of(const bench_grid *grid, const bench_cell *cell, char label[LABEL]) {
  const bench_problem *p = &cell->problem;
  char kind[32] = "", threads[24] = "";
  if (p->routine == BENCH_TRMM || p->routine == BENCH_TRSM) {
    const int64_t nrhs = p->side == QN_LEFT ? p->n : p->m;
    if (nrhs == bench_order(p)) {
      snprintf(kind, sizeof kind, " %c, nrhs n", p->side);
    } else {
      snprintf(kind, sizeof kind, " %c, nrhs %lld", p->side, (long long)nrhs);
    }
  }
  if (grid->cell[0].threads != grid->cell[grid->count - 1].threads)
    snprintf(threads, sizeof threads, " (%d)", cell->threads);
  snprintf(label, LABEL, "%s%s", kind, threads);
}

static bench_curve *curve_of(bench_panel *panel, const bench_grid *grid, const bench_cell *cell) {
  char label[LABEL];
  label_of(grid, cell, label);
  for (size_t c = 0; c < panel->curves; c++)
    if (strcmp(panel->curve[c].label + strlen("ours"), label) == 0) return &panel->curve[c];
  if (panel->curves == CURVES_MOST) return NULL;
  bench_curve *curve = &panel->curve[panel->curves];
  snprintf(curve->label, LABEL, "ours%.58s", label);
  snprintf(curve->peer_label, LABEL, "peer%.58s", label);
  curve->x = calloc(3 * grid->count, sizeof *curve->x);
  if (!curve->x) return NULL;
  curve->ours = curve->x + grid->count;
  curve->peer = curve->ours + grid->count;
  panel->curves++;
  return curve;
}

static void fill_panel(bench_panel *panel, const bench_grid *grid, qn_dtype dtype) {
  for (size_t i = 0; i < grid->done; i++) {
    const bench_cell *cell = &grid->cell[i];
    if (cell->problem.dtype != dtype) continue;
    bench_curve *curve = curve_of(panel, grid, cell);
    if (!curve) continue;
    curve->x[curve->count] = size_of(&cell->problem);
    curve->ours[curve->count] = cli_rate(cell, &cell->ours);
    curve->peer[curve->count++] = cell->compared ? cli_rate(cell, &cell->peer) : NAN;
  }
}

static qn_chart_panel draw_panel(bench_panel *panel, const bench_grid *grid, qn_dtype dtype) {
  size_t count = 0;
  for (size_t c = 0; c < panel->curves; c++) {
    const bench_curve *curve = &panel->curve[c];
    const qn_chart_series ours = {.kind = QN_SERIES_MARKED,
                                  .label = curve->label,
                                  .colour = (qn_chart_colour)(QN_BLUE + (int)c),
                                  .count = curve->count,
                                  .x = curve->x,
                                  .y = curve->ours};
    qn_chart_series peer = ours;
    peer.label = curve->peer_label;
    peer.dashed = true;
    peer.y = curve->peer;
    panel->series[count++] = ours;
    if (grid->peer) panel->series[count++] = peer;
  }
  const bool gemm = grid->cell[0].problem.routine == BENCH_GEMM;
  return (qn_chart_panel){
      .heading = qn_dtype_name(dtype),
      .x = {.label = gemm ? "(m n k)^(1/3)" : "order", .scale = QN_SCALE_LOG2},
      .y = {.label = "GFLOP/s"},
      .series = panel->series,
      .series_count = count,
  };
}

bool cli_draw_grid(const bench_grid *grid, const char *path, char *error) {
  bench_panel *panels = calloc(QN_DTYPE_COUNT, sizeof *panels);
  qn_chart_panel list[QN_DTYPE_COUNT];
  size_t count = 0;
  snprintf(error, QN_CHART_ERROR, "out of memory");
  if (!panels) return false;
  for (int dtype = 0; dtype < QN_DTYPE_COUNT; dtype++) {
    fill_panel(&panels[dtype], grid, (qn_dtype)dtype);
    if (panels[dtype].curves == 0) continue;
    list[count++] = draw_panel(&panels[dtype], grid, (qn_dtype)dtype);
  }
  char title[64], subtitle[256];
  snprintf(title, sizeof title, "quern bench %s",
           bench_routine_name(grid->cell[0].problem.routine));
  snprintf(subtitle, sizeof subtitle, "%s: %s (%s)", grid->device.id, grid->device.name,
           grid->device.arch);
  const qn_chart_figure figure = {.title = title,
                                  .subtitle = subtitle,
                                  .caption = grid->peer,
                                  .height = 120.0 + 300.0 * (double)count,
                                  .panels = list,
                                  .panel_count = count};
  const bool good = qn_chart_write(&figure, path, error);
  for (int dtype = 0; dtype < QN_DTYPE_COUNT; dtype++)
    for (size_t c = 0; c < panels[dtype].curves; c++) free(panels[dtype].curve[c].x);
  free(panels);
  return good;
}
