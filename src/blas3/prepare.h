/* Kernels made ready before a routine begins, side by side.
 *
 * What a routine will launch follows from its shapes alone, so it is found by a rehearsal: the
 * routine runs with stream->rehearsal set, its launches are noted and not made. A call of another
 * routine, dtype, form or size (in powers of two) than the last ones is rehearsed; all others pay
 * one look at a table of the device. A kernel that was not foreseen is compiled when it is
 * launched. */
#ifndef QN_BLAS3_PREPARE_H
#define QN_BLAS3_PREPARE_H

#include "jit/form.h"

/* The forms noted, each once; beyond the capacity they are dropped. */
typedef struct qn_rehearsal {
  qn_form *form;
  unsigned count, capacity;
} qn_rehearsal;

void qn_rehearsal_note(qn_rehearsal *rehearsal, const qn_form *form);

/* A routine up to its launches: no copies, no waiting. */
typedef qn_status (*qn_rehearsed)(qn_stream *stream, const void *problem);

/* Runs it for its notes: no trace sees it. */
qn_status qn_rehearse(qn_stream *stream, qn_rehearsal *rehearsal, qn_rehearsed run,
                      const void *problem);

/* What tells calls apart that may need other kernels. `form` is anything that fits 32 bits. */
typedef struct qn_prepare_key {
  char routine;
  qn_dtype dtype;
  uint32_t form;
  int64_t m, n, k;
} qn_prepare_key;

/* Makes ready what `run` will launch. A trace sees a step "compile" where something was cold. */
qn_status qn_prepare(qn_stream *stream, const qn_prepare_key *key, qn_rehearsed run,
                     const void *problem);

#endif
