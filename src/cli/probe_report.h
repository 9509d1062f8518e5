/* What quern probe tells: the list of rows, the table, JSON and the chart. */
#ifndef CLI_PROBE_REPORT_H
#define CLI_PROBE_REPORT_H

#include "cli/json.h"
#include "probe/probe.h"
#include <stdio.h>

/* One run of the command; `result` has `count` rows, of which `done` have run. */
typedef struct probe_report {
  qn_device_info device;
  int threads; /* of the cpu device */
  probe_ceilings ceilings;
  probe_result *result;
  unsigned count, done;
} probe_report;

void probe_print_row(const probe_row *row);
void probe_print_head(const probe_report *report);
void probe_print_ceilings(const probe_report *report);
void probe_print_result(const probe_result *result);
/* Whether a timed result was wrong anywhere. */
bool probe_any_wrong(const probe_report *report);

/* Draws the rows that have curves; false with the reason in `error`, as qn_chart_write. */
bool probe_draw(const probe_report *report, const char *path, char *error);

/* docs/probe.md tells what each field is. */
cli_json *probe_report_json(const probe_report *report);
cli_json *probe_ceilings_json(const probe_ceilings *ceilings);

#endif
