/* Where everything of a figure stands. */
#include "draw.h"
#include <math.h>

enum { MARGIN = 18, TITLE = 18, HEADING = 13, SMALL = 12, SAMPLE = 22 };

/* One panel as laid out: its area and the ticks that fit. */
typedef struct panel_layout {
  qn_area area;
  qn_tick x_ticks[QN_TICKS_MAX], y_ticks[QN_TICKS_MAX];
  int x_count, y_count;
} panel_layout;

/* ---- ranges ---- */

static void extend(double value, bool positive, double *low, double *high) {
  if (!isfinite(value) || (positive && value <= 0.0)) return;
  *low = fmin(*low, value);
  *high = fmax(*high, value);
}

static void axis_range(const qn_chart_panel *panel, bool vertical, double *low, double *high) {
  const qn_chart_axis *axis = vertical ? &panel->y : &panel->x;
  *low = axis->low;
  *high = axis->high;
  if (*low < *high) return;
  bool positive = axis->scale != QN_SCALE_LINEAR;
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t s = 0; s < panel->series_count; s++) {
    const qn_chart_series *series = &panel->series[s];
    for (size_t i = 0; i < series->count; i++) {
      extend(vertical ? series->y[i] : series->x[i], positive, low, high);
      if (vertical && series->kind == QN_SERIES_BAND) extend(series->y2[i], positive, low, high);
    }
  }
  if (*low > *high) *low = *high = 1.0; /* no data at all */
  qn_axis_range(axis->scale, low, high);
}

/* ---- measuring ---- */

static double figure_header(const qn_chart_figure *figure) {
  return (figure->title ? TITLE + 6 : 0) + (figure->subtitle ? SMALL + 6 : 0);
}

/* Draws the legend in rows of `width` when `draw`; returns the number of rows. */
static int legend(cairo_t *cr, const qn_chart_panel *panel, double left, double y, double width,
                  bool draw) {
  double x = left;
  int rows = 0;
  qn_text_font(cr, SMALL, false);
  for (size_t i = 0; i < panel->series_count; i++) {
    const qn_chart_series *s = &panel->series[i];
    if (!s->label) continue;
    double need = SAMPLE + 6 + qn_text_width(cr, s->label);
    if (rows == 0 || x + need > left + width) {
      x = left;
      rows++;
    }
    if (draw) {
      double base = y + (rows - 1) * (SMALL + 6);
      qn_draw_sample(cr, s, x, base, SAMPLE);
      qn_set_colour(cr, QN_INK, 1.0);
      qn_text_draw(cr, s->label, x + SAMPLE + 6, base, QN_ALIGN_LEFT);
    }
    x += need + 18;
  }
  return rows;
}

static double panel_header(cairo_t *cr, const qn_chart_panel *panel, double width) {
  double heading = panel->heading || panel->y.label ? HEADING + 8 : 0;
  return heading + legend(cr, panel, 0, 0, width, false) * (SMALL + 6) + 4;
}

static double panel_footer(const qn_chart_panel *panel) {
  return SMALL + 8 + (panel->x.label ? SMALL + 6 : 0);
}

static double widest(cairo_t *cr, const qn_tick *ticks, int count) {
  double width = 0;
  for (int i = 0; i < count; i++) width = fmax(width, qn_text_width(cr, ticks[i].text));
  return width;
}

/* The most x ticks whose labels keep a clear gap between them. */
static void fit_x_ticks(cairo_t *cr, panel_layout *p) {
  const qn_area *a = &p->area;
  p->x_count = 0;
  if (a->panel->x.unmarked) return;
  qn_text_font(cr, SMALL, false);
  for (int most = (int)((a->right - a->left) / 45.0); most >= 2; most--) {
    p->x_count = qn_axis_ticks(a->panel->x.scale, a->x_low, a->x_high, most, p->x_ticks);
    bool clear = true;
    for (int i = 1; i < p->x_count; i++) {
      double half =
          qn_text_width(cr, p->x_ticks[i - 1].text) / 2 + qn_text_width(cr, p->x_ticks[i].text) / 2;
      double gap = qn_area_x(a, p->x_ticks[i].value) - qn_area_x(a, p->x_ticks[i - 1].value);
      clear = clear && gap > half + 12;
    }
    if (clear) return;
  }
}

/* Sets the areas of all panels: they share the height by weight, and one left edge. */
static void lay_out(cairo_t *cr, const qn_chart_figure *figure, double width, double top,
                    double bottom, size_t count, panel_layout *layout) {
  double fixed = 0, shares = 0, left = 0;
  for (size_t i = 0; i < count; i++) {
    const qn_chart_panel *panel = &figure->panels[i];
    fixed += panel_header(cr, panel, width - 5 * MARGIN) + panel_footer(panel) + (i > 0 ? 8 : 0);
    shares += panel->share > 0.0 ? panel->share : 1.0;
  }
  double free_height = fmax(bottom - top - fixed, 40.0 * (double)count), y = top;
  for (size_t i = 0; i < count; i++) {
    panel_layout *p = &layout[i];
    p->area.panel = &figure->panels[i];
    axis_range(p->area.panel, false, &p->area.x_low, &p->area.x_high);
    axis_range(p->area.panel, true, &p->area.y_low, &p->area.y_high);
    p->area.top = y + panel_header(cr, p->area.panel, width - 5 * MARGIN) + (i > 0 ? 8 : 0);
    double share = p->area.panel->share > 0.0 ? p->area.panel->share : 1.0;
    p->area.bottom = p->area.top + free_height * share / shares;
    y = p->area.bottom + panel_footer(p->area.panel);
    int most = (int)fmax(2.0, (p->area.bottom - p->area.top) / 34.0);
    p->y_count =
        qn_axis_ticks(p->area.panel->y.scale, p->area.y_low, p->area.y_high, most, p->y_ticks);
    qn_text_font(cr, SMALL, false);
    left = fmax(left, widest(cr, p->y_ticks, p->y_count));
  }
  for (size_t i = 0; i < count; i++) {
    layout[i].area.left = MARGIN + left + 8;
    layout[i].area.right = width - MARGIN - 4;
    fit_x_ticks(cr, &layout[i]);
  }
}

