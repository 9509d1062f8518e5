/* The certificate as a page of text, as JSON and as a picture, and beside an earlier one. */
#include "cli/certify.h"
#include "cli/format.h"
#include "cli/json_parts.h"
#include "plot/chart.h"
#include <math.h>
#include <string.h>

certify_line *certify_add(certify_report *r, const char *section, const char *name, double value,
                          const char *unit) {
  certify_line *line = &r->line[r->count < CERTIFY_MOST ? r->count++ : CERTIFY_MOST - 1];
  *line = (certify_line){.section = section, .value = value, .unit = unit};
  snprintf(line->name, sizeof line->name, "%s", name);
  return line;
}

bool certify_passed(const certify_report *r) {
  bool passed = true;
  for (unsigned i = 0; i < r->count; i++) passed &= !r->line[i].wrong && !r->line[i].below;
  return passed;
}

/* ---- text ---- */

static const char *section_title(const char *section) {
  static const char *const titles[][2] = {
      {"ceilings", "measured ceilings"},
      {"ep", "EP of the NAS Parallel Benchmarks, verified by its published sums"},
      {"gemm", "products, from the naive kernel to the library's"},
      {"trsm", "solves with a triangle: order x right-hand sides"},
      {"accuracy", "errors in units of roundoff, and what they are held to"}};
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    if (strcmp(section, titles[i][0]) == 0) return titles[i][1];
  return section;
}

static void print_line(const certify_line *line) {
  printf("  %-32s %10s %-8s", line->name, cli_format_figure(line->value).text, line->unit);
  if (line->limit > 0.0) printf(" limit %-8s", cli_format_figure(line->limit).text);
  if (line->reference > 0.0) printf(" reference %-10s", cli_format_figure(line->reference).text);
  printf(" %s\n", line->wrong ? "WRONG" : line->below ? "BELOW" : "ok");
}

void certify_print(const certify_report *r) {
  printf("quern %s on %s: %s (%s)", qn_version_string(), r->device.id, r->device.name,
         r->device.arch);
  if (r->threads) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
  printf("\n");
  const char *section = "";
  for (int pass = 0; pass < 5; pass++) {
    static const char *const order[] = {"ceilings", "ep", "gemm", "trsm", "accuracy"};
    for (unsigned i = 0; i < r->count; i++) {
      const certify_line *line = &r->line[i];
      if (strcmp(line->section, order[pass]) != 0) continue;
      if (section != line->section) printf("\n%s\n", section_title(line->section));
      section = line->section;
      print_line(line);
    }
  }
  printf("\n%s\n", certify_passed(r) ? "PASSED" : "FAILED");
}

/* ---- JSON ---- */

cli_json *certify_json(const certify_report *r) {
  cli_json *root = cli_json_object(), *lines = cli_json_array();
  cli_json_integer(root, "format", 1);
  cli_json_text(root, "kind", "certificate");
  cli_json_text(root, "quern", qn_version_string());
  cli_json_set(root, "device", cli_device_json(&r->device));
  cli_json_integer(root, "threads", r->threads);
  cli_json_truth(root, "passed", certify_passed(r));
  for (unsigned i = 0; i < r->count; i++) {
    const certify_line *line = &r->line[i];
    cli_json *o = cli_json_object();
    cli_json_text(o, "section", line->section);
    cli_json_text(o, "name", line->name);
    cli_json_number(o, "value", line->value);
    cli_json_text(o, "unit", line->unit);
    if (line->limit > 0.0) cli_json_number(o, "limit", line->limit);
    if (line->reference > 0.0) cli_json_number(o, "reference", line->reference);
    cli_json_truth(o, "wrong", line->wrong);
    cli_json_truth(o, "below", line->below);
    cli_json_push(lines, o);
  }
  cli_json_set(root, "lines", lines);
  return root;
}

/* Rates must reach a share of the reference; errors are held to their limits alone. */
static void compare_line(certify_line *line, const cli_json *lines, double share) {
  for (size_t i = 0; i < cli_json_count(lines); i++) {
    const cli_json *o = cli_json_at(lines, i);
    const double value = cli_json_get_number(o, "value");
    if (strcmp(cli_json_get_text(o, "section"), line->section) != 0 ||
        strcmp(cli_json_get_text(o, "name"), line->name) != 0 || !(value > 0.0))
      continue;
    line->reference = value;
    line->below = line->limit <= 0.0 && line->value < share * value;
  }
}

int certify_load(const char *path, cli_json **reference) {
  char error[256];
  *reference = cli_json_load_ours(path, error, sizeof error);
  if (!*reference) return cli_error(CLI_MISUSED, "--against %s: %s", path, error);
  if (strcmp(cli_json_get_text(*reference, "kind"), "certificate") == 0 &&
      cli_json_count(cli_json_get(*reference, "lines")) > 0)
    return CLI_DONE;
  return cli_error(CLI_MISUSED, "--against %s: not a file of quern certify --json", path);
}

