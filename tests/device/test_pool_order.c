/* The pool over a device that defers its work: order across streams and lives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "pool_fixture.h"

static void fill(qn_stream *stream, qn_buffer *buffer, unsigned byte) {
  assert_int_equal(qn_fill(stream, buffer, 0, BYTES, byte, 1), QN_OK);
}

/* Makes the buffer all ones and leaves the stream with a read of it enqueued. */
static void leave_reading(qn_stream *stream, qn_buffer *buffer, char *out) {
  fill(stream, buffer, 1);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  assert_int_equal(qn_copy_out(stream, out, buffer, 0, BYTES), QN_OK);
}

static bool all_are(const char *bytes, char value) {
  for (int i = 0; i < BYTES; i++)
    if (bytes[i] != value) return false;
  return true;
}

/* Lets the new life run before the old one's read: that must have waited for it all the same. */
static void the_reader_goes_last(qn_stream *reader, qn_stream *writer, const char *out) {
  assert_int_equal(qn_stream_sync(writer), QN_OK);
  assert_int_equal(qn_stream_sync(reader), QN_OK);
  assert_true(all_are(out, 1));
}

/* S still has to read the first life when T is let go on the second. */
static void another_stream_waits_for_the_former_life(void **state) {
  fixture *f = *state;
  char out[BYTES];
  qn_buffer *x = take(f, BYTES);
  leave_reading(f->s, x, out);
  qn_buffer_free(x);

  qn_buffer *y = take(f, BYTES);
  assert_ptr_equal(x, y);
  int syncs = mock.syncs;
  fill(f->t, y, 2);
  assert_int_equal(mock.waits, 1);
  assert_int_equal(mock.syncs, syncs); /* the host did not wait */
  fill(f->t, y, 3);
  assert_int_equal(mock.waits, 1); /* once is enough */
  the_reader_goes_last(f->s, f->t, out);
  qn_buffer_free(y);
}

/* The second life is used on two streams: both must wait, though one has done so. */
static void every_stream_of_the_second_life_waits(void **state) {
  fixture *f = *state;
  char out[BYTES];
  qn_stream *u;
  assert_int_equal(qn_stream_create(f->device, &u), QN_OK);
  qn_buffer *x = take(f, BYTES);
  leave_reading(f->s, x, out);
  qn_buffer_free(x);
  qn_buffer *y = take(f, BYTES);
  assert_int_equal(qn_fill(f->t, y, 0, BYTES / 2, 2, 1), QN_OK);
  assert_int_equal(qn_fill(u, y, BYTES / 2, BYTES / 2, 3, 1), QN_OK);
  assert_int_equal(mock.waits, 2);
  the_reader_goes_last(f->s, u, out);
  qn_buffer_free(y);
  qn_stream_free(u);
}

/* A buffer that nobody used hands its block on with the work of the life before. */
static void an_unused_life_hands_the_work_on(void **state) {
  fixture *f = *state;
  char out[BYTES];
  qn_buffer *x = take(f, BYTES);
  leave_reading(f->s, x, out);
  qn_buffer_free(x);
  qn_buffer_free(take(f, BYTES));
  qn_buffer *z = take(f, BYTES);
  assert_ptr_equal(x, z);
  fill(f->t, z, 2);
  the_reader_goes_last(f->s, f->t, out);
  qn_buffer_free(z);
}

static void the_same_stream_never_waits(void **state) {
  fixture *f = *state;
  qn_buffer *x = take(f, BYTES);
  fill(f->s, x, 1);
  qn_buffer_free(x);
  qn_buffer *y = take(f, BYTES);
  assert_ptr_equal(x, y);
  fill(f->s, y, 2);
  assert_int_equal(mock.waits, 0);
  assert_int_equal(mock.syncs, 0);
  qn_buffer_free(y);
}

static void a_synced_stream_has_nothing_pending(void **state) {
  fixture *f = *state;
  qn_buffer *x = take(f, BYTES);
  fill(f->s, x, 1);
  qn_buffer_free(x);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  qn_buffer *y = take(f, BYTES);
  fill(f->t, y, 2);
  assert_int_equal(mock.waits, 0);
  qn_buffer_free(y);
}

/* A sync before the free says nothing of the work after it. */
static void an_earlier_sync_does_not_count(void **state) {
  fixture *f = *state;
  char out[BYTES];
  qn_buffer *x = take(f, BYTES);
  leave_reading(f->s, x, out);
  qn_buffer_free(x);
  qn_buffer *y = take(f, BYTES);
  fill(f->t, y, 2);
  the_reader_goes_last(f->s, f->t, out);
  qn_buffer_free(y);
}

static void a_block_without_a_wait_is_preferred(void **state) {
  fixture *f = *state;
  qn_buffer *of_s = take(f, BYTES), *of_t = take(f, BYTES), *scratch;
  fill(f->s, of_s, 1);
  fill(f->t, of_t, 1);
  qn_buffer_free(of_t);
  qn_buffer_free(of_s); /* on top */
  assert_int_equal(qn_scratch_alloc(f->t, BYTES, &scratch), QN_OK);
  assert_ptr_equal(scratch, of_t);
  assert_int_equal(mock.waits, 0);
  qn_scratch_free(f->t, scratch);
}

static void scratch_of_another_stream_is_ordered(void **state) {
  fixture *f = *state;
  char out[BYTES];
  qn_buffer *x, *y;
  assert_int_equal(qn_scratch_alloc(f->s, BYTES, &x), QN_OK);
  leave_reading(f->s, x, out);
  qn_scratch_free(f->s, x);
  assert_int_equal(qn_scratch_alloc(f->t, BYTES, &y), QN_OK);
  assert_ptr_equal(x, y);
  fill(f->t, y, 2);
  the_reader_goes_last(f->s, f->t, out);
  qn_scratch_free(f->t, y);
}

