/* Buffers on the cpu: ranges, copies, fills, wrapped memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "device/device.h"

typedef struct fixture {
  qn_device *device;
  qn_stream *stream;
  qn_buffer *a, *b; /* 64 bytes each */
} fixture;

enum { BYTES = 64 };

static int set_up(void **state) {
  static fixture f;
  assert_int_equal(qn_device_open("cpu", &f.device), QN_OK);
  assert_int_equal(qn_stream_create(f.device, &f.stream), QN_OK);
  assert_int_equal(qn_buffer_alloc(f.device, QN_MEMORY_DEVICE, BYTES, &f.a), QN_OK);
  assert_int_equal(qn_buffer_alloc(f.device, QN_MEMORY_PINNED, BYTES, &f.b), QN_OK);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  qn_buffer_free(f->a);
  qn_buffer_free(f->b);
  qn_stream_free(f->stream);
  qn_device_close(f->device);
  return 0;
}

static void cpu_memory_is_the_hosts(void **state) {
  fixture *f = *state;
  assert_non_null(qn_buffer_host(f->a));
  assert_ptr_equal(qn_buffer_host(f->a), qn_buffer_native(f->a));
  assert_int_equal((uintptr_t)qn_buffer_host(f->a) % 64, 0);
  assert_int_equal((uintptr_t)qn_buffer_host(f->b) % 64, 0);
}

static void copies_arrive_where_they_should(void **state) {
  fixture *f = *state;
  unsigned char in[BYTES], out[BYTES];
  for (int i = 0; i < BYTES; i++) in[i] = (unsigned char)(i * 37 + 1);
  assert_int_equal(qn_copy_in(f->stream, f->a, 0, in, BYTES), QN_OK);
  assert_int_equal(qn_fill(f->stream, f->b, 0, BYTES, 0xee, 1), QN_OK);
  assert_int_equal(qn_copy(f->stream, f->b, 10, f->a, 20, 7), QN_OK);
  assert_int_equal(qn_copy_out(f->stream, out, f->b, 0, BYTES), QN_OK);
  for (int i = 0; i < BYTES; i++) assert_int_equal(out[i], i >= 10 && i < 17 ? in[i + 10] : 0xee);
  memset(out, 0, sizeof out);
  assert_int_equal(qn_copy_out(f->stream, out, f->a, 60, 4), QN_OK);
  assert_memory_equal(out, in + 60, 4);
  assert_int_equal(out[4], 0);
}

