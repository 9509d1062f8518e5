/* The results of quern probe as JSON. */
#include "cli/json_parts.h"
#include "cli/probe_report.h"

static cli_json *figure_json(const probe_figure *f) {
  cli_json *o = cli_json_object();
  const probe_resources *r = &f->resources;
  cli_json_text(o, "series", f->series);
  cli_json_text(o, "variant", f->variant);
  cli_json_number(o, "x", f->x);
  cli_json_number(o, "value", probe_value(f));
  cli_json_text(o, "unit", probe_unit_name(f->unit));
  cli_json_set(o, "seconds", cli_summary_json(&f->seconds));
  cli_json_number(o, "spread", bench_spread(&f->seconds));
  cli_json_truth(o, "wrong", f->wrong);
  if (f->bytes > 0.0) cli_json_number(o, "bytes", f->bytes);
  if (f->moved > 0.0) cli_json_number(o, "moved_bytes", f->moved);
  if (f->local > 0.0) cli_json_number(o, "local_moved_bytes", f->local);
  if (f->flops > 0.0) cli_json_number(o, "flops", f->flops);
  if (*f->kernel) {
    cli_json_text(o, "kernel", f->kernel);
    cli_json_integer(o, "registers", r->registers);
    cli_json_integer(o, "local_bytes", r->local_bytes);
    cli_json_integer(o, "spill_bytes", r->spill_bytes);
    cli_json_number(o, "occupancy", r->occupancy);
  }
  if (f->bound != PROBE_UNBOUND) {
    cli_json_number(o, "memory_share", f->memory_share);
    cli_json_number(o, "local_share", f->local_share);
    cli_json_number(o, "compute_share", f->compute_share);
    cli_json_text(o, "verdict", probe_bound_name(f->bound));
    cli_json_text(o, "remedy", probe_remedy(f));
  }
  return o;
}

static cli_json *result_json(const probe_result *r) {
  cli_json *o = cli_json_object(), *figures = cli_json_array();
  cli_json_text(o, "name", r->row->name);
  cli_json_text(o, "shows", r->row->shows);
  if (*r->left_out) cli_json_text(o, "left_out", r->left_out);
  if (*r->lesson) cli_json_text(o, "lesson", r->lesson);
  if (r->gain > 0.0) cli_json_number(o, "gain", r->gain);
  for (unsigned i = 0; i < r->count; i++) cli_json_push(figures, figure_json(&r->figure[i]));
  cli_json_set(o, "figures", figures);
  return o;
}

cli_json *probe_ceilings_json(const probe_ceilings *c) {
  cli_json *o = cli_json_object();
  cli_json_number(o, "memory_gbs", c->memory);
  if (c->local > 0.0) cli_json_number(o, "local_gbs", c->local);
  for (int a = 0; a < PROBE_ARITHMETICS; a++)
    if (c->compute[a] > 0.0)
      cli_json_number(o, probe_arithmetic_name((probe_arithmetic)a), c->compute[a]);
  return o;
}

cli_json *probe_report_json(const probe_report *r) {
  cli_json *root = cli_json_object(), *rows = cli_json_array();
  cli_json_integer(root, "format", 1);
  cli_json_text(root, "quern", qn_version_string());
  cli_json_set(root, "device", cli_device_json(&r->device));
  if (r->threads) cli_json_integer(root, "threads", r->threads);
  if (r->ceilings.memory > 0.0) cli_json_set(root, "ceilings", probe_ceilings_json(&r->ceilings));
  for (unsigned i = 0; i < r->done; i++) cli_json_push(rows, result_json(&r->result[i]));
  cli_json_set(root, "rows", rows);
  return root;
}
