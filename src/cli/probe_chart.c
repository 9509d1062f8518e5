/* The chart of a probe: a panel for each unit of a row whose figures lie on curves.
 *
 *   GB/s |    .--- in, pinned         A curve is the figures of one series, wherever they stand
 *        |  .'  - - without           among the row's. A figure at x = 0, where a logarithmic axis
 *        |_.___________               has no place, is a dashed line across. */
#include "cli/probe_report.h"
#include "plot/chart.h"
#include <math.h>
#include <string.h>

enum { CURVES_MOST = 7, LABEL = 48 };

typedef struct probe_curve {
  const char *name;
  double x[PROBE_FIGURES_MOST], y[PROBE_FIGURES_MOST];
  double at_zero[2], across[2]; /* y at x = 0, over the panel's ends; NAN: none */
  size_t count;
  char label[LABEL];
} probe_curve;

typedef struct probe_panel {
  probe_unit unit;
  probe_curve curve[CURVES_MOST];
  qn_chart_series series[2 * CURVES_MOST];
  size_t curves, series_count;
} probe_panel;

static probe_curve *curve_of(probe_panel *panel, const char *name) {
  for (size_t c = 0; c < panel->curves; c++)
    if (strcmp(panel->curve[c].name, name) == 0) return &panel->curve[c];
  if (panel->curves == CURVES_MOST) return NULL;
  probe_curve *curve = &panel->curve[panel->curves++];
  *curve = (probe_curve){.name = name, .at_zero = {NAN, NAN}};
  return curve;
}

static void fill_panel(probe_panel *panel, const probe_result *r, probe_unit unit) {
  *panel = (probe_panel){.unit = unit};
  for (unsigned i = 0; i < r->count; i++) {
    const probe_figure *f = &r->figure[i];
    probe_curve *curve = isfinite(f->x) && f->unit == unit ? curve_of(panel, f->series) : NULL;
    if (!curve) continue;
    if (f->x == 0.0) {
      curve->at_zero[0] = curve->at_zero[1] = probe_value(f);
    } else {
      curve->x[curve->count] = f->x;
      curve->y[curve->count++] = probe_value(f);
    }
  }
}

static void add_series(probe_panel *panel) {
  for (size_t c = 0; c < panel->curves; c++) {
    probe_curve *curve = &panel->curve[c];
    const qn_chart_series marked = {.kind = QN_SERIES_MARKED,
                                    .label = curve->name,
                                    .colour = (qn_chart_colour)(QN_BLUE + (int)c),
                                    .count = curve->count,
                                    .x = curve->x,
                                    .y = curve->y};
    panel->series[panel->series_count++] = marked;
    if (!isfinite(curve->at_zero[0]) || curve->count == 0) continue;
    curve->across[0] = curve->x[0];
    curve->across[1] = curve->x[curve->count - 1];
    snprintf(curve->label, sizeof curve->label, "%.40s, 0", curve->name);
    qn_chart_series level = marked;
    level.kind = QN_SERIES_LINE;
    level.label = curve->label;
    level.dashed = true;
    level.count = 2;
    level.x = curve->across;
    level.y = curve->at_zero;
    panel->series[panel->series_count++] = level;
  }
}

static qn_chart_panel draw_panel(probe_panel *panel, const probe_row *row) {
  const bool bytes = strncmp(row->x, "bytes ", strlen("bytes ")) == 0;
  add_series(panel);
  return (qn_chart_panel){.heading = row->name,
                          .x = {.label = row->x, .scale = bytes ? QN_SCALE_BYTES : QN_SCALE_LOG2},
                          .y = {.label = probe_unit_name(panel->unit), .scale = QN_SCALE_LOG10},
                          .series = panel->series,
                          .series_count = panel->series_count};
}

bool probe_draw(const probe_report *report, const char *path, char *error) {
  static probe_panel panels[QN_CHART_PANELS]; /* too large for a stack */
  qn_chart_panel list[QN_CHART_PANELS];
  char subtitle[256];
  size_t count = 0;
  for (unsigned i = 0; i < report->done; i++) {
    const probe_result *r = &report->result[i];
    for (int unit = PROBE_GBS; unit <= PROBE_US && r->row->x && count < QN_CHART_PANELS; unit++) {
      fill_panel(&panels[count], r, (probe_unit)unit);
      if (panels[count].curves == 0) continue;
      list[count] = draw_panel(&panels[count], r->row);
      count++;
    }
  }
  if (count == 0) {
    snprintf(error, QN_CHART_ERROR, "%s: none of these rows has a curve to draw", path);
    return false;
  }
  snprintf(subtitle, sizeof subtitle, "%s: %s (%s)", report->device.id, report->device.name,
           report->device.arch);
  const qn_chart_figure figure = {.title = "quern probe",
                                  .subtitle = subtitle,
                                  .height = 100.0 + 230.0 * (double)count,
                                  .panels = list,
                                  .panel_count = count};
  return qn_chart_write(&figure, path, error);
}
