/* A figure to a file: cairo's SVG and PNG surfaces, a temporary name, then rename. */
#include "draw.h"
#include <cairo-svg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PIXELS_A_UNIT = 2 };

bool qn_chart_available(void) {
  return true;
}

static bool ends_in(const char *path, const char *suffix) {
  size_t length = strlen(path), tail = strlen(suffix);
  return length > tail && strcasecmp(path + length - tail, suffix) == 0;
}

static cairo_status_t render(const qn_chart_figure *figure, bool svg, const char *path) {
  double width = figure->width > 0.0 ? figure->width : 800.0;
  double height = figure->height > 0.0 ? figure->height : 500.0;
  cairo_surface_t *surface;
  if (svg) {
    surface = cairo_svg_surface_create(path, width, height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
  } else {
    surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * PIXELS_A_UNIT),
                                         (int)(height * PIXELS_A_UNIT));
    cairo_surface_set_device_scale(surface, PIXELS_A_UNIT, PIXELS_A_UNIT);
  }
  cairo_t *cr = cairo_create(surface);
  qn_draw_figure(cr, figure, width, height);
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  if (status == CAIRO_STATUS_SUCCESS && !svg) status = cairo_surface_write_to_png(surface, path);
  cairo_surface_finish(surface); /* writes the SVG */
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  return status;
}

bool qn_chart_write(const qn_chart_figure *figure, const char *path, char error[QN_CHART_ERROR]) {
  bool svg = ends_in(path, ".svg");
  if (!svg && !ends_in(path, ".png")) {
    snprintf(error, QN_CHART_ERROR, "%s: a chart's name ends in .svg or .png", path);
    return false;
  }
  char temporary[4096];
  int length = snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  if (length < 0 || (size_t)length >= sizeof temporary) {
    snprintf(error, QN_CHART_ERROR, "%.200s...: the name is too long", path);
    return false;
  }
  cairo_status_t status = render(figure, svg, temporary);
  if (status != CAIRO_STATUS_SUCCESS) {
    snprintf(error, QN_CHART_ERROR, "%s: %s", path, cairo_status_to_string(status));
  } else if (rename(temporary, path) != 0) {
    snprintf(error, QN_CHART_ERROR, "%s: cannot be replaced", path);
    status = CAIRO_STATUS_WRITE_ERROR;
  }
  if (status != CAIRO_STATUS_SUCCESS) unlink(temporary);
  return status == CAIRO_STATUS_SUCCESS;
}
