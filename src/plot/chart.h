/* Charts: a figure is described by plain data and written as SVG or PNG.
 *
 *   +--------------------------------------+
 *   | title                                |   A figure is a column of panels that share their left
 *   | subtitle                             |   and right edges. A panel has its heading, a row of
 *   |  heading  y label                    |   legend entries, axes, and series drawn in order.
 *   |  -- a  .. b   (legend)               |
 *   | y |                                  |   Nothing is copied or kept: a figure and all it
 * points |   |________                          |   to need to live only as long as the call. | x |
 *   | caption                              |
 *   +--------------------------------------+
 *
 * Rendering needs cairo; without it qn_chart_write fails and says so. */
#ifndef QN_CHART_H
#define QN_CHART_H

#include <stdbool.h>
#include <stddef.h>

typedef enum qn_chart_scale {
  QN_SCALE_LINEAR,
  QN_SCALE_LOG10,
  QN_SCALE_LOG2,
  QN_SCALE_BYTES /* as LOG2, told in Ki, Mi ... from 1024 on */
} qn_chart_scale;

typedef struct qn_chart_axis {
  const char *label; /* with its unit; NULL for none */
  qn_chart_scale scale;
  double low, high; /* alike: taken from the data */
  bool unmarked;    /* no ticks: places stand for nothing but their order (x alone) */
} qn_chart_axis;

/* Told apart in print and by colour-blind readers (Okabe and Ito's set, without its yellow). */
typedef enum qn_chart_colour {
  QN_INK,
  QN_BLUE,
  QN_VERMILION,
  QN_GREEN,
  QN_ORANGE,
  QN_SKY,
  QN_PURPLE,
  QN_GREY
} qn_chart_colour;

typedef enum qn_chart_kind {
  QN_SERIES_LINE,
  QN_SERIES_MARKED, /* a line with a marker at each point */
  QN_SERIES_POINTS,
  QN_SERIES_STEPS, /* holds y[i] from x[i] to x[i+1] */
  QN_SERIES_BAND   /* filled between y and y2 */
} qn_chart_kind;

/* A point whose x or y is not finite is left out and breaks a line. */
typedef struct qn_chart_series {
  qn_chart_kind kind;
  const char *label; /* in the legend; NULL keeps it out */
  qn_chart_colour colour;
  double width;   /* of lines, or the radius of points, in 1/96 inch; 0 for the default */
  double opacity; /* 0 for the default: 1, bands 0.25 */
  bool dashed;
  size_t count;
  const double *x, *y, *y2; /* y2: bands only */
} qn_chart_series;

/* A word beside a place of the panel. */
typedef struct qn_chart_note {
  const char *text;
  double x, y; /* in the axes' units */
  enum {
    QN_NOTE_RIGHT,
    QN_NOTE_LEFT,
    QN_NOTE_ABOVE,
    QN_NOTE_OVER
  } side; /* where the text lies; OVER begins at the place, ABOVE has it in the middle */
  qn_chart_colour colour;
} qn_chart_note;

typedef struct qn_chart_panel {
  const char *heading; /* NULL for none */
  qn_chart_axis x, y;
  const qn_chart_series *series;
  size_t series_count;
  const qn_chart_note *notes;
  size_t note_count;
  double share; /* of the figure's height, relative to the other panels; 0 is 1 */
} qn_chart_panel;

typedef struct qn_chart_figure {
  const char *title, *subtitle, *caption; /* each may be NULL; the caption is wrapped */
  double width, height; /* in 1/96 inch; 0 for 800 x 500. PNG has 2 pixels a unit */
  const qn_chart_panel *panels;
  size_t panel_count; /* QN_CHART_PANELS at most; further ones are not drawn */
} qn_chart_figure;

enum { QN_CHART_ERROR = 256, QN_CHART_PANELS = 16 };

/* Writes the figure to `path`, whose name ends in .svg or .png; an old file is replaced only when
 * the new one is whole. On failure: false, and `error` says why in one line. */
bool qn_chart_write(const qn_chart_figure *figure, const char *path, char error[QN_CHART_ERROR]);

/* Whether this build has cairo. */
bool qn_chart_available(void);

#endif
