/* Rooflines as JSON, written and read. */
#include "cli/json_parts.h"
#include "cli/roofline.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static cli_json *point_json(const roof_point *p) {
  cli_json *o = cli_json_object();
  cli_json_text(o, "routine", bench_routine_name(p->routine));
  cli_json_text(o, "dtype", qn_dtype_name(p->dtype));
  cli_json_integer(o, "n", p->n);
  cli_json_number(o, "bytes", p->bytes);
  cli_json_number(o, "flops", p->flops);
  cli_json_number(o, "seconds", p->seconds);
  cli_json_number(o, "spread", p->spread);
  cli_json_number(o, "intensity", roof_intensity(p));
  cli_json_number(o, "gflops", roof_rate(p));
  cli_json_number(o, "ceiling_gflops", p->ceiling);
  cli_json_truth(o, "wrong", p->wrong);
  cli_json_truth(o, "above", p->above);
  return o;
}

cli_json *roof_to_json(const roof *r) {
  cli_json *root = cli_json_object(), *ceilings = cli_json_object();
  cli_json *curve = cli_json_array(), *points = cli_json_array();
  cli_json_integer(root, "format", 1);
  cli_json_text(root, "kind", "roofline");
  cli_json_text(root, "quern", qn_version_string());
  cli_json_text(root, "device", r->device);
  cli_json_text(root, "driver", r->driver);
  cli_json_integer(root, "clock_mhz", r->clock_mhz);
  cli_json_integer(root, "threads", r->threads);
  cli_json_number(ceilings, "memory_gbs", r->ceilings.memory);
  for (int a = 0; a < PROBE_ARITHMETICS; a++)
    if (r->ceilings.compute[a] > 0.0)
      cli_json_number(ceilings, probe_arithmetic_name((probe_arithmetic)a), r->ceilings.compute[a]);
  for (size_t i = 0; i < r->curve_count; i++) {
    cli_json *o = cli_json_object();
    cli_json_number(o, "bytes", r->curve[i].bytes);
    cli_json_number(o, "gbs", r->curve[i].gbs);
    cli_json_push(curve, o);
  }
  for (size_t i = 0; i < r->count; i++) cli_json_push(points, point_json(&r->point[i]));
  cli_json_set(root, "ceilings", ceilings);
  cli_json_set(root, "bandwidth", curve);
  cli_json_set(root, "points", points);
  return root;
}

/* ---- reading ---- */

static double number_or_zero(const cli_json *o, const char *key) {
  const double value = cli_json_get_number(o, key);
  return isfinite(value) && value > 0.0 ? value : 0.0;
}

static bool read_point(const cli_json *o, roof_point *p) {
  *p = (roof_point){.n = (int64_t)number_or_zero(o, "n"),
                    .bytes = number_or_zero(o, "bytes"),
                    .flops = number_or_zero(o, "flops"),
                    .seconds = number_or_zero(o, "seconds"),
                    .spread = number_or_zero(o, "spread")};
  return bench_routine_parse(cli_json_get_text(o, "routine"), &p->routine) &&
         qn_dtype_parse(cli_json_get_text(o, "dtype"), &p->dtype) == QN_OK && p->bytes > 0.0 &&
         p->flops > 0.0 && p->seconds > 0.0;
}

static bool read_root(const cli_json *root, roof *r) {
  const cli_json *ceilings = cli_json_get(root, "ceilings"), *points = cli_json_get(root, "points"),
                 *curve = cli_json_get(root, "bandwidth");
  memset(r, 0, sizeof *r);
  if (strcmp(cli_json_get_text(root, "kind"), "roofline") != 0) return false;
  snprintf(r->device, sizeof r->device, "%s", cli_json_get_text(root, "device"));
  snprintf(r->driver, sizeof r->driver, "%s", cli_json_get_text(root, "driver"));
  r->clock_mhz = (unsigned)fmin(number_or_zero(root, "clock_mhz"), 1e6);
  r->threads = (int)fmin(number_or_zero(root, "threads"), 1e6);
  r->ceilings.memory = number_or_zero(ceilings, "memory_gbs");
  for (int a = 0; a < PROBE_ARITHMETICS; a++)
    r->ceilings.compute[a] = number_or_zero(ceilings, probe_arithmetic_name((probe_arithmetic)a));
  for (size_t i = 0; i < cli_json_count(curve) && i < ROOF_CURVE_MOST; i++) {
    const cli_json *o = cli_json_at(curve, i);
    r->curve[r->curve_count++] =
        (roof_bandwidth){number_or_zero(o, "bytes"), number_or_zero(o, "gbs")};
  }
  for (size_t i = 0; i < cli_json_count(points) && i < ROOF_POINTS_MOST; i++) {
    if (!read_point(cli_json_at(points, i), &r->point[r->count])) return false;
    roof_judge(r, &r->point[r->count++]);
  }
  return r->ceilings.memory > 0.0 && r->count > 0;
}

bool roof_load(const char *path, roof *r, char *error, size_t error_size) {
  cli_json *root = cli_json_load_ours(path, error, error_size);
  if (!root) return false;
  const bool good = read_root(root, r);
  if (!good) snprintf(error, error_size, "not a file of quern roofline --json");
  cli_json_free(root);
  return good;
}
