/* A call of each routine whose result is known bit for bit from an undisturbed run. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <quern/quern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { WORK_GEMM, WORK_TRSM, WORK_TRMM, WORK_POTRF, WORK_TRSM_HALF, WORK_TRMM_HALF, WORKLOADS };

/* Operands of one workload, of order n, on a device. */
typedef struct workload {
  int kind;
  int64_t n;
  qn_dtype dtype;
  qn_matrix a, b, c;
} workload;

/* QN_OK, or what failed; then nothing is held. */
qn_status workload_open(workload *w, qn_stream *stream, int kind, int64_t n);
void workload_close(workload *w);
/* Writes the operands, the same ones each time. */
qn_status workload_fill(workload *w, qn_stream *stream);
qn_status workload_run(workload *w, qn_stream *stream);
/* The bytes of the result, workload_bytes of them. */
qn_status workload_read(workload *w, qn_stream *stream, void *result);
size_t workload_bytes(const workload *w);

#endif
