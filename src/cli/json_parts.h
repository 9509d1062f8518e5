/* What several JSON files have in common. */
#ifndef CLI_JSON_PARTS_H
#define CLI_JSON_PARTS_H

#include "bench/stats.h"
#include "cli/json.h"
#include <quern/device.h>

/* median, low, high, least, samples */
cli_json *cli_summary_json(const bench_summary *s);
/* id, name, arch, driver */
cli_json *cli_device_json(const qn_device_info *device);

#endif
