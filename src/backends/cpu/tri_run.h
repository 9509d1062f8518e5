/* Running a triangular problem over packed panels. */
#ifndef QN_TRI_RUN_H
#define QN_TRI_RUN_H

#include "backends/cpu/tri_form.h"

/* Bounds of the workspace: the packed triangle of order QN_TRI_ORDER_MAX in the widest type takes
 * 4 MiB, the panels of all threads as much at most. */
enum { QN_TRI_ORDER_MAX = 704, QN_TRI_PANELS_SIZE = 4 << 20 };

/* Solves T X = alpha B, or makes X = alpha T B; n <= QN_TRI_ORDER_MAX. QN_ENOMEM names `function`.
 */
qn_status qn_tri_run(const qn_tri_form *f, bool solve, const char *function);

#endif
