/* Running a triangular problem of any order over packed panels. */
#ifndef QN_TRI_RUN_H
#define QN_TRI_RUN_H

#include "backends/cpu/tri_form.h"

/* Solves T X = alpha B, or makes X = alpha T B. Workspace: 8 MiB, or O(n) for the largest orders.
 * QN_ENOMEM names `function`. */
qn_status qn_tri_run(const qn_tri_form *f, bool solve, const char *function);

/* The order up to which that beats halving. */
int64_t qn_tri_block(const qn_cpu_triangular *p);

#endif