int certify_compare(certify_report *r, const cli_json *reference, double share) {
  const cli_json *lines = cli_json_get(reference, "lines");
  unsigned found = 0;
  for (unsigned i = 0; i < r->count; i++) {
    compare_line(&r->line[i], lines, share);
    found += r->line[i].reference > 0.0;
  }
  r->compared = true;
  if (found == 0) return cli_error(CLI_FAILED, "certify: the reference has none of these lines");
  if (found < cli_json_count(lines))
    cli_note("%zu lines of the reference were not measured here: of another order or device?",
             cli_json_count(lines) - found);
  return CLI_DONE;
}

/* ---- the picture ---- */

enum { CURVES = 3 };

typedef struct certify_curve {
  double x[CERTIFY_MOST], y[CERTIFY_MOST], reference[CERTIFY_MOST];
  qn_chart_note note[CERTIFY_MOST];
  qn_chart_series series[2];
  size_t count;
  double highest, lowest;
} certify_curve;

/* The lines of one section and unit from left to right, each with its name beside it. */
static qn_chart_panel panel_of(const certify_report *r, const char *section, certify_curve *c) {
  memset(c, 0, sizeof *c);
  c->lowest = INFINITY;
  for (unsigned i = 0; i < r->count; i++) {
    const certify_line *line = &r->line[i];
    if (strcmp(line->section, section) != 0 || !(line->value > 0.0)) continue;
    const size_t at = c->count++;
    c->x[at] = (double)at + 1.0;
    c->y[at] = line->value;
    c->reference[at] = line->limit > 0.0       ? line->limit
                       : line->reference > 0.0 ? line->reference
                                               : NAN;
    c->highest = fmax(c->highest, fmax(line->value, line->limit));
    c->lowest = fmin(c->lowest, line->value);
    c->note[at] = (qn_chart_note){.text = line->name,
                                  .x = c->x[at],
                                  .y = c->y[at],
                                  .side = at % 2 ? QN_NOTE_RIGHT : QN_NOTE_OVER,
                                  .colour = QN_INK};
  }
  const bool errors = strcmp(section, "accuracy") == 0;
  c->series[0] = (qn_chart_series){.kind = QN_SERIES_POINTS,
                                   .label = "measured",
                                   .colour = QN_BLUE,
                                   .width = 4.0,
                                   .count = c->count,
                                   .x = c->x,
                                   .y = c->y};
  c->series[1] = (qn_chart_series){.kind = QN_SERIES_POINTS,
                                   .label = errors ? "limit" : "reference",
                                   .colour = QN_VERMILION,
                                   .width = 3.0,
                                   .count = c->count,
                                   .x = c->x,
                                   .y = c->reference};
  return (qn_chart_panel){.heading = section_title(section),
                          .x = {.low = 0.5, .high = (double)c->count + 1.5, .unmarked = true},
                          .y = {.label = errors ? "u" : "GFLOP/s",
                                .scale = QN_SCALE_LOG10,
                                .low = c->lowest / 2.0,
                                .high = c->highest * 3.0},
                          .series = c->series,
                          .series_count = errors || r->compared ? 2 : 1,
                          .notes = c->note,
                          .note_count = c->count};
}

static void summarise(const certify_report *r, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (unsigned i = 0; i < r->count && used < size; i++) {
    const certify_line *line = &r->line[i];
    const bool ep = strcmp(line->section, "ep") == 0;
    if (!ep && strcmp(line->section, "ceilings") != 0) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s%s %s %s",
                             used ? ", " : "Ceilings: ", ep ? "EP " : "", line->name,
                             cli_format_figure(line->value).text, line->unit);
  }
}

bool certify_draw(const certify_report *r, const char *path, char *error) {
  static certify_curve curves[CURVES];
  static const char *const sections[CURVES] = {"gemm", "trsm", "accuracy"};
  qn_chart_panel panels[CURVES];
  char subtitle[320], caption[512];
  for (int i = 0; i < CURVES; i++) panels[i] = panel_of(r, sections[i], &curves[i]);
  snprintf(subtitle, sizeof subtitle, "%s: %s (%s), quern %s", r->device.id, r->device.name,
           r->device.arch, qn_version_string());
  summarise(r, caption, sizeof caption);
  const qn_chart_figure figure = {.title = certify_passed(r) ? "Certificate: passed"
                                                             : "Certificate: FAILED",
                                  .subtitle = subtitle,
                                  .caption = caption,
                                  .height = 900.0,
                                  .panels = panels,
                                  .panel_count = CURVES};
  return qn_chart_write(&figure, path, error);
}
