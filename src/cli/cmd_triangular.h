/* What quern trmm and quern trsm share: operands, options and shapes are the same. */
#ifndef CLI_CMD_TRIANGULAR_H
#define CLI_CMD_TRIANGULAR_H

#include "cli/job.h"

extern const cli_option cli_triangular_options[];

/* Runs the routine; `look` (or NULL) sees the job once it is known to be sound. */
int cli_run_triangular(const cli_args *args, bench_routine routine, void (*look)(const cli_job *));

#endif
