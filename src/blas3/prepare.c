/* Rehearsals, and the table of what has been rehearsed. */
#include "blas3/prepare.h"
#include <stdio.h>

enum { ROUTINE_FORMS = 64 }; /* far more than one call launches */

void qn_rehearsal_note(qn_rehearsal *rehearsal, const qn_form *form) {
  for (unsigned i = 0; i < rehearsal->count; i++)
    if (qn_form_equal(&rehearsal->form[i], form)) return;
  if (rehearsal->count < rehearsal->capacity) rehearsal->form[rehearsal->count++] = *form;
}

qn_status qn_rehearse(qn_stream *stream, qn_rehearsal *rehearsal, qn_rehearsed run,
                      const void *problem) {
  qn_trace_fn trace = stream->trace;
  stream->trace = NULL;
  stream->rehearsal = rehearsal;
  qn_status status = run(stream, problem);
  stream->rehearsal = NULL;
  stream->trace = trace;
  return status;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t magnitude(int64_t n) {
  return n > 0 ? (uint64_t)(64 - __builtin_clzll((uint64_t)n)) : 0;
}

/* Never 0, which is the empty slot. */
static uint64_t hash_of(const qn_stream *stream, const qn_prepare_key *key) {
  uint64_t hash = mix((uint64_t)key->routine << 8 | key->dtype, (uint64_t)stream->math);
  hash = mix(hash, key->form);
  hash = mix(hash, magnitude(key->m) << 16 | magnitude(key->n) << 8 | magnitude(key->k));
  return hash | 1;
}

static void tell(const qn_stream *stream, const qn_jit_cost *cost) {
  char why[64];
  snprintf(why, sizeof why, "%u compiled, %u from the cache on disk", cost->compiled, cost->loaded);
  const qn_trace_step step = {.kind = "compile",
                              .variant = cost->compiled ? "cold" : "warm",
                              .why = why,
                              .seconds = cost->seconds};
  stream->trace(stream->trace_user, &step);
}

static qn_status make_ready(qn_stream *stream, qn_rehearsed run, const void *problem) {
  qn_form forms[ROUTINE_FORMS], cold[ROUTINE_FORMS];
  qn_rehearsal rehearsal = {forms, 0, ROUTINE_FORMS};
  QN_TRY(qn_rehearse(stream, &rehearsal, run, problem));
  unsigned count = 0;
  for (unsigned i = 0; i < rehearsal.count; i++)
    if (!qn_form_find(stream->device, &forms[i])) cold[count++] = forms[i];
  if (count == 0) return QN_OK;
  qn_jit_cost cost;
  QN_TRY(qn_form_kernels(stream->device, cold, count, &cost));
  if (stream->trace) tell(stream, &cost);
  return QN_OK;
}

qn_status qn_prepare(qn_stream *stream, const qn_prepare_key *key, qn_rehearsed run,
                     const void *problem) {
  if (stream->device->cpu) return QN_OK;
  uint64_t hash = hash_of(stream, key);
  _Atomic uint64_t *slot = &stream->device->prepared[hash >> 58];
  if (atomic_load_explicit(slot, memory_order_relaxed) == hash) return QN_OK;
  QN_TRY(make_ready(stream, run, problem));
  atomic_store_explicit(slot, hash, memory_order_relaxed);
  return QN_OK;
}
