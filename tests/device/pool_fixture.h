/* Two streams of a mock device, for the tests of the pool. */
#ifndef QN_TEST_POOL_FIXTURE_H
#define QN_TEST_POOL_FIXTURE_H

#include "mock.h"

enum { BYTES = 4096 };

typedef struct fixture {
  qn_device *device;
  qn_stream *s, *t;
} fixture;

int pool_set_up(void **state);
/* Whatever the test did: nothing is left with the driver, nothing was freed too early. */
int pool_tear_down(void **state);

qn_pool_stats stats_of(qn_device *device);
qn_buffer *take(fixture *f, size_t bytes);

#endif
