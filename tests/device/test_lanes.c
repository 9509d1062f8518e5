/* Lanes over a device that defers its work: what a fork and a join order, and what they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "pool_fixture.h"

static void a_part_sees_what_came_before_the_fork(void **state) {
  fixture *f = *state;
  char out[BYTES] = {0};
  qn_buffer *x = take(f, BYTES);
  assert_int_equal(qn_fill(f->s, x, 0, BYTES, 1, 1), QN_OK);
  assert_int_equal(qn_lanes_fork(f->s, 3), QN_OK);
  qn_stream *last = qn_lane(f->s, 2);
  assert_int_equal(qn_copy_out(last, out, x, 0, BYTES), QN_OK);
  assert_int_equal(qn_stream_sync(last), QN_OK);
  assert_int_equal(out[BYTES - 1], 1);
  assert_int_equal(qn_lanes_join(f->s, 3), QN_OK);
  qn_buffer_free(x);
}

static void the_stream_sees_what_the_parts_did(void **state) {
  fixture *f = *state;
  char out[BYTES] = {0};
  qn_buffer *x = take(f, BYTES);
  assert_int_equal(qn_lanes_fork(f->s, 2), QN_OK);
  assert_ptr_equal(qn_lane(f->s, 0), f->s);
  assert_int_equal(qn_fill(qn_lane(f->s, 1), x, 0, BYTES, 2, 1), QN_OK);
  assert_int_equal(qn_lanes_join(f->s, 2), QN_OK);
  assert_int_equal(qn_copy_out(f->s, out, x, 0, BYTES), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(out[0], 2);
  qn_buffer_free(x);
}

/* Syncing one lane leaves the other's work where it is. */
static void parts_do_not_wait_for_one_another(void **state) {
  fixture *f = *state;
  char out[BYTES] = {0};
  qn_buffer *x = take(f, BYTES);
  assert_int_equal(qn_fill(f->s, x, 0, BYTES, 1, 1), QN_OK);
  assert_int_equal(qn_lanes_fork(f->s, 2), QN_OK);
  assert_int_equal(qn_copy_out(f->s, out, x, 0, BYTES), QN_OK);
  assert_int_equal(qn_stream_sync(qn_lane(f->s, 1)), QN_OK);
  assert_int_equal(out[0], 0);
  assert_int_equal(qn_lanes_join(f->s, 2), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_int_equal(out[0], 1);
  qn_buffer_free(x);
}

static void a_lane_computes_as_its_stream(void **state) {
  fixture *f = *state;
  assert_int_equal(qn_stream_set_math(f->s, QN_MATH_PLAIN), QN_OK);
  assert_int_equal(qn_lanes_fork(f->s, 2), QN_OK);
  assert_int_equal(qn_stream_math(qn_lane(f->s, 1)), QN_MATH_PLAIN);
  assert_int_equal(qn_lanes_join(f->s, 2), QN_OK);
  assert_int_equal(mock.streams, 3); /* two of the fixture; the lane stays for the next fork */
  assert_int_equal(qn_lanes_fork(f->s, 2), QN_OK);
  assert_int_equal(mock.streams, 3);
  assert_int_equal(qn_lanes_join(f->s, 2), QN_OK);
}

/* A lane that has failed is not used again, and the next fork says why. */
static void a_failed_lane_stays_failed(void **state) {
  fixture *f = *state;
  mock.fail_next_wait = true;
  assert_int_equal(qn_lanes_fork(f->s, 2), QN_EBACKEND);
  assert_int_equal(qn_lanes_fork(f->s, 2), QN_EBACKEND);
  assert_non_null(strstr(qn_last_error(), "the stream failed before"));
  assert_int_equal(qn_stream_sync(f->t), QN_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, pool_set_up, pool_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_part_sees_what_came_before_the_fork),
      TEST(the_stream_sees_what_the_parts_did),
      TEST(parts_do_not_wait_for_one_another),
      TEST(a_lane_computes_as_its_stream),
      TEST(a_failed_lane_stays_failed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
