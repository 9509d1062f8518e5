/* What several JSON files have in common. */
#include "cli/json_parts.h"

enum { FORMAT = 1 };

cli_json *cli_json_load_ours(const char *path, char *error, size_t error_size) {
  cli_json *root = cli_json_load(path, error, error_size);
  const double format = root ? cli_json_get_number(root, "format") : FORMAT;
  if (!(format >= 0.0) || format == FORMAT) return root; /* none: no file of ours */
  snprintf(error, error_size, "is of format %g; quern %s reads %d", format, qn_version_string(),
           FORMAT);
  cli_json_free(root);
  return NULL;
}

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
