/* The picture of a roofline: a panel a dtype, both axes logarithmic.
 *
 *      |          ______________ f64 tensor 62 TFLOP/s       horizontal: arithmetic
 *      |         /  .  .
 *      |        /______________ f64 33 TFLOP/s
 *      |   /   / .                                           sloping: bandwidth of memory, of the
 *      |  /   / .                                            best cache
 *      +----------------- */
#include "cli/roofline.h"
#include "plot/chart.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES_MOST = 10, SERIES_MOST = 32, PANELS_MOST = QN_DTYPE_COUNT, LABEL = 64 };

/* A panel and all that it needs to live. */
typedef struct roof_panel {
  qn_dtype dtype;
  double x_low, x_high, y_low, y_high;
  double names_from; /* where those of horizontal lines begin: right of all points and ridges */
  double x[SERIES_MOST][ROOF_POINTS_MOST / 4], y[SERIES_MOST][ROOF_POINTS_MOST / 4];
  char label[SERIES_MOST][LABEL], note_text[LINES_MOST][LABEL];
  qn_chart_series series[SERIES_MOST];
  qn_chart_note note[LINES_MOST];
  size_t series_count, note_count;
} roof_panel;

static bool has_dtype(const roof *r, qn_dtype dtype) {
  for (size_t i = 0; r && i < r->count; i++)
    if (r->point[i].dtype == dtype) return true;
  return false;
}

static double top_of(const roof *r, qn_dtype dtype) {
  probe_arithmetic list[2];
  const int count = roof_arithmetics(r, dtype, list);
  double top = 0.0;
  for (int i = 0; i < count; i++) top = fmax(top, r->ceilings.compute[list[i]]);
  return top;
}

/* Room for all points and for the ridge, where memory and arithmetic meet. */
static void extend(roof_panel *p, const roof *r) {
  const double top = top_of(r, p->dtype);
  p->x_low = fmin(p->x_low, top / roof_cache(r) / 8.0); /* room for the name of the caches' line */
  p->names_from = fmax(p->names_from, 1.1 * top / r->ceilings.memory);
  p->y_high = fmax(p->y_high, 2.5 * top);
  for (size_t i = 0; i < r->count; i++) {
    const roof_point *point = &r->point[i];
    if (point->dtype != p->dtype) continue;
    p->x_low = fmin(p->x_low, 0.5 * roof_intensity(point));
    p->names_from = fmax(p->names_from, 1.25 * roof_intensity(point));
    p->y_low = fmin(p->y_low, 0.5 * roof_rate(point));
    p->y_high = fmax(p->y_high, 1.5 * roof_rate(point));
  }
}

/* For names: less than a sixth of the width left of the caches' line, less than a quarter behind
 * the last point. */
static void make_room(roof_panel *p, const roof *r) {
  const double left = 1.0 / 6.0, right = 0.3; /* of what lies left of the names */
  const double ridge = top_of(r, p->dtype) / roof_cache(r);
  const double high = p->names_from * pow(p->names_from / p->x_low, right);
  if (ridge > 0.0)
    p->x_low = fmin(p->x_low, pow(0.7 * ridge / pow(high, left), 1.0 / (1.0 - left)));
  p->x_high = p->names_from * pow(p->names_from / p->x_low, right);
}

static qn_chart_series *add_series(roof_panel *p, qn_chart_kind kind, qn_chart_colour colour,
                                   bool dashed) {
  const size_t s = p->series_count++;
  p->series[s] = (qn_chart_series){
      .kind = kind, .colour = colour, .dashed = dashed, .x = p->x[s], .y = p->y[s]};
  return &p->series[s];
}

static void add_line(roof_panel *p, bool dashed, double x0, double y0, double x1, double y1) {
  if (p->series_count == SERIES_MOST) return;
  const size_t s = p->series_count;
  qn_chart_series *line = add_series(p, QN_SERIES_LINE, QN_INK, dashed);
  p->x[s][0] = x0, p->y[s][0] = y0;
  p->x[s][1] = x1, p->y[s][1] = y1;
  line->count = 2;
  line->opacity = 0.7;
}

/* "4.27 TB/s", "33.1 TFLOP/s" of a value in 10^9 */
static void format_rate(char *text, const char *name, double giga, const char *unit) {
  const bool tera = giga >= 1000.0;
  snprintf(text, LABEL, "%s %.3g %c%s", name, tera ? giga / 1000.0 : giga, tera ? 'T' : 'G', unit);
}

static void add_note(roof_panel *p, double x, double y, int side) {
  qn_chart_note *note = &p->note[p->note_count];
  *note = (qn_chart_note){.text = p->note_text[p->note_count], .x = x, .y = y, .colour = QN_INK};
  note->side = side;
  p->note_count++;
}

