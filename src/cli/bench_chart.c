/* The chart of a bench: rate over order, the peer dashed.
 *
 *   a panel    for each dtype, number of threads and form: side, triangle, op
 *   a curve    for each number of right-hand sides, or for each variant; ours, and the peer's */
#include "cli/bench_grid.h"
#include "plot/chart.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 7, CURVES_MOST = 2 * COLOURS + 1, LABEL = 64 };

typedef struct bench_curve {
  char label[LABEL];
  qn_chart_colour colour;
  bool dashed;
  double *x, *y; /* ascending in x */
  size_t count;
} bench_curve;

typedef struct bench_panel {
  const bench_cell *first; /* the others have its dtype, threads and form */
  char heading[LABEL];
  bench_curve curve[CURVES_MOST];
  qn_chart_series series[CURVES_MOST];
  size_t curves, kinds; /* `kinds` of the curves are ours */
} bench_panel;

typedef struct bench_chart {
  const bench_grid *grid;
  bench_panel panel[QN_CHART_PANELS];
  size_t panels;
  const char *trouble; /* NULL: none so far */
} bench_chart;

static bool is_triangular(const bench_cell *cell) {
  return cell->problem.routine == BENCH_TRMM || cell->problem.routine == BENCH_TRSM;
}

static double size_of(const bench_problem *p) {
  if (p->routine != BENCH_GEMM) return (double)bench_order(p);
  return cbrt((double)p->m * (double)p->n * (double)p->k);
}

/* ---- from cells to curves ---- */

static void name_panel(bench_panel *panel, const bench_grid *grid) {
  const bench_cell *cell = panel->first;
  char side[16] = "", threads[32] = "";
  if (is_triangular(cell)) snprintf(side, sizeof side, ", side %s", cli_form(&cell->problem).text);
  if (grid->cell[0].threads != grid->cell[grid->count - 1].threads)
    snprintf(threads, sizeof threads, ", %d thread%s", cell->threads, cell->threads > 1 ? "s" : "");
  snprintf(panel->heading, LABEL, "%s%s%s", qn_dtype_name(cell->problem.dtype), side, threads);
}

static bench_panel *panel_of(bench_chart *chart, const bench_cell *cell) {
  for (size_t i = 0; i < chart->panels; i++) {
    const bench_cell *first = chart->panel[i].first;
    if (first->problem.dtype == cell->problem.dtype && first->threads == cell->threads &&
        (!is_triangular(cell) ||
         strcmp(cli_form(&first->problem).text, cli_form(&cell->problem).text) == 0))
      return &chart->panel[i];
  }
  if (chart->panels == QN_CHART_PANELS) {
    chart->trouble = "too many panels: one for each dtype, number of threads and form";
    return NULL;
  }
  bench_panel *panel = &chart->panel[chart->panels++];
  panel->first = cell;
  name_panel(panel, chart->grid);
  return panel;
}

static bench_curve *find_curve(bench_panel *panel, const char *label) {
  for (size_t c = 0; c < panel->curves; c++)
    if (strcmp(panel->curve[c].label, label) == 0) return &panel->curve[c];
  return NULL;
}

static bench_curve *add_curve(bench_chart *chart, bench_panel *panel, const char *label,
                              qn_chart_colour colour, bool dashed) {
  bench_curve *curve = &panel->curve[panel->curves];
  curve->x = calloc(2 * chart->grid->count, sizeof *curve->x);
  if (!curve->x) {
    chart->trouble = "out of memory";
    return NULL;
  }
  curve->y = curve->x + chart->grid->count;
  curve->colour = colour;
  curve->dashed = dashed;
  snprintf(curve->label, LABEL, "%s", label);
  panel->curves++;
  return curve;
}

/* Variants are told apart by dashes too, so that there may be twice as many. */
static bench_curve *our_curve(bench_chart *chart, bench_panel *panel, const char *label) {
  const size_t most = chart->grid->by_variant ? 2 * COLOURS : COLOURS;
  bench_curve *curve = find_curve(panel, label);
  if (curve) return curve;
  if (panel->kinds == most) {
    chart->trouble = "too many curves in a panel: 7, or 14 variants, can be told apart";
    return NULL;
  }
  const size_t kind = panel->kinds++;
  return add_curve(chart, panel, label, (qn_chart_colour)(QN_BLUE + (int)(kind % COLOURS)),
                   kind >= COLOURS);
}

/* In its place by x; a place that is taken keeps what it has. */
static void add_point(bench_curve *curve, double x, double y) {
  size_t at = curve->count;
  while (at > 0 && curve->x[at - 1] > x) at--;
  if (at > 0 && curve->x[at - 1] == x) return;
  const size_t behind = curve->count++ - at;
  memmove(&curve->x[at + 1], &curve->x[at], behind * sizeof *curve->x);
  memmove(&curve->y[at + 1], &curve->y[at], behind * sizeof *curve->y);
  curve->x[at] = x;
  curve->y[at] = y;
}

