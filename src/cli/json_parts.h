/* What several JSON files have in common. */
#ifndef CLI_JSON_PARTS_H
#define CLI_JSON_PARTS_H

#include "bench/stats.h"
#include "cli/json.h"
#include <quern/quern.h>

/* A file that this program wrote, of the one format it knows; else NULL with the reason in `error`.
 * What lies in it is the caller's to judge. Free it with cli_json_free. */
cli_json *cli_json_load_ours(const char *path, char *error, size_t error_size);

/* median, low, high, least, samples */
cli_json *cli_summary_json(const bench_summary *s);
/* id, name, arch, driver */
cli_json *cli_device_json(const qn_device_info *device);

#endif