static void within_a_buffer_copies_must_not_overlap(void **state) {
  fixture *f = *state;
  assert_int_equal(qn_copy(f->stream, f->a, 0, f->a, 31, 32), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_copy: dst [0, 32) and src [31, 63) overlap");
  assert_int_equal(qn_copy(f->stream, f->a, 31, f->a, 0, 32), QN_EINVAL);
  assert_int_equal(qn_copy(f->stream, f->a, 0, f->a, 32, 32), QN_OK);
  assert_int_equal(qn_copy(f->stream, f->a, 32, f->a, 0, 32), QN_OK);
}

static void fills_repeat_their_pattern(void **state) {
  fixture *f = *state;
  const unsigned char *bytes = qn_buffer_host(f->a);
  for (unsigned width = 1; width <= 4; width *= 2)
    for (size_t offset = 0; offset < 16; offset += width)
      for (size_t length = 0; length <= BYTES - offset; length += width) {
        const uint32_t pattern = 0xd4c3b2a1;
        memset(qn_buffer_host(f->a), 0x55, BYTES);
        assert_int_equal(qn_fill(f->stream, f->a, offset, length, pattern, width), QN_OK);
        for (size_t i = 0; i < BYTES; i++) {
          bool inside = i >= offset && i < offset + length;
          unsigned expected = inside ? (pattern >> 8 * ((i - offset) % width)) & 0xff : 0x55;
          if (bytes[i] != expected) fail_msg("width %u at %zu", width, i);
        }
      }
  assert_int_equal(qn_fill(f->stream, f->a, 0, 6, 0, 3), QN_EINVAL);
  assert_int_equal(qn_fill(f->stream, f->a, 2, 8, 0, 4), QN_EINVAL);
  assert_int_equal(qn_fill(f->stream, f->a, 0, 6, 0, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_fill: offset 0 or bytes 6 is no multiple of width 4");
}

static void ranges_are_checked_without_overflow(void **state) {
  fixture *f = *state;
  char data[BYTES] = "";
  const struct {
    size_t offset, bytes;
  } wrong[] = {{0, BYTES + 1}, {BYTES, 1},    {BYTES + 1, 0},     {1, SIZE_MAX},
               {SIZE_MAX, 1},  {SIZE_MAX, 2}, {64, SIZE_MAX - 63}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    size_t offset = wrong[i].offset, bytes = wrong[i].bytes;
    assert_int_equal(qn_copy_in(f->stream, f->a, offset, data, bytes), QN_EINVAL);
    assert_int_equal(qn_copy_out(f->stream, data, f->a, offset, bytes), QN_EINVAL);
    assert_int_equal(qn_copy(f->stream, f->a, offset, f->b, 0, bytes), QN_EINVAL);
    assert_int_equal(qn_copy(f->stream, f->a, 0, f->b, offset, bytes), QN_EINVAL);
    assert_int_equal(qn_fill(f->stream, f->a, offset, bytes, 0, 1), QN_EINVAL);
  }
  assert_int_equal(qn_copy_in(f->stream, f->a, 60, data, 5), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_copy_in: 5 bytes at 60 of dst, which has 64");
  assert_int_equal(qn_copy_in(f->stream, f->a, BYTES, NULL, 0), QN_OK);
}

static void missing_arguments_are_named(void **state) {
  fixture *f = *state;
  char data[4] = "";
  assert_int_equal(qn_copy_in(NULL, f->a, 0, data, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_copy_in: stream is NULL");
  assert_int_equal(qn_copy_in(f->stream, NULL, 0, data, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_copy_in: dst is NULL");
  assert_int_equal(qn_copy_in(f->stream, f->a, 0, NULL, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_copy_in: src is NULL");
  assert_int_equal(qn_copy_out(f->stream, NULL, f->a, 0, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_copy_out: dst is NULL");
  assert_int_equal(qn_copy_out(NULL, data, f->a, 0, 4), QN_EINVAL);
  assert_int_equal(qn_copy(f->stream, f->a, 0, NULL, 0, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_copy: src is NULL");
  assert_int_equal(qn_copy(NULL, f->a, 0, f->b, 0, 4), QN_EINVAL);
  assert_int_equal(qn_fill(NULL, f->a, 0, 4, 0, 4), QN_EINVAL);
}

static void buffers_stay_with_their_device(void **state) {
  fixture *f = *state;
  qn_device *other;
  qn_buffer *foreign;
  char data[4] = "";
  assert_int_equal(qn_device_open("faults+cpu", &other), QN_OK);
  assert_int_equal(qn_buffer_alloc(other, QN_MEMORY_DEVICE, 4, &foreign), QN_OK);
  assert_int_equal(qn_copy_in(f->stream, foreign, 0, data, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(),
                      "qn_copy_in: dst is of device faults+cpu, the stream of cpu");
  assert_int_equal(qn_copy(f->stream, f->a, 0, foreign, 0, 4), QN_EINVAL);
  qn_buffer_free(foreign);
  qn_device_close(other);
}

static void wrapped_memory_stays_the_callers(void **state) {
  fixture *f = *state;
  char own[32] = "the caller's";
  qn_buffer *buffer;
  assert_int_equal(qn_buffer_wrap(f->device, own, sizeof own, &buffer), QN_OK);
  assert_ptr_equal(qn_buffer_host(buffer), own);
  assert_ptr_equal(qn_buffer_native(buffer), own);
  assert_int_equal(qn_buffer_size(buffer), sizeof own);
  assert_int_equal(qn_copy_in(f->stream, buffer, 4, "library's", 10), QN_OK);
  assert_int_equal(qn_copy_in(f->stream, buffer, 28, "12345", 5), QN_EINVAL);
  qn_buffer_free(buffer);
  assert_string_equal(own, "the library's");
  assert_int_equal(qn_buffer_wrap(f->device, NULL, 0, &buffer), QN_OK);
  qn_buffer_free(buffer);
  qn_stream *stream;
  assert_int_equal(qn_stream_wrap(f->device, own, &stream), QN_EUNSUPPORTED);
}

static void empty_buffers_exist(void **state) {
  fixture *f = *state;
  qn_buffer *buffer;
  assert_int_equal(qn_buffer_alloc(f->device, QN_MEMORY_DEVICE, 0, &buffer), QN_OK);
  assert_int_equal(qn_buffer_size(buffer), 0);
  assert_int_equal(qn_fill(f->stream, buffer, 0, 0, 0, 4), QN_OK);
  assert_int_equal(qn_fill(f->stream, buffer, 0, 4, 0, 4), QN_EINVAL);
  qn_buffer_free(buffer);
}

#define BUFFER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      BUFFER_TEST(cpu_memory_is_the_hosts),
      BUFFER_TEST(copies_arrive_where_they_should),
      BUFFER_TEST(within_a_buffer_copies_must_not_overlap),
      BUFFER_TEST(fills_repeat_their_pattern),
      BUFFER_TEST(ranges_are_checked_without_overflow),
      BUFFER_TEST(missing_arguments_are_named),
      BUFFER_TEST(buffers_stay_with_their_device),
      BUFFER_TEST(wrapped_memory_stays_the_callers),
      BUFFER_TEST(empty_buffers_exist),
  };
  return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
