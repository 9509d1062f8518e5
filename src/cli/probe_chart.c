/* The chart of a probe: a panel for each row whose figures lie on curves. */
#include "cli/probe_report.h"
#include "plot/chart.h"
#include <math.h>
#include <string.h>

enum { PANELS_MOST = 8, CURVES_MOST = 7 };

typedef struct probe_panel {
  double x[PROBE_FIGURES_MOST], y[PROBE_FIGURES_MOST];
  qn_chart_series series[CURVES_MOST];
  size_t curves;
} probe_panel;

/* Figures of a curve stand together. */
static void fill_panel(probe_panel *panel, const probe_result *r) {
  for (unsigned i = 0; i < r->count; i++) {
    const probe_figure *f = &r->figure[i];
    if (!isfinite(f->x)) continue;
    panel->x[i] = f->x;
    panel->y[i] = probe_value(f);
    qn_chart_series *last = panel->curves ? &panel->series[panel->curves - 1] : NULL;
    if (last && strcmp(last->label, f->series) == 0) {
      last->count++;
    } else if (panel->curves < CURVES_MOST) {
      panel->series[panel->curves++] =
          (qn_chart_series){.kind = QN_SERIES_MARKED,
                            .label = f->series,
                            .colour = (qn_chart_colour)(QN_BLUE + (int)panel->curves - 1),
                            .count = 1,
                            .x = &panel->x[i],
                            .y = &panel->y[i]};
    }
  }
}

bool probe_draw(const probe_report *report, const char *path, char *error) {
  static probe_panel panels[PANELS_MOST];
  static qn_chart_panel list[PANELS_MOST];
  char subtitle[256];
  size_t count = 0;
  memset(panels, 0, sizeof panels);
  for (unsigned i = 0; i < report->done && count < PANELS_MOST; i++) {
    const probe_result *r = &report->result[i];
    if (!r->row->x || r->count == 0) continue;
    fill_panel(&panels[count], r);
    list[count] = (qn_chart_panel){
        .heading = r->row->name,
        .x = {.label = r->row->x, .scale = QN_SCALE_LOG2},
        .y = {.label = probe_unit_name(r->figure[0].unit), .scale = QN_SCALE_LOG10},
        .series = panels[count].series,
        .series_count = panels[count].curves};
    if (list[count].series_count > 0) count++;
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