/* The sloping lines end where the highest arithmetic begins. Their names stand at the foot. */
static void add_ceilings(roof_panel *p, const roof *r, bool dashed) {
  const double top = top_of(r, p->dtype), slopes[] = {r->ceilings.memory, roof_cache(r)};
  probe_arithmetic list[2];
  const int count = roof_arithmetics(r, p->dtype, list);
  if (count == 0) return;
  static const char *const names[] = {"memory", "caches"};
  for (int i = 0; i < 2; i++) {
    const double x0 = fmax(p->x_low, p->y_low / slopes[i]);
    add_line(p, dashed, x0, x0 * slopes[i], top / slopes[i], top);
    if (dashed) continue;
    /* memory's name stands under the line near its foot, clear of points; the caches' over
     * theirs, left of the ridge */
    const double low = r->ceilings.compute[list[0]] / slopes[i];
    const double place = i ? 0.7 * top / slopes[i] : x0 * pow(low / x0, 0.25);
    format_rate(p->note_text[p->note_count], names[i], slopes[i], "B/s");
    add_note(p, place, place * slopes[i] * pow(p->y_high / p->y_low, i ? 0.03 : -0.03),
             i ? QN_NOTE_LEFT : QN_NOTE_RIGHT);
  }
  for (int i = 0; i < count; i++) {
    const double rate = r->ceilings.compute[list[i]];
    add_line(p, dashed, rate / roof_cache(r), rate, p->x_high, rate);
    if (dashed) continue;
    format_rate(p->note_text[p->note_count], probe_arithmetic_name(list[i]), rate, "FLOP/s");
    add_note(p, p->names_from, rate, QN_NOTE_OVER);
  }
}

/* Whether the legend has it: of two machines' curves one entry is enough. */
static bool named(const roof_panel *p, const char *label) {
  for (size_t s = 0; s < p->series_count; s++)
    if (p->series[s].label && strcmp(p->series[s].label, label) == 0) return true;
  return false;
}

static void add_points(roof_panel *p, const roof *r, bool dashed) {
  static const qn_chart_colour colours[BENCH_ROUTINE_COUNT] = {[BENCH_GEMM] = QN_BLUE,
                                                               [BENCH_TRMM] = QN_ORANGE,
                                                               [BENCH_TRSM] = QN_VERMILION,
                                                               [BENCH_POTRF] = QN_GREEN};
  for (int routine = 0; routine < BENCH_ROUTINE_COUNT && p->series_count < SERIES_MOST; routine++) {
    const size_t s = p->series_count;
    size_t count = 0;
    for (size_t i = 0; i < r->count && count < sizeof p->x[s] / sizeof p->x[s][0]; i++) {
      const roof_point *point = &r->point[i];
      if (point->dtype != p->dtype || (int)point->routine != routine) continue;
      p->x[s][count] = roof_intensity(point);
      p->y[s][count++] = roof_rate(point);
    }
    if (count == 0) continue;
    qn_chart_series *series = add_series(p, QN_SERIES_MARKED, colours[routine], dashed);
    series->count = count;
    if (named(p, bench_routine_name((bench_routine)routine))) continue;
    snprintf(p->label[s], LABEL, "%s", bench_routine_name((bench_routine)routine));
    series->label = p->label[s];
  }
}

static void make_panel(roof_panel *p, qn_dtype dtype, const roof *r, const roof *other,
                       qn_chart_panel *panel) {
  memset(p, 0, sizeof *p);
  p->dtype = dtype;
  p->x_low = p->y_low = INFINITY;
  extend(p, r);
  if (other) extend(p, other);
  make_room(p, r);
  add_ceilings(p, r, false);
  if (other) add_ceilings(p, other, true);
  add_points(p, r, false);
  if (other) add_points(p, other, true);
  *panel = (qn_chart_panel){
      .heading = qn_dtype_name(dtype),
      .x = {.label = "operations a byte",
            .scale = QN_SCALE_LOG10,
            .low = p->x_low,
            .high = p->x_high},
      .y = {.label = "GFLOP/s", .scale = QN_SCALE_LOG10, .low = p->y_low, .high = p->y_high},
      .series = p->series,
      .series_count = p->series_count,
      .notes = p->note,
      .note_count = p->note_count,
  };
}

static void describe(char *text, size_t size, const roof *r) {
  char clock[32] = "", threads[32] = "";
  if (r->clock_mhz) snprintf(clock, sizeof clock, ", %u MHz", r->clock_mhz);
  if (r->threads) snprintf(threads, sizeof threads, ", %d threads", r->threads);
  snprintf(text, size, "%s%s%s%s%s", r->device, *r->driver ? ", " : "", r->driver, clock, threads);
}

bool roof_draw(const roof *r, const roof *other, const char *path, char *error) {
  static roof_panel panels[PANELS_MOST]; /* too large for a stack */
  qn_chart_panel list[PANELS_MOST];
  size_t count = 0;
  for (int dtype = 0; dtype < QN_DTYPE_COUNT; dtype++) {
    if (!has_dtype(r, (qn_dtype)dtype) && !has_dtype(other, (qn_dtype)dtype)) continue;
    make_panel(&panels[count], (qn_dtype)dtype, r, other, &list[count]);
    count++;
  }
  char first[320], second[320] = "", caption[900];
  describe(first, sizeof first, r);
  if (other) describe(second, sizeof second, other);
  snprintf(
      caption, sizeof caption,
      "Ceilings measured in the same run: bandwidth of memory and of the best cache, and "
      "arithmetic by chains of multiply-adds. Each line joins the sizes of a routine; operations "
      "and bytes are counted, each operand once.%s%s",
      other ? " Dashed: " : "", second);
  const qn_chart_figure figure = {.title = "Roofline",
                                  .subtitle = first,
                                  .caption = caption,
                                  .height = 130.0 + 330.0 * (double)count,
                                  .panels = list,
                                  .panel_count = count};
  return qn_chart_write(&figure, path, error);
}