/* ---- drawing ---- */

static void stroke_line(cairo_t *cr, double x0, double y0, double x1, double y1) {
  cairo_move_to(cr, x0, y0);
  cairo_line_to(cr, x1, y1);
  cairo_stroke(cr);
}

static void draw_axes(cairo_t *cr, const panel_layout *p) {
  const qn_area *a = &p->area;
  cairo_set_line_width(cr, 1.0);
  cairo_set_dash(cr, NULL, 0, 0.0);
  qn_text_font(cr, SMALL, false);
  for (int i = 0; i < p->y_count; i++) {
    double y = round(qn_area_y(a, p->y_ticks[i].value)) + 0.5;
    cairo_set_source_rgb(cr, 0.90, 0.90, 0.90);
    stroke_line(cr, a->left, y, a->right, y);
    qn_set_colour(cr, QN_INK, 0.85);
    qn_text_draw(cr, p->y_ticks[i].text, a->left - 6, y + 4, QN_ALIGN_RIGHT);
  }
  for (int i = 0; i < p->x_count; i++) {
    double x = round(qn_area_x(a, p->x_ticks[i].value)) + 0.5;
    cairo_set_source_rgb(cr, 0.90, 0.90, 0.90);
    stroke_line(cr, x, a->top, x, a->bottom);
    qn_set_colour(cr, QN_INK, 0.85);
    stroke_line(cr, x, a->bottom, x, a->bottom + 4);
    qn_text_draw(cr, p->x_ticks[i].text, x, a->bottom + SMALL + 6, QN_ALIGN_CENTRE);
  }
  qn_set_colour(cr, QN_INK, 0.85);
  double base = round(a->bottom) + 0.5;
  stroke_line(cr, a->left, base, a->right, base);
}

static void draw_words(cairo_t *cr, const panel_layout *p, double width) {
  const qn_area *a = &p->area;
  const qn_chart_panel *panel = a->panel;
  double y = a->top - panel_header(cr, panel, width - 5 * MARGIN) + HEADING + 2, x = MARGIN;
  qn_set_colour(cr, QN_INK, 1.0);
  if (panel->heading) {
    qn_text_font(cr, HEADING, true);
    qn_text_draw(cr, panel->heading, x, y, QN_ALIGN_LEFT);
    x += qn_text_width(cr, panel->heading) + 8;
  }
  if (panel->y.label) {
    qn_text_font(cr, SMALL, false);
    qn_set_colour(cr, QN_GREY, 1.0);
    qn_text_draw(cr, panel->y.label, x, y, QN_ALIGN_LEFT);
  }
  if (panel->heading || panel->y.label) y += SMALL + 6;
  legend(cr, panel, MARGIN, y, width - 5 * MARGIN, true);
  if (panel->x.label) {
    qn_text_font(cr, SMALL, false);
    qn_set_colour(cr, QN_GREY, 1.0);
    qn_text_draw(cr, panel->x.label, (a->left + a->right) / 2, a->bottom + 2 * SMALL + 11,
                 QN_ALIGN_CENTRE);
  }
}

void qn_draw_figure(cairo_t *cr, const qn_chart_figure *figure, double width, double height) {
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  double y = MARGIN;
  if (figure->title) {
    qn_text_font(cr, TITLE, true);
    qn_set_colour(cr, QN_INK, 1.0);
    qn_text_draw(cr, figure->title, MARGIN, y + TITLE - 4, QN_ALIGN_LEFT);
    y += TITLE + 6;
  }
  if (figure->subtitle) {
    qn_text_font(cr, SMALL, false);
    qn_set_colour(cr, QN_GREY, 1.0);
    qn_text_draw(cr, figure->subtitle, MARGIN, y + SMALL - 3, QN_ALIGN_LEFT);
  }
  double top = MARGIN + figure_header(figure), bottom = height - MARGIN;
  if (figure->caption) {
    qn_text_font(cr, SMALL, false);
    qn_set_colour(cr, QN_GREY, 1.0);
    int lines = qn_text_wrap(cr, figure->caption, MARGIN, 0, width - 2 * MARGIN, SMALL + 3, false);
    bottom -= lines * (SMALL + 3);
    qn_text_wrap(cr, figure->caption, MARGIN, bottom + SMALL + 3, width - 2 * MARGIN, SMALL + 3,
                 true);
    bottom -= 4;
  }
  panel_layout layout[QN_CHART_PANELS];
  size_t count = figure->panel_count < QN_CHART_PANELS ? figure->panel_count : QN_CHART_PANELS;
  lay_out(cr, figure, width, top, bottom, count, layout);
  for (size_t i = 0; i < count; i++) {
    draw_words(cr, &layout[i], width);
    draw_axes(cr, &layout[i]);
    qn_draw_series(cr, &layout[i].area);
    qn_text_font(cr, SMALL, false);
    qn_draw_notes(cr, &layout[i].area);
  }
}
