/* Views taken apart into runs of contiguous elements, for loops that are bound by memory. */
#ifndef QN_CPU_RUNS_H
#define QN_CPU_RUNS_H

#include "backends/cpu/cpu.h"

enum { QN_RUN = 512 }; /* elements; a run's conversion stays in the first cache */

/* n <= QN_RUN elements from (i, j) down the column. */
typedef void qn_run_fn(const void *job, int64_t i, int64_t j, int64_t n);

/* Calls fn for each run of a view of this shape, spread over the threads. `whole`: there is no gap
 * between the columns of any operand, so that the view may be taken as one column. */
void qn_runs_of(qn_cpu_matrix shape, bool whole, qn_run_fn *fn, const void *job);

static inline void *qn_run_at(qn_cpu_matrix m, qn_dtype dtype, int64_t i, int64_t j) {
  return (char *)m.data + (size_t)(i + j * m.ld) * qn_dtype_size(dtype);
}

/* n real elements, converted. */
static inline void qn_run_cast(int64_t n, qn_dtype to, void *dst, qn_dtype from, const void *src) {
  qn_cpu_cast(to, (qn_cpu_matrix){dst, n, 1, n}, from, (qn_cpu_matrix){(void *)src, n, 1, n});
}

#endif
