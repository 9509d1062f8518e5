/* The picture: the record and the forecast, some of the futures, and the chance of passing the
 * threshold. */
#include "co2_forecast.h"
#include "chart.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTEXT = 3 * CO2_YEAR }; /* months of record beside the forecast in the closer view */

/* Everything that the series point to. */
typedef struct picture {
  double record_time[CO2_MAX_MONTHS], later_time[CO2_MAX_MONTHS], time[CO2_MAX_MONTHS];
  double low[CO2_MAX_MONTHS], high[CO2_MAX_MONTHS];
  double above[CO2_MAX_MONTHS], year_above[CO2_LEVELS][CO2_MAX_MONTHS];
  double edge_time[2], edge[2]; /* the threshold's line */
  char labels[8][96];
  qn_chart_series whole[4], close[5 + CO2_SHOWN], chance[1 + CO2_LEVELS];
  qn_chart_note note;
  qn_chart_panel panels[3];
} picture;

static void times(double *t, int first, int count) {
  for (int i = 0; i < count; i++) t[i] = co2_time(first + i);
}

static void prepare(picture *p, const co2_forecast *f) {
  times(p->record_time, f->record.first, f->record.count);
  times(p->later_time, f->later.first, f->later.count);
  times(p->time, f->first, f->months);
  for (int i = 0; i < f->months; i++) {
    double two_sigma = 2.0 * sqrt(f->covariance[i + i * f->months]);
    p->low[i] = f->mean[i] - two_sigma;
    p->high[i] = f->mean[i] + two_sigma;
    p->above[i] = 100.0 * f->above[i];
    for (int level = 0; level < CO2_LEVELS; level++)
      p->year_above[level][i] = i < CO2_YEAR - 1 ? NAN : 100.0 * f->year_above[level][i];
  }
  p->edge_time[0] = co2_time(f->first - CONTEXT);
  p->edge_time[1] = CO2_END + 1;
  p->edge[0] = p->edge[1] = f->threshold;
}

/* From 1958 on. */
static qn_chart_panel whole_panel(picture *p, const co2_forecast *f) {
  size_t n = (size_t)f->record.count, m = (size_t)f->months, later = (size_t)f->later.count;
  p->whole[0] = (qn_chart_series){.kind = QN_SERIES_BAND,
                                  .label = "two sigma",
                                  .colour = QN_SKY,
                                  .opacity = 0.45,
                                  .count = m,
                                  .x = p->time,
                                  .y = p->low,
                                  .y2 = p->high};
  p->whole[1] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                  .label = "record",
                                  .colour = QN_INK,
                                  .width = 0.9,
                                  .count = n,
                                  .x = p->record_time,
                                  .y = f->record.ppm};
  p->whole[2] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                  .label = "forecast",
                                  .colour = QN_BLUE,
                                  .width = 0.9,
                                  .count = m,
                                  .x = p->time,
                                  .y = f->mean};
  p->whole[3] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                  .label = "recorded since, not used",
                                  .colour = QN_VERMILION,
                                  .width = 0.9,
                                  .count = later,
                                  .x = p->later_time,
                                  .y = f->later.ppm};
  return (qn_chart_panel){.heading = "The whole record",
                          .x = {.low = 1957, .high = CO2_END + 1.5},
                          .y = {.label = "ppm, monthly means"},
                          .series = p->whole,
                          .series_count = later ? 4 : 3,
                          .share = 1.5};
}

