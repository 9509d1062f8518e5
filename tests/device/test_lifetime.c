/* Who lives how long; streams, events, faults that stay, traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include <time.h>
#include "mock.h"

static int set_up(void **state) {
  qn_device *device;
  mock_reset();
  assert_int_equal(qn_device_acquire(&mock_backend, 0, &device), QN_OK);
  *state = device;
  return 0;
}

static int all_is_gone(void **state) {
  (void)state;
  assert_int_equal(mock.devices, 0);
  assert_int_equal(mock.streams, 0);
  assert_int_equal(mock.events, 0);
  assert_int_equal(mock.allocs, mock.frees);
  return 0;
}

static void a_device_is_one_object_while_it_is_open(void **state) {
  qn_device *first = *state, *again, *other;
  assert_int_equal(qn_device_acquire(&mock_backend, 0, &again), QN_OK);
  assert_int_equal(qn_device_acquire(&mock_backend, 1, &other), QN_OK);
  assert_ptr_equal(first, again);
  assert_ptr_not_equal(first, other);
  assert_int_equal(mock.devices, 2);
  qn_device_close(first);
  assert_int_equal(mock.devices, 2);
  qn_device_close(again);
  assert_int_equal(mock.devices, 1);
  qn_device_close(other);
  qn_device_close(NULL);
}

static void what_hangs_on_a_device_keeps_it(void **state) {
  qn_device *device = *state;
  qn_stream *stream;
  qn_event *event;
  qn_buffer *buffer, *wrapped;
  char own[64];
  assert_int_equal(qn_stream_create(device, &stream), QN_OK);
  assert_int_equal(qn_event_create(device, &event), QN_OK);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 64, &buffer), QN_OK);
  assert_int_equal(qn_buffer_wrap(device, own, sizeof own, &wrapped), QN_OK);
  qn_device_close(device);
  assert_int_equal(qn_fill(stream, buffer, 0, 64, 7, 1), QN_OK);
  assert_ptr_equal(qn_stream_device(stream), device);
  assert_ptr_equal(qn_buffer_device(buffer), device);
  qn_buffer_free(buffer);
  qn_event_free(event);
  qn_stream_free(stream);
  assert_int_equal(mock.devices, 1);
  qn_buffer_free(wrapped);
}

static void freeing_a_stream_finishes_its_work(void **state) {
  qn_device *device = *state;
  qn_stream *stream;
  qn_buffer *buffer;
  char out[8] = "";
  assert_int_equal(qn_stream_create(device, &stream), QN_OK);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 8, &buffer), QN_OK);
  assert_int_equal(qn_copy_in(stream, buffer, 0, "quernqn", 8), QN_OK);
  assert_int_equal(qn_copy_out(stream, out, buffer, 0, 8), QN_OK);
  qn_buffer_free(buffer);
  qn_stream_free(stream);
  assert_string_equal(out, "quernqn");
  qn_device_close(device);
}

static void freeing_null_is_allowed(void **state) {
  qn_stream_free(NULL);
  qn_event_free(NULL);
  qn_buffer_free(NULL);
  qn_device_close(*state);
}

/* ---- arguments ---- */

