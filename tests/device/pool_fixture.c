/* See pool_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "pool_fixture.h"

int pool_set_up(void **state) {
  static fixture f;
  mock_reset();
  assert_int_equal(qn_device_acquire(&mock_backend, 0, &f.device), QN_OK);
  assert_int_equal(qn_stream_create(f.device, &f.s), QN_OK);
  assert_int_equal(qn_stream_create(f.device, &f.t), QN_OK);
  *state = &f;
  return 0;
}

int pool_tear_down(void **state) {
  fixture *f = *state;
  qn_stream_free(f->s);
  qn_stream_free(f->t);
  qn_device_close(f->device);
  assert_int_equal(mock.allocs, mock.frees);
  assert_int_equal(mock.streams, 0);
  assert_int_equal(mock.events, 0);
  assert_int_equal(mock.devices, 0);
  assert_int_equal(mock.touched_after_free, 0);
  return 0;
}

qn_pool_stats stats_of(qn_device *device) {
  qn_pool_stats stats;
  assert_int_equal(qn_pool_query(device, &stats), QN_OK);
  return stats;
}

qn_buffer *take(fixture *f, size_t bytes) {
  qn_buffer *buffer;
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_DEVICE, bytes, &buffer), QN_OK);
  return buffer;
}
