/* The figures of a benchmark as JSON. */
#ifndef CLI_NPB_JSON_H
#define CLI_NPB_JSON_H

#include "cli/json.h"
#include "npb/ep.h"

cli_json *npb_json(const ep_report *report);

#endif
