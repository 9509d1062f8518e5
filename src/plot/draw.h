/* The inside of the drawing: a pen over cairo, and the area of one panel. */
#ifndef QN_DRAW_H
#define QN_DRAW_H

#include "chart.h"
#include "ticks.h"
#include <cairo.h>

typedef enum qn_align { QN_ALIGN_LEFT, QN_ALIGN_CENTRE, QN_ALIGN_RIGHT } qn_align;

/* text.c. Sizes are heights of the font in user units; y is the base line. */
void qn_text_font(cairo_t *cr, double size, bool bold);
double qn_text_width(cairo_t *cr, const char *text);
void qn_text_draw(cairo_t *cr, const char *text, double x, double y, qn_align align);
/* As qn_text_draw over a white halo, for words among lines. */
void qn_text_halo(cairo_t *cr, const char *text, double x, double y, qn_align align);
/* Breaks `text` at blanks to lines of `width`; draws them from base line y on when `draw`. Returns
 * the number of lines. */
int qn_text_wrap(cairo_t *cr, const char *text, double x, double y, double width, double leading,
                 bool draw);

void qn_set_colour(cairo_t *cr, qn_chart_colour colour, double opacity);

/* The plot area of a panel and its ranges. */
typedef struct qn_area {
  double left, top, right, bottom;
  double x_low, x_high, y_low, y_high;
  const qn_chart_panel *panel;
} qn_area;

static inline double qn_area_x(const qn_area *a, double x) {
  return a->left + (a->right - a->left) * qn_axis_place(a->panel->x.scale, a->x_low, a->x_high, x);
}
static inline double qn_area_y(const qn_area *a, double y) {
  return a->bottom -
         (a->bottom - a->top) * qn_axis_place(a->panel->y.scale, a->y_low, a->y_high, y);
}

/* series.c */
void qn_draw_series(cairo_t *cr, const qn_area *area);
void qn_draw_notes(cairo_t *cr, const qn_area *area);
/* A sample of a series `width` wide at base line y, for the legend. */
void qn_draw_sample(cairo_t *cr, const qn_chart_series *series, double x, double y, double width);

/* layout.c: the whole figure. */
void qn_draw_figure(cairo_t *cr, const qn_chart_figure *figure, double width, double height);

#endif