/* "ours, nrhs 64" or the variant's name, and the peer's, which all variants share. */
static void name_curves(const bench_cell *cell, char ours[LABEL], char peer[LABEL]) {
  const bench_problem *p = &cell->problem;
  const int64_t nrhs = p->side == QN_LEFT ? p->n : p->m;
  char kind[32] = "";
  if (is_triangular(cell)) snprintf(kind, sizeof kind, ", nrhs %lld", (long long)nrhs);
  if (is_triangular(cell) && nrhs == bench_order(p)) snprintf(kind, sizeof kind, ", nrhs n");
  snprintf(ours, LABEL, "ours%s", kind);
  snprintf(peer, LABEL, "peer%s", kind);
  if (cell->variant) snprintf(ours, LABEL, "%s", cell->variant);
}

static void add_cell(bench_chart *chart, const bench_cell *cell) {
  char ours[LABEL], peer[LABEL];
  bench_panel *panel = panel_of(chart, cell);
  if (!panel) return;
  name_curves(cell, ours, peer);
  bench_curve *curve = our_curve(chart, panel, ours);
  if (!curve) return;
  const double x = size_of(&cell->problem);
  add_point(curve, x, cli_rate(cell, &cell->ours));
  if (!cell->compared) return;
  bench_curve *beside = find_curve(panel, peer);
  if (!beside)
    beside = add_curve(chart, panel, peer, cell->variant ? QN_INK : curve->colour, !cell->variant);
  if (beside) add_point(beside, x, cli_rate(cell, &cell->peer));
}

static void free_chart(bench_chart *chart) {
  for (size_t i = 0; i < chart->panels; i++)
    for (size_t c = 0; c < chart->panel[i].curves; c++) free(chart->panel[i].curve[c].x);
  free(chart);
}

/* Of the first `count` cells; NULL without memory. */
static bench_chart *make_chart(const bench_grid *grid, size_t count) {
  bench_chart *chart = calloc(1, sizeof *chart);
  if (!chart) return NULL;
  chart->grid = grid;
  for (size_t i = 0; i < count && !chart->trouble; i++)
    if (!grid->cell[i].refused) add_cell(chart, &grid->cell[i]);
  return chart;
}

const char *cli_grid_undrawable(const bench_grid *grid) {
  bench_chart *chart = make_chart(grid, grid->count);
  if (!chart) return "out of memory";
  const char *trouble = chart->trouble;
  free_chart(chart);
  return trouble;
}

/* ---- from curves to the picture ---- */

static qn_chart_panel draw_panel(bench_panel *panel) {
  for (size_t c = 0; c < panel->curves; c++) {
    const bench_curve *curve = &panel->curve[c];
    panel->series[c] = (qn_chart_series){.kind = QN_SERIES_MARKED,
                                         .label = curve->label,
                                         .colour = curve->colour,
                                         .dashed = curve->dashed,
                                         .count = curve->count,
                                         .x = curve->x,
                                         .y = curve->y};
  }
  const bool gemm = panel->first->problem.routine == BENCH_GEMM;
  return (qn_chart_panel){
      .heading = panel->heading,
      .x = {.label = gemm ? "(m n k)^(1/3)" : "order", .scale = QN_SCALE_LOG2},
      .y = {.label = "GFLOP/s"},
      .series = panel->series,
      .series_count = panel->curves,
  };
}

bool cli_draw_grid(const bench_grid *grid, const char *path, char *error) {
  bench_chart *chart = make_chart(grid, grid->done);
  qn_chart_panel list[QN_CHART_PANELS];
  char title[64], subtitle[256];
  snprintf(error, QN_CHART_ERROR, "%s", chart && chart->trouble ? chart->trouble : "out of memory");
  if (!chart) return false;
  for (size_t i = 0; i < chart->panels; i++) list[i] = draw_panel(&chart->panel[i]);
  snprintf(title, sizeof title, "quern bench %s",
           bench_routine_name(grid->cell[0].problem.routine));
  snprintf(subtitle, sizeof subtitle, "%s: %s (%s)", grid->device.id, grid->device.name,
           grid->device.arch);
  const qn_chart_figure figure = {.title = title,
                                  .subtitle = subtitle,
                                  .caption = grid->peer,
                                  .height = 120.0 + 300.0 * (double)chart->panels,
                                  .panels = list,
                                  .panel_count = chart->panels};
  const bool good = !chart->trouble && qn_chart_write(&figure, path, error);
  free_chart(chart);
  return good;
}
