/* Charts as files and as pixels. Without cairo: that the library says so. */
#include "plot/chart.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char name[128];

static const char *in_folder(const char *file) {
  snprintf(name, sizeof name, "%s/%s", folder, file);
  return name;
}

static int make_folder(void **unused) {
  (void)unused;
  strcpy(folder, "/tmp/quern_chart.XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused) {
  (void)unused;
  return rmdir(folder); /* fails when something was left behind */
}

static const double xs[] = {0, 1, 2, 3, 4}, ys[] = {1, 1, 1, 1, 1}, zeros[5];
static const qn_chart_series band = {.kind = QN_SERIES_BAND,
                                     .label = "band",
                                     .colour = QN_VERMILION,
                                     .opacity = 1.0,
                                     .count = 5,
                                     .x = xs,
                                     .y = ys,
                                     .y2 = zeros};
static const qn_chart_panel panel = {.heading = "heading",
                                     .x = {.label = "x", .high = 4},
                                     .y = {.label = "y", .high = 2},
                                     .series = &band,
                                     .series_count = 1};
static const qn_chart_figure figure = {.title = "title",
                                       .caption = "caption",
                                       .width = 400,
                                       .height = 300,
                                       .panels = &panel,
                                       .panel_count = 1};

#ifdef HAVE_CAIRO
#include "plot/draw.h"
#include <math.h>

static size_t read_file(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t got = fread(text, 1, size - 1, file);
  text[got] = '\0';
  fclose(file);
  return got;
}

static void svg_and_png(void **unused) {
  (void)unused;
  static char text[1 << 20];
  char error[QN_CHART_ERROR];
  assert_true(qn_chart_available());
  assert_true(qn_chart_write(&figure, in_folder("c.svg"), error));
  read_file(in_folder("c.svg"), text, sizeof text);
  assert_non_null(strstr(text, "<svg"));
  assert_non_null(strstr(text, "viewBox=\"0 0 400 300\""));
  assert_non_null(strstr(text, "</svg>"));
  assert_true(qn_chart_write(&figure, in_folder("c.PNG"), error));
  assert_true(read_file(in_folder("c.PNG"), text, sizeof text) > 1000);
  assert_memory_equal(text, "\x89PNG", 4);
  assert_memory_equal(text + 16, "\0\0\x03\x20\0\0\x02\x58", 8); /* 800 x 600 */
  unlink(in_folder("c.svg"));
  unlink(in_folder("c.PNG"));
}

static void failures_leave_the_old_file(void **unused) {
  (void)unused;
  char error[QN_CHART_ERROR] = "", text[16];
  assert_false(qn_chart_write(&figure, in_folder("chart.jpg"), error));
  assert_non_null(strstr(error, "chart.jpg"));
  assert_false(qn_chart_write(&figure, "/nonexistent/folder/c.svg", error));
  assert_non_null(strstr(error, "/nonexistent/folder/c.svg"));
  assert_false(qn_chart_write(&figure, "/nonexistent/folder/c.png", error));
  /* a folder in the way: neither replaced nor littered with a temporary file */
  assert_int_equal(mkdir(in_folder("c.svg"), 0700), 0);
  assert_false(qn_chart_write(&figure, in_folder("c.svg"), error));
  assert_int_equal(rmdir(in_folder("c.svg")), 0);
  FILE *old = fopen(in_folder("old.svg"), "wb");
  fputs("old", old);
  fclose(old);
  assert_true(qn_chart_write(&figure, in_folder("old.svg"), error));
  read_file(in_folder("old.svg"), text, sizeof text);
  assert_string_not_equal(text, "old");
  unlink(in_folder("old.svg"));
}

/* Pixels of a figure drawn at one pixel a unit. */
static unsigned count_pixels(const qn_chart_figure *f, unsigned rgb) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 400, 300);
  cairo_t *cr = cairo_create(surface);
  qn_draw_figure(cr, f, 400, 300);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  const unsigned char *data = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface);
  unsigned count = 0;
  for (int y = 0; y < 300; y++) {
    for (int x = 0; x < 400; x++) {
      unsigned pixel;
      memcpy(&pixel, data + y * stride + 4 * x, 4);
      count += (pixel & 0xffffff) == rgb;
    }
  }
  cairo_surface_destroy(surface);
  return count;
}

/* The band fills half of the plot area; with its middle point missing it ends a quarter short on
 * either side, and half of it is left. */
static void a_band_covers_its_share(void **unused) {
  (void)unused;
  double gap[5] = {1, 1, NAN, 1, 1};
  qn_chart_series broken = band;
  qn_chart_panel broken_panel = panel;
  qn_chart_figure broken_figure = figure;
  broken.y = gap;
  broken_panel.series = &broken;
  broken_figure.panels = &broken_panel;
  double whole = count_pixels(&figure, 0xd55e00), half = count_pixels(&broken_figure, 0xd55e00);
  assert_true(whole > 0.2 * 400 * 300 * 0.5);
  assert_true(fabs(half / whole - 0.5) < 0.02);
}

/* No data, one point, a text longer than the figure, all scales: nothing may fail. */
static void odd_figures(void **unused) {
  (void)unused;
  char error[QN_CHART_ERROR], caption[3000];
  memset(caption, 'w', sizeof caption - 1);
  caption[sizeof caption - 1] = '\0';
  qn_chart_series one = {.kind = QN_SERIES_MARKED, .label = caption, .count = 1, .x = ys, .y = ys};
  qn_chart_panel panels[3] = {{.x = {.scale = QN_SCALE_LOG10}},
                              {.series = &one, .series_count = 1, .y = {.scale = QN_SCALE_LOG2}},
                              {.series = &one, .series_count = 1}};
  qn_chart_figure odd = {.caption = caption, .height = 200, .panels = panels, .panel_count = 3};
  assert_true(qn_chart_write(&odd, in_folder("odd.png"), error));
  unlink(in_folder("odd.png"));
  assert_true(qn_chart_write(&(qn_chart_figure){0}, in_folder("none.svg"), error));
  unlink(in_folder("none.svg"));
}
#else
static void says_what_is_missing(void **unused) {
  (void)unused;
  char error[QN_CHART_ERROR] = "";
  assert_false(qn_chart_available());
  assert_false(qn_chart_write(&figure, in_folder("c.svg"), error));
  assert_non_null(strstr(error, "libcairo2-dev"));
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef HAVE_CAIRO
      cmocka_unit_test(svg_and_png),
      cmocka_unit_test(failures_leave_the_old_file),
      cmocka_unit_test(a_band_covers_its_share),
      cmocka_unit_test(odd_figures),
#else
      cmocka_unit_test(says_what_is_missing),
#endif
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
