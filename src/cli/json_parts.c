/* What several JSON files have in common. */
#include "cli/json_parts.h"

cli_json *cli_summary_json(const bench_summary *s) {
  cli_json *o = cli_json_object();
  cli_json_number(o, "median", s->median);
  cli_json_number(o, "low", s->low);
  cli_json_number(o, "high", s->high);
  cli_json_number(o, "least", s->least);
  cli_json_integer(o, "samples", (int64_t)s->count);
  return o;
}

cli_json *cli_device_json(const qn_device_info *device) {
  cli_json *o = cli_json_object();
  cli_json_text(o, "id", device->id);
  cli_json_text(o, "name", device->name);
  cli_json_text(o, "arch", device->arch);
  cli_json_text(o, "driver", device->driver);
  return o;
}