/* A block that could not be ordered is nobody's, and what is pending on it stays so. */
static void scratch_that_cannot_be_ordered_goes_back(void **state) {
  fixture *f = *state;
  char out[BYTES];
  qn_buffer *x = take(f, BYTES), *y = x;
  leave_reading(f->s, x, out);
  qn_buffer_free(x);
  mock.fail_next_wait = true;
  assert_int_equal(qn_scratch_alloc(f->t, BYTES, &y), QN_EBACKEND);
  assert_null(y);
  assert_int_equal(stats_of(f->device).in_use, 0);
  assert_int_equal(qn_stream_sync(f->t), QN_EBACKEND);

  qn_stream *u;
  assert_int_equal(qn_stream_create(f->device, &u), QN_OK);
  assert_int_equal(qn_scratch_alloc(u, BYTES, &y), QN_OK);
  assert_ptr_equal(x, y);
  fill(u, y, 2);
  the_reader_goes_last(f->s, u, out);
  qn_scratch_free(u, y);
  qn_stream_free(u);
}

static void trimming_waits_for_the_work(void **state) {
  fixture *f = *state;
  qn_buffer *x = take(f, BYTES);
  fill(f->s, x, 1);
  qn_buffer_free(x);
  assert_int_equal(qn_pool_trim(f->device), QN_OK);
  assert_int_equal(mock.frees, 1);
  assert_int_equal(mock.touched_after_free, 0);
}

static void the_host_waits_before_it_touches_pinned_memory(void **state) {
  fixture *f = *state;
  qn_buffer *x, *y, *device_side = take(f, BYTES);
  char out[BYTES];
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_PINNED, BYTES, &x), QN_OK);
  memset(qn_buffer_host(x), 1, BYTES);
  assert_int_equal(qn_copy(f->s, device_side, 0, x, 0, BYTES), QN_OK);
  qn_buffer_free(x);
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_PINNED, BYTES, &y), QN_OK);
  assert_ptr_equal(x, y);
  memset(qn_buffer_host(y), 2, BYTES);
  assert_int_equal(qn_copy_out(f->s, out, device_side, 0, BYTES), QN_OK);
  assert_int_equal(qn_stream_sync(f->s), QN_OK);
  assert_true(all_are(out, 1));
  qn_buffer_free(y);
  qn_buffer_free(device_side);
}

/* The stream of a slot goes, another takes the slot: it inherits no bit and owes no wait. */
static void a_slot_can_change_hands(void **state) {
  fixture *f = *state;
  char out[BYTES];
  qn_stream *u, *v;
  assert_int_equal(qn_stream_create(f->device, &u), QN_OK);
  qn_buffer *x = take(f, BYTES);
  fill(u, x, 1);
  qn_stream_free(u);
  assert_int_equal(qn_stream_create(f->device, &v), QN_OK);
  leave_reading(v, x, out);
  qn_buffer_free(x);
  qn_buffer *y = take(f, BYTES);
  fill(f->t, y, 3);
  the_reader_goes_last(v, f->t, out);
  qn_buffer_free(y);
  qn_stream_free(v);
}

/* Streams past the 63rd share a bit and are ordered among each other all the same. */
static void a_crowd_of_streams_is_ordered(void **state) {
  fixture *f = *state;
  enum { CROWD = 70 };
  qn_stream *streams[CROWD];
  for (int i = 0; i < CROWD; i++) assert_int_equal(qn_stream_create(f->device, &streams[i]), QN_OK);
  qn_stream *a = streams[CROWD - 1], *b = streams[CROWD - 2], *c = streams[CROWD - 3];
  assert_int_equal(a->slot, b->slot);
  char out[BYTES];
  qn_buffer *x = take(f, BYTES);
  leave_reading(a, x, out);
  qn_buffer_free(x);
  qn_buffer *y = take(f, BYTES);
  assert_ptr_equal(x, y);
  assert_int_equal(qn_fill(b, y, 0, BYTES / 2, 2, 1), QN_OK);
  assert_int_equal(qn_fill(c, y, BYTES / 2, BYTES / 2, 3, 1), QN_OK);
  assert_int_equal(qn_stream_sync(c), QN_OK);
  assert_int_equal(qn_stream_sync(b), QN_OK);
  assert_int_equal(qn_stream_sync(a), QN_OK);
  assert_true(all_are(out, 1));
  qn_buffer_free(y);
  for (int i = 0; i < CROWD; i++) qn_stream_free(streams[i]);
}

#define POOL_TEST(test) cmocka_unit_test_setup_teardown(test, pool_set_up, pool_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      POOL_TEST(another_stream_waits_for_the_former_life),
      POOL_TEST(every_stream_of_the_second_life_waits),
      POOL_TEST(an_unused_life_hands_the_work_on),
      POOL_TEST(the_same_stream_never_waits),
      POOL_TEST(a_synced_stream_has_nothing_pending),
      POOL_TEST(an_earlier_sync_does_not_count),
      POOL_TEST(a_block_without_a_wait_is_preferred),
      POOL_TEST(scratch_of_another_stream_is_ordered),
      POOL_TEST(scratch_that_cannot_be_ordered_goes_back),
      POOL_TEST(trimming_waits_for_the_work),
      POOL_TEST(the_host_waits_before_it_touches_pinned_memory),
      POOL_TEST(a_slot_can_change_hands),
      POOL_TEST(a_crowd_of_streams_is_ordered),
  };
  return cmocka_run_group_tests_name("pool_order", tests, NULL, NULL);
}