/* The years about the forecast, with some futures. */
static qn_chart_panel close_panel(picture *p, const co2_forecast *f) {
  static const qn_chart_colour colours[] = {QN_ORANGE, QN_GREEN, QN_PURPLE, QN_GREY};
  size_t m = (size_t)f->months, later = (size_t)f->later.count, count = 0;
  int context = f->record.count < CONTEXT ? f->record.count : CONTEXT;
  int skipped = f->record.count - context;
  snprintf(p->labels[0], sizeof p->labels[0], "%d of the futures", CO2_SHOWN);
  snprintf(p->labels[1], sizeof p->labels[1], "%.0f ppm", f->threshold);
  p->close[count] = p->whole[0];
  p->close[count++].label = NULL;
  for (int s = 0; s < CO2_SHOWN; s++)
    p->close[count++] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                          .label = s ? NULL : p->labels[0],
                                          .colour = colours[s % 4],
                                          .width = 0.7,
                                          .opacity = 0.8,
                                          .count = m,
                                          .x = p->time,
                                          .y = f->shown[s]};
  p->close[count++] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                        .colour = QN_BLUE,
                                        .width = 1.7,
                                        .count = m,
                                        .x = p->time,
                                        .y = f->mean};
  p->close[count++] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                        .colour = QN_INK,
                                        .width = 1.3,
                                        .count = (size_t)context,
                                        .x = p->record_time + skipped,
                                        .y = f->record.ppm + skipped};
  if (later)
    p->close[count++] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                          .colour = QN_VERMILION,
                                          .width = 1.3,
                                          .count = later,
                                          .x = p->later_time,
                                          .y = f->later.ppm};
  p->close[count++] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                        .colour = QN_INK,
                                        .width = 0.9,
                                        .dashed = true,
                                        .count = 2,
                                        .x = p->edge_time,
                                        .y = p->edge};
  p->note = (qn_chart_note){p->labels[1], p->edge_time[0], f->threshold, QN_NOTE_OVER, QN_INK};
  return (qn_chart_panel){.heading = "The years to come",
                          .x = {.low = p->edge_time[0], .high = p->edge_time[1]},
                          .y = {.label = "ppm"},
                          .series = p->close,
                          .series_count = count,
                          .notes = &p->note,
                          .note_count = 1,
                          .share = 2.0};
}

static qn_chart_panel chance_panel(picture *p, const co2_forecast *f) {
  static const qn_chart_colour colours[CO2_LEVELS] = {QN_GREEN, QN_ORANGE, QN_BLUE};
  size_t m = (size_t)f->months;
  for (int level = 0; level < CO2_LEVELS; level++) {
    char *label = p->labels[2 + level];
    snprintf(label, sizeof p->labels[0], "%.0f ppm", co2_level(f, level));
    p->chance[level] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                         .label = label,
                                         .colour = colours[level],
                                         .width = 2.0,
                                         .count = m,
                                         .x = p->time,
                                         .y = p->year_above[level]};
  }
  char *label = p->labels[2 + CO2_LEVELS];
  snprintf(label, sizeof p->labels[0], "%.0f ppm in the single month", f->threshold);
  p->chance[CO2_LEVELS] = (qn_chart_series){.kind = QN_SERIES_LINE,
                                            .label = label,
                                            .colour = QN_SKY,
                                            .width = 1.1,
                                            .count = m,
                                            .x = p->time,
                                            .y = p->above};
  return (qn_chart_panel){.heading = "Chance",
                          .x = {.low = p->edge_time[0], .high = p->edge_time[1]},
                          .y = {.label = "% of the futures whose mean of twelve months is above",
                                .low = 0,
                                .high = 100},
                          .series = p->chance,
                          .series_count = 1 + CO2_LEVELS,
                          .share = 1.2};
}

bool co2_draw(const co2_forecast *f, const char *directory) {
  static picture p;
  char title[128], caption[512], path[4096], error[QN_CHART_ERROR];
  if (!qn_chart_available()) {
    printf("no chart: this build lacks cairo (Debian: libcairo2-dev)\n");
    return true;
  }
  prepare(&p, f);
  p.panels[0] = whole_panel(&p, f);
  p.panels[1] = close_panel(&p, f);
  p.panels[2] = chance_panel(&p, f);
  snprintf(title, sizeof title, "Carbon dioxide at Mauna Loa to %d, in %lld possible futures",
           CO2_END, (long long)f->futures);
  snprintf(
      caption, sizeof caption,
      "Gaussian process over a quadratic trend, given %d monthly means up to %d-%02d. It knows "
      "the curve alone, nothing of emissions or climate. Data: NOAA Global Monitoring "
      "Laboratory and Scripps Institution of Oceanography.",
      f->record.count, (f->first - 1) / CO2_YEAR, (f->first - 1) % CO2_YEAR + 1);
  qn_chart_figure figure = {.title = title,
                            .caption = caption,
                            .width = 800,
                            .height = 900,
                            .panels = p.panels,
                            .panel_count = 3};
  static const char *const suffixes[] = {"svg", "png"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/co2_forecast.%s", directory, suffixes[i]);
    if (!qn_chart_write(&figure, path, error)) {
      fprintf(stderr, "co2_forecast: %s\n", error);
      return false;
    }
    printf("wrote %s\n", path);
  }
  return true;
}
