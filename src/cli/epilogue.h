/* The epilogue of quern gemm: --epilogue and the options that give its names a meaning. */
#ifndef CLI_EPILOGUE_H
#define CLI_EPILOGUE_H

#include "cli/job.h"

/* Parses --epilogue and what goes with it; a job without is left as it is. */
int cli_epilogue_take(cli_job *job);

/* Reads the files, whose dtype must suit the product's. */
int cli_epilogue_read(cli_job *job);

/* What was read must suit the shape of the product, which is known by now. */
int cli_epilogue_check_shapes(const cli_job *job);

/* Brings what was read to the device, for bench_call. */
qn_status cli_epilogue_place(cli_job *job);

#endif