static void objects_need_a_device(void **state) {
  qn_stream *stream;
  qn_event *event;
  qn_buffer *buffer;
  int native;
  assert_int_equal(qn_stream_create(NULL, &stream), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_stream_create: device is NULL");
  assert_int_equal(qn_stream_create(*state, NULL), QN_EINVAL);
  assert_int_equal(qn_stream_wrap(*state, NULL, &stream), QN_EINVAL);
  assert_int_equal(qn_stream_wrap(*state, &native, &stream), QN_OK);
  qn_stream_free(stream);
  assert_int_equal(qn_event_create(NULL, &event), QN_EINVAL);
  assert_int_equal(qn_event_create(*state, NULL), QN_EINVAL);
  assert_int_equal(qn_buffer_alloc(NULL, QN_MEMORY_DEVICE, 1, &buffer), QN_EINVAL);
  assert_int_equal(qn_buffer_alloc(*state, (qn_memory)9, 1, &buffer), QN_EINVAL);
  assert_int_equal(qn_buffer_alloc(*state, QN_MEMORY_DEVICE, 1, NULL), QN_EINVAL);
  assert_int_equal(qn_buffer_wrap(*state, NULL, 1, &buffer), QN_EINVAL);
  assert_int_equal(qn_device_query(NULL, &(qn_device_info){0}), QN_EINVAL);
  assert_int_equal(qn_device_query(*state, NULL), QN_EINVAL);
  assert_int_equal(qn_pool_query(NULL, &(qn_pool_stats){0}), QN_EINVAL);
  assert_int_equal(qn_pool_query(*state, NULL), QN_EINVAL);
  assert_int_equal(qn_pool_trim(NULL), QN_EINVAL);
  assert_int_equal(qn_pool_set_limit(NULL, 0), QN_EINVAL);
  assert_null(qn_buffer_host(NULL));
  assert_null(qn_buffer_native(NULL));
  assert_null(qn_buffer_device(NULL));
  assert_null(qn_stream_device(NULL));
  assert_int_equal(qn_buffer_size(NULL), 0);
  qn_device_close(*state);
}

/* Kernels read an element at once, a complex one too. */
static void wrapped_addresses_hold_whole_elements(void **state) {
  _Alignas(16) char own[64];
  qn_stream *s;
  qn_buffer *odd;
  assert_int_equal(qn_stream_create(*state, &s), QN_OK);
  for (size_t at = 1; at <= 16; at *= 2) {
    assert_int_equal(qn_buffer_wrap(*state, own + at, 32, &odd), QN_OK);
    for (qn_dtype dtype = QN_F16; dtype <= QN_C128; dtype++) {
      const bool whole = at % qn_dtype_size(dtype) == 0;
      const qn_matrix m = qn_matrix_of(odd, dtype, 1, 1, 1);
      assert_int_equal(qn_matrix_write(s, m, own, 1), whole ? QN_OK : QN_EINVAL);
      if (!whole) assert_non_null(strstr(qn_last_error(), "not aligned to its elements"));
    }
    assert_int_equal(qn_stream_sync(s), QN_OK);
    qn_buffer_free(odd);
  }
  qn_stream_free(s);
  qn_device_close(*state);
}

static void the_math_mode_is_the_streams(void **state) {
  qn_stream *stream;
  assert_int_equal(qn_stream_create(*state, &stream), QN_OK);
  assert_int_equal(qn_stream_math(stream), QN_MATH_DEFAULT);
  assert_int_equal(qn_stream_set_math(stream, QN_MATH_FAST), QN_OK);
  assert_int_equal(qn_stream_math(stream), QN_MATH_FAST);
  assert_int_equal(qn_stream_set_math(stream, (qn_math)7), QN_EINVAL);
  assert_int_equal(qn_stream_math(stream), QN_MATH_FAST);
  assert_int_equal(qn_stream_set_math(NULL, QN_MATH_FAST), QN_EINVAL);
  assert_int_equal(qn_stream_math(NULL), QN_MATH_DEFAULT);
  qn_stream_free(stream);
  qn_device_close(*state);
}

/* ---- events ---- */

static void an_event_orders_two_streams(void **state) {
  qn_device *device = *state;
  qn_stream *s, *t;
  qn_event *event;
  qn_buffer *buffer;
  char out[4] = "";
  assert_int_equal(qn_stream_create(device, &s), QN_OK);
  assert_int_equal(qn_stream_create(device, &t), QN_OK);
  assert_int_equal(qn_event_create(device, &event), QN_OK);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 4, &buffer), QN_OK);
  assert_int_equal(qn_copy_in(s, buffer, 0, "abc", 4), QN_OK);
  assert_int_equal(qn_event_record(event, s), QN_OK);
  assert_int_equal(qn_event_wait(event, t), QN_OK);
  assert_int_equal(qn_copy_out(t, out, buffer, 0, 4), QN_OK);
  assert_int_equal(qn_stream_sync(t), QN_OK);
  assert_string_equal(out, "abc");
  qn_event_free(event);
  qn_buffer_free(buffer);
  qn_stream_free(s);
  qn_stream_free(t);
  qn_device_close(device);
}

