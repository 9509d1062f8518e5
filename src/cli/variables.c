/* The environment variables, as `quern --help env` and the man page list them. */
#include "cli/cli.h"

const cli_variable cli_variables[] = {
    {"QUERN_THREADS", "threads of the cpu device; --threads goes before it (default: one a core)"},
    {"QUERN_TRSM_BLOCK", "order below which trsm stops its recursion (default: tuned)"},
    {"QUERN_TRMM_BLOCK", "order below which trmm stops its recursion (default: tuned)"},
    {"QUERN_POOL_LIMIT",
     "most memory a device's pool may hold, such as 512M or 4G (default: none)"},
    {"QUERN_PEER_CBLAS", "library that bench compares with (default: OpenBLAS, MKL, BLIS, cblas)"},
    {NULL, NULL},
};
