/* The decorator that makes calls of a real backend fail, for tests: "faults+cpu", "faults+cuda:0".
 *
 * From outside: QUERN_FAULT=N, or N:KIND with KIND one of alloc, copy, launch, sync, any, makes
 * call number N of that kind (any, if not said) fail, once. The count starts when the first such
 * device is opened. */
#ifndef QN_FAULTS_H
#define QN_FAULTS_H

#include <quern/status.h>
#include <stdint.h>

enum {
  QN_FAULT_ALLOC = 1,  /* device memory */
  QN_FAULT_COPY = 2,   /* copies and fills */
  QN_FAULT_LAUNCH = 4, /* kernels, and the arithmetic of cpu_ops */
  QN_FAULT_SYNC = 8,   /* waits of host and streams, marks of events */
  QN_FAULT_OTHER = 16, /* opening, making streams and events, compiling */
  QN_FAULT_ANY = 31
};

/* Call number `n` of `kinds` from now on, counted from 1, fails with `status`; QN_OK stands for
 * what such a call gives when it fails: QN_EDEVMEM for an allocation, else QN_EBACKEND. 0 only
 * counts. A sync that fails has waited nevertheless. */
void qn_faults_arm(int64_t n, unsigned kinds, qn_status status);

/* Calls of the armed kinds since then. */
int64_t qn_faults_calls(void);

#endif