static void an_event_that_was_never_recorded_holds_nobody(void **state) {
  qn_stream *stream;
  qn_event *event, *marked;
  double seconds;
  assert_int_equal(qn_stream_create(*state, &stream), QN_OK);
  assert_int_equal(qn_event_create(*state, &event), QN_OK);
  assert_int_equal(qn_event_create(*state, &marked), QN_OK);
  assert_int_equal(qn_event_sync(event), QN_OK);
  assert_int_equal(qn_event_wait(event, stream), QN_OK);
  assert_int_equal(mock.waits, 0);
  assert_int_equal(qn_event_record(marked, stream), QN_OK);
  assert_int_equal(qn_event_elapsed(marked, event, &seconds), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_event_elapsed: stop was never recorded");
  assert_int_equal(qn_event_elapsed(event, marked, &seconds), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_event_elapsed: start was never recorded");
  assert_int_equal(qn_event_elapsed(NULL, marked, &seconds), QN_EINVAL);
  assert_int_equal(qn_event_elapsed(marked, marked, NULL), QN_EINVAL);
  assert_int_equal(qn_event_elapsed(marked, marked, &seconds), QN_OK);
  assert_int_equal(qn_event_record(NULL, stream), QN_EINVAL);
  assert_int_equal(qn_event_record(event, NULL), QN_EINVAL);
  assert_int_equal(qn_event_sync(NULL), QN_EINVAL);
  qn_event_free(event);
  qn_event_free(marked);
  qn_stream_free(stream);
  qn_device_close(*state);
}

static void events_stay_with_their_device(void **state) {
  qn_device *other;
  qn_stream *stream;
  qn_event *event, *foreign;
  double seconds;
  assert_int_equal(qn_device_acquire(&mock_backend, 1, &other), QN_OK);
  assert_int_equal(qn_stream_create(*state, &stream), QN_OK);
  assert_int_equal(qn_event_create(*state, &event), QN_OK);
  assert_int_equal(qn_event_create(other, &foreign), QN_OK);
  assert_int_equal(qn_event_record(foreign, stream), QN_EINVAL);
  assert_string_equal(qn_last_error(),
                      "qn_event_record: event is of device mock:1, stream of mock:0");
  assert_int_equal(qn_event_wait(foreign, stream), QN_EINVAL);
  assert_int_equal(qn_event_elapsed(event, foreign, &seconds), QN_EINVAL);
  qn_event_free(event);
  qn_event_free(foreign);
  qn_stream_free(stream);
  qn_device_close(other);
  qn_device_close(*state);
}

static void the_cpu_measures_time(void **state) {
  qn_device *cpu;
  qn_stream *stream;
  qn_event *start, *stop;
  double seconds = -1.0;
  qn_device_close(*state);
  assert_int_equal(qn_device_open("cpu", &cpu), QN_OK);
  assert_int_equal(qn_stream_create(cpu, &stream), QN_OK);
  assert_int_equal(qn_event_create(cpu, &start), QN_OK);
  assert_int_equal(qn_event_create(cpu, &stop), QN_OK);
  assert_int_equal(qn_event_record(start, stream), QN_OK);
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  assert_int_equal(qn_event_record(stop, stream), QN_OK);
  assert_int_equal(qn_event_elapsed(start, stop, &seconds), QN_OK);
  assert_true(seconds >= 0.02 && seconds < 60.0);
  qn_event_free(start);
  qn_event_free(stop);
  qn_stream_free(stream);
  qn_device_close(cpu);
}

/* ---- faults ---- */

static void a_lost_device_fails_all_that_is_on_it(void **state) {
  qn_device *device = *state;
  qn_stream *s, *t, *late = NULL;
  qn_event *event;
  qn_buffer *buffer, *more;
  assert_int_equal(qn_stream_create(device, &s), QN_OK);
  assert_int_equal(qn_stream_create(device, &t), QN_OK);
  assert_int_equal(qn_event_create(device, &event), QN_OK);
  assert_int_equal(qn_event_record(event, t), QN_OK);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 4, &buffer), QN_OK);
  mock.lose_next_copy = true;
  assert_int_equal(qn_copy_in(s, buffer, 0, "abc", 4), QN_ELOST);
  assert_int_equal(qn_stream_sync(s), QN_ELOST);
  assert_string_equal(qn_last_error(), "qn_stream_sync: the stream failed before: mock: the device "
                                       "fell off the bus");
  assert_int_equal(qn_fill(t, buffer, 0, 4, 0, 1), QN_ELOST);
  assert_string_equal(qn_last_error(),
                      "qn_fill: device mock:0 is lost: close everything that uses it");
  assert_int_equal(qn_stream_create(device, &late), QN_ELOST);
  assert_null(late);
  assert_int_equal(qn_event_sync(event), QN_ELOST);
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, 4, &more), QN_ELOST);
  qn_buffer_free(buffer);
  qn_event_free(event);
  qn_stream_free(s);
  qn_stream_free(t);
  qn_device_close(device);
  assert_int_equal(qn_device_acquire(&mock_backend, 0, &device), QN_OK);
  assert_int_equal(qn_stream_create(device, &s), QN_OK); /* a new object has a new life */
  qn_stream_free(s);
  qn_device_close(device);
}

