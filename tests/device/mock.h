/* A backend that does nothing until it must, and then as little as it may.
 *
 * Work waits in its stream's queue. A sync runs that stream alone, and another one only as far as
 * an event that is waited for: whatever order the layer above has not asked for does not happen, so
 * that a missing wait shows as a wrong result. Only opening is safe for threads. */
#ifndef QN_TEST_MOCK_H
#define QN_TEST_MOCK_H

#include "device/device.h"

extern const qn_backend_ops mock_backend;

typedef struct mock_state {
  int allocs, frees;            /* device memory taken and given back */
  int streams, events, devices; /* alive */
  int syncs, waits;             /* host waits, and waits enqueued */
  int touched_after_free;       /* memory freed while queued work needed it */
  size_t room;                  /* bytes that the mock device still has */
  bool lose_next_copy;          /* the next copy answers QN_ELOST */
  bool fail_next_wait;          /* the next wait of a stream answers QN_EBACKEND */
  int open_milliseconds;        /* how long opening a device takes */
  atomic_bool opening;          /* set when it has begun */
} mock_state;

extern mock_state mock;

/* Forgets the counts; to be called while no device is open. */
void mock_reset(void);

#endif
