/* The marks of a panel: lines, points, steps, bands and notes. */
#include "draw.h"
#include <math.h>

static double line_width(const qn_chart_series *s) {
  return s->width > 0.0 ? s->width : 1.6;
}

static double marker_radius(const qn_chart_series *s) {
  if (s->kind == QN_SERIES_POINTS) return s->width > 0.0 ? s->width : 2.0;
  return line_width(s) + 1.2;
}

static void set_dash(cairo_t *cr, const qn_chart_series *s) {
  static const double dash[] = {5.0, 3.5};
  if (s->dashed)
    cairo_set_dash(cr, dash, 2, 0.0);
  else
    cairo_set_dash(cr, NULL, 0, 0.0);
}

/* Where point i falls, to an eighth of a unit (short numbers in an SVG); false when it is not
 * finite (on these scales). */
static bool place(const qn_area *area, const qn_chart_series *s, size_t i, const double *values,
                  double *x, double *y) {
  *x = round(8.0 * qn_area_x(area, s->x[i])) / 8.0;
  *y = round(8.0 * qn_area_y(area, values[i])) / 8.0;
  return isfinite(*x) && isfinite(*y);
}

static void trace_line(cairo_t *cr, const qn_area *area, const qn_chart_series *s) {
  bool drawing = false;
  double x, y, last = 0.0;
  for (size_t i = 0; i < s->count; i++) {
    if (!place(area, s, i, s->y, &x, &y)) {
      drawing = false;
      continue;
    }
    if (!drawing) {
      cairo_move_to(cr, x, y);
    } else {
      if (s->kind == QN_SERIES_STEPS) cairo_line_to(cr, x, last);
      cairo_line_to(cr, x, y);
    }
    drawing = true;
    last = y;
  }
}

/* Each finite stretch of the band is one polygon: along y forwards, along y2 backwards. */
static void trace_band(cairo_t *cr, const qn_area *area, const qn_chart_series *s) {
  double x, y;
  for (size_t begin = 0; begin < s->count;) {
    size_t end = begin;
    while (end < s->count && place(area, s, end, s->y, &x, &y)) {
      double unused_x, unused_y;
      if (!place(area, s, end, s->y2, &unused_x, &unused_y)) break;
      if (end == begin)
        cairo_move_to(cr, x, y);
      else
        cairo_line_to(cr, x, y);
      end++;
    }
    for (size_t i = end; i > begin; i--) {
      place(area, s, i - 1, s->y2, &x, &y);
      cairo_line_to(cr, x, y);
    }
    if (end > begin) cairo_close_path(cr);
    begin = end + 1;
  }
}

/* A dot is a line of no length with round ends: one short path for all dots keeps an SVG small. */
static void dot(cairo_t *cr, double x, double y) {
  cairo_move_to(cr, x, y);
  cairo_line_to(cr, x, y);
}

static void stroke_dots(cairo_t *cr, double radius) {
  cairo_set_dash(cr, NULL, 0, 0.0);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_width(cr, 2.0 * radius);
  cairo_stroke(cr);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

static void draw_markers(cairo_t *cr, const qn_area *area, const qn_chart_series *s) {
  double x, y;
  for (size_t i = 0; i < s->count; i++)
    if (place(area, s, i, s->y, &x, &y)) dot(cr, x, y);
  stroke_dots(cr, marker_radius(s));
}

static void draw_one(cairo_t *cr, const qn_area *area, const qn_chart_series *s) {
  qn_set_colour(cr, s->colour,
                s->opacity > 0.0            ? s->opacity
                : s->kind == QN_SERIES_BAND ? 0.25
                                            : 1);
  if (s->kind == QN_SERIES_BAND) {
    trace_band(cr, area, s);
    cairo_fill(cr);
    return;
  }
  if (s->kind != QN_SERIES_POINTS) {
    cairo_set_line_width(cr, line_width(s));
    set_dash(cr, s);
    trace_line(cr, area, s);
    cairo_stroke(cr);
  }
  if (s->kind == QN_SERIES_POINTS || s->kind == QN_SERIES_MARKED) draw_markers(cr, area, s);
}

void qn_draw_series(cairo_t *cr, const qn_area *area) {
  cairo_save(cr);
  /* room for half a marker at the edges */
  cairo_rectangle(cr, area->left - 2, area->top - 2, area->right - area->left + 4,
                  area->bottom - area->top + 4);
  cairo_clip(cr);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (size_t i = 0; i < area->panel->series_count; i++)
    draw_one(cr, area, &area->panel->series[i]);
  cairo_restore(cr);
}

void qn_draw_notes(cairo_t *cr, const qn_area *area) {
  for (size_t i = 0; i < area->panel->note_count; i++) {
    const qn_chart_note *note = &area->panel->notes[i];
    double x = qn_area_x(area, note->x), y = qn_area_y(area, note->y);
    qn_align align = QN_ALIGN_CENTRE;
    if (note->side == QN_NOTE_ABOVE || note->side == QN_NOTE_OVER) y -= 7;
    if (note->side == QN_NOTE_RIGHT || note->side == QN_NOTE_OVER) align = QN_ALIGN_LEFT, x += 6;
    if (note->side == QN_NOTE_LEFT) align = QN_ALIGN_RIGHT, x -= 6;
    if (note->side == QN_NOTE_RIGHT || note->side == QN_NOTE_LEFT) y += 4;
    qn_set_colour(cr, note->colour, 1.0);
    qn_text_halo(cr, note->text, x, y, align);
  }
}

void qn_draw_sample(cairo_t *cr, const qn_chart_series *s, double x, double y, double width) {
  double middle = y - 4;
  cairo_save(cr);
  if (s->kind == QN_SERIES_BAND) {
    qn_set_colour(cr, s->colour, s->opacity > 0.0 ? s->opacity : 0.25);
    cairo_rectangle(cr, x, middle - 5, width, 10);
    cairo_fill(cr);
  } else {
    qn_set_colour(cr, s->colour, 1.0);
    if (s->kind != QN_SERIES_POINTS) {
      cairo_set_line_width(cr, fmax(line_width(s), 1.2));
      set_dash(cr, s);
      cairo_move_to(cr, x, middle);
      cairo_line_to(cr, x + width, middle);
      cairo_stroke(cr);
    }
    if (s->kind == QN_SERIES_POINTS || s->kind == QN_SERIES_MARKED) {
      dot(cr, x + width / 2, middle);
      stroke_dots(cr, fmax(marker_radius(s), 2.0));
    }
  }
  cairo_restore(cr);
}