static void a_driver_fault_stays_on_its_stream_alone(void **state) {
  qn_device *device = *state;
  qn_stream *s, *t;
  assert_int_equal(qn_stream_create(device, &s), QN_OK);
  assert_int_equal(qn_stream_create(device, &t), QN_OK);
  assert_int_equal(qn_stream_result(s, qn_fail(QN_EBACKEND, "launch", "error 700")), QN_EBACKEND);
  assert_int_equal(qn_stream_result(s, qn_fail(QN_EBACKEND, "launch", "another")), QN_EBACKEND);
  for (int again = 0; again < 2; again++) {
    assert_int_equal(qn_stream_sync(s), QN_EBACKEND);
    assert_string_equal(qn_last_error(),
                        "qn_stream_sync: the stream failed before: launch: error 700");
  }
  assert_int_equal(qn_stream_sync(t), QN_OK);
  qn_stream_free(s);
  qn_stream_free(t);
  qn_device_close(device);
}

static void a_refusal_does_not_stay(void **state) {
  qn_device *device = *state;
  qn_stream *s;
  assert_int_equal(qn_stream_create(device, &s), QN_OK);
  assert_int_equal(qn_stream_result(s, QN_EDEVMEM), QN_EDEVMEM);
  assert_int_equal(qn_stream_result(s, QN_EUNSUPPORTED), QN_EUNSUPPORTED);
  assert_int_equal(qn_stream_sync(s), QN_OK);
  qn_stream_free(s);
  qn_device_close(device);
}

/* ---- traces ---- */

typedef struct tale {
  int steps;
  qn_trace_step last;
} tale;

static void note(void *user, const qn_trace_step *step) {
  tale *told = user;
  told->steps++;
  told->last = *step;
}

static void a_trace_hears_of_each_step(void **state) {
  qn_device *device = *state;
  qn_stream *s;
  qn_matrix m;
  float data[12] = {0};
  tale told = {0};
  assert_int_equal(qn_stream_create(device, &s), QN_OK);
  assert_int_equal(qn_matrix_alloc(device, QN_F32, 3, 4, &m), QN_OK);
  assert_int_equal(qn_stream_set_trace(s, note, &told), QN_OK);
  assert_int_equal(qn_matrix_write(s, m, data, 3), QN_OK);
  assert_int_equal(told.steps, 1);
  assert_string_equal(told.last.kind, "copy");
  assert_int_equal(told.last.m, 3);
  assert_int_equal(told.last.n, 4);
  assert_true(told.last.bytes == 48.0 && told.last.seconds >= 0.0);
  assert_int_equal(mock.syncs, 2); /* before and after: the time is the step's own */
  assert_int_equal(qn_copy_out(s, data, m.buffer, 0, 16), QN_OK);
  assert_int_equal(told.steps, 2);
  assert_int_equal(qn_stream_set_trace(s, NULL, NULL), QN_OK);
  assert_int_equal(qn_matrix_read(s, data, 3, m), QN_OK);
  assert_int_equal(told.steps, 2);
  assert_int_equal(qn_stream_set_trace(NULL, note, &told), QN_EINVAL);
  qn_buffer_free(m.buffer);
  qn_stream_free(s);
  qn_device_close(device);
}

#define DEVICE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, all_is_gone)

int main(void) {
  const struct CMUnitTest tests[] = {
      DEVICE_TEST(a_device_is_one_object_while_it_is_open),
      DEVICE_TEST(what_hangs_on_a_device_keeps_it),
      DEVICE_TEST(freeing_a_stream_finishes_its_work),
      DEVICE_TEST(freeing_null_is_allowed),
      DEVICE_TEST(objects_need_a_device),
      DEVICE_TEST(wrapped_addresses_hold_whole_elements),
      DEVICE_TEST(the_math_mode_is_the_streams),
      DEVICE_TEST(an_event_orders_two_streams),
      DEVICE_TEST(an_event_that_was_never_recorded_holds_nobody),
      DEVICE_TEST(events_stay_with_their_device),
      DEVICE_TEST(the_cpu_measures_time),
      DEVICE_TEST(a_lost_device_fails_all_that_is_on_it),
      DEVICE_TEST(a_driver_fault_stays_on_its_stream_alone),
      DEVICE_TEST(a_refusal_does_not_stay),
      DEVICE_TEST(a_trace_hears_of_each_step),
  };
  return cmocka_run_group_tests_name("lifetime", tests, NULL, NULL);
}
