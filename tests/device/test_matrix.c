/* Views: which are right, what is said of the others, and copies of rectangles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "device/device.h"

typedef struct fixture {
  qn_device *device;
  qn_stream *stream;
  qn_buffer *buffer; /* 100 f32 */
} fixture;

enum { ELEMENTS = 100 };

static int set_up(void **state) {
  static fixture f;
  assert_int_equal(qn_device_open("cpu", &f.device), QN_OK);
  assert_int_equal(qn_stream_create(f.device, &f.stream), QN_OK);
  assert_int_equal(qn_buffer_alloc(f.device, QN_MEMORY_DEVICE, 4 * ELEMENTS, &f.buffer), QN_OK);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  qn_buffer_free(f->buffer);
  qn_stream_free(f->stream);
  qn_device_close(f->device);
  return 0;
}

static qn_matrix view(fixture *f, int64_t offset, int64_t rows, int64_t cols, int64_t ld) {
  return (qn_matrix){f->buffer, offset, rows, cols, ld, QN_F32};
}

static void right(fixture *f, qn_matrix m) {
  assert_int_equal(qn_matrix_check(f->stream, m, "test", "a"), QN_OK);
}

static void wrong(fixture *f, qn_matrix m, const char *why) {
  assert_int_equal(qn_matrix_check(f->stream, m, "qn_gemm", "a"), QN_EINVAL);
  if (!strstr(qn_last_error(), why)) fail_msg("'%s' lacks '%s'", qn_last_error(), why);
  assert_int_equal(strncmp(qn_last_error(), "qn_gemm: a ", 11), 0);
}

static void bounds_are_exact(void **state) {
  fixture *f = *state;
  right(f, view(f, 0, 10, 10, 10));
  right(f, view(f, 1, 9, 10, 10));
  wrong(f, view(f, 1, 10, 10, 10), "reaches past its buffer");
  right(f, view(f, 0, 1, 100, 1));
  wrong(f, view(f, 0, 1, 101, 1), "reaches past");
  right(f, view(f, 0, 2, 2, 98)); /* the last column needs no gap after it */
  wrong(f, view(f, 0, 2, 2, 99), "reaches past");
  right(f, view(f, 99, 1, 1, 1000000));
  wrong(f, view(f, 100, 1, 1, 1), "reaches past");
  qn_matrix m = view(f, 0, 10, 10, 10);
  m.dtype = QN_F64;
  wrong(f, m, "reaches past");
  m.dtype = QN_F16;
  m.cols = 20;
  right(f, m);
}

static void empty_views_are_right_anywhere(void **state) {
  fixture *f = *state;
  right(f, view(f, 0, 0, 0, 1));
  right(f, view(f, 5000, 0, 7, 1));
  right(f, view(f, 5000, 7, 0, 7));
  right(f, view(f, 0, INT64_MAX, 0, INT64_MAX));
  right(f, qn_matrix_sub(view(f, 0, 10, 10, 10), 10, 10, 0, 0));
}

static void wrong_views_are_told_why(void **state) {
  fixture *f = *state;
  wrong(f, view(f, 0, -1, 1, 1), "negative size: -1 x 1, ld 1, offset 0, f32, in a buffer of 400");
  wrong(f, view(f, 0, 1, -1, 1), "negative size");
  wrong(f, view(f, 0, 0, 0, 0), "ld below max(1, rows)");
  wrong(f, view(f, 0, 5, 1, 4), "ld below max(1, rows)");
  wrong(f, view(f, -1, 1, 1, 1), "negative offset");
  qn_matrix m = view(f, 0, 1, 1, 1);
  m.dtype = (qn_dtype)77;
  wrong(f, m, "has dtype 77");
  m = view(f, 0, 1, 1, 1);
  m.buffer = NULL;
  wrong(f, m, "has no buffer");
}

static void sizes_cannot_overflow(void **state) {
  fixture *f = *state;
  const int64_t big = INT64_MAX;
  wrong(f, view(f, 0, big, big, big), "beyond 64 bits");
  wrong(f, view(f, 0, 1, big, big), "beyond 64 bits");
  wrong(f, view(f, big, 1, 2, big), "beyond 64 bits");
  wrong(f, view(f, big, 1, 1, 1), "beyond 64 bits");
  wrong(f, view(f, big - 1, 1, 1, 1), "reaches past");
  wrong(f, view(f, 0, 1, 3, big / 2), "reaches past");
  wrong(f, view(f, 0, 2, 3, big / 2), "beyond 64 bits");
  wrong(f, view(f, 0, 1, (int64_t)1 << 32, (int64_t)1 << 32), "beyond 64 bits");
}

static void elements_must_be_aligned(void **state) {
  fixture *f = *state;
  _Alignas(16) char own[64];
  qn_buffer *odd;
  assert_int_equal(qn_buffer_wrap(f->device, own + 4, 32, &odd), QN_OK);
  right(f, qn_matrix_of(odd, QN_F32, 1, 1, 1));
  right(f, qn_matrix_of(odd, QN_C64, 1, 1, 1)); /* two f32 */
  wrong(f, qn_matrix_of(odd, QN_F64, 1, 1, 1), "not aligned");
  wrong(f, qn_matrix_of(odd, QN_C128, 1, 1, 1), "not aligned");
  qn_buffer_free(odd);
}

static void views_stay_with_their_device(void **state) {
  fixture *f = *state;
  qn_device *other;
  qn_matrix m;
  assert_int_equal(qn_device_open("faults+cpu", &other), QN_OK);
  assert_int_equal(qn_matrix_alloc(other, QN_F32, 1, 1, &m), QN_OK);
  wrong(f, m, "is of device faults+cpu, the stream of cpu");
  qn_buffer_free(m.buffer);
  qn_device_close(other);
}

static void alloc_makes_room_for_all(void **state) {
  fixture *f = *state;
  qn_matrix m;
  assert_int_equal(qn_matrix_alloc(f->device, QN_C128, 7, 3, &m), QN_OK);
  assert_int_equal(m.ld, 7);
  assert_int_equal(m.offset, 0);
  assert_int_equal(qn_buffer_size(m.buffer), 7 * 3 * 16);
  right(f, m);
  qn_buffer_free(m.buffer);
  assert_int_equal(qn_matrix_alloc(f->device, QN_F32, 0, 3, &m), QN_OK);
  assert_int_equal(m.ld, 1);
  right(f, m);
  qn_buffer_free(m.buffer);
  assert_int_equal(qn_matrix_alloc(f->device, QN_F32, -1, 3, &m), QN_EINVAL);
  assert_null(m.buffer);
  assert_int_equal(qn_matrix_alloc(f->device, (qn_dtype)-1, 1, 1, &m), QN_EINVAL);
  assert_int_equal(qn_matrix_alloc(f->device, QN_F32, 1, 1, NULL), QN_EINVAL);
  assert_int_equal(qn_matrix_alloc(NULL, QN_F32, 1, 1, &m), QN_EINVAL);
  const int64_t big = (int64_t)1 << 32;
  assert_int_equal(qn_matrix_alloc(f->device, QN_F32, big, big, &m), QN_EDEVMEM);
  assert_int_equal(qn_matrix_alloc(f->device, QN_F64, big, big / 4, &m), QN_EDEVMEM);
  assert_int_equal(qn_pool_set_limit(f->device, 1 << 20), QN_OK);
  assert_int_equal(qn_matrix_alloc(f->device, QN_F32, big * 512, big / 8192, &m), QN_EDEVMEM);
}

/* Every shape up to 5 x 5, with and without gaps on each side: what is inside arrives, and nothing
 * else is touched. */
static void rectangles_travel_without_their_gaps(void **state) {
  fixture *f = *state;
  float *device = qn_buffer_host(f->buffer), in[ELEMENTS], out[ELEMENTS];
  for (int i = 0; i < ELEMENTS; i++) in[i] = (float)(i + 1);
  for (int rows = 0; rows <= 5; rows++)
    for (int cols = 0; cols <= 5; cols++)
      for (int gaps = 0; gaps < 4; gaps++) {
        int ld_host = (rows ? rows : 1) + (gaps & 1), ld = (rows ? rows : 1) + 2 * (gaps >> 1);
        for (int i = 0; i < ELEMENTS; i++) device[i] = out[i] = -1.0f;
        qn_matrix m = view(f, 3, rows, cols, ld);
        assert_int_equal(qn_matrix_write(f->stream, m, in, ld_host), QN_OK);
        assert_int_equal(qn_matrix_read(f->stream, out, ld_host, m), QN_OK);
        for (int i = 0; i < ELEMENTS; i++) {
          int row = (i - 3) % ld, col = (i - 3) / ld;
          bool inside = i >= 3 && row < rows && col < cols;
          assert_true(device[i] == (inside ? in[row + col * ld_host] : -1.0f));
          row = i % ld_host, col = i / ld_host;
          assert_true(out[i] == (row < rows && col < cols ? in[i] : -1.0f));
        }
      }
}

static void copies_check_the_hosts_side(void **state) {
  fixture *f = *state;
  float data[ELEMENTS] = {0};
  qn_matrix m = view(f, 0, 5, 5, 5);
  assert_int_equal(qn_matrix_write(f->stream, m, data, 4), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_matrix_write: ld_src is 4, below max(1, rows) of 5 x 5");
  assert_int_equal(qn_matrix_read(f->stream, data, 4, m), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_matrix_read: ld_dst is 4, below max(1, rows) of 5 x 5");
  assert_int_equal(qn_matrix_write(f->stream, m, NULL, 5), QN_EINVAL);
  assert_string_equal(qn_last_error(), "qn_matrix_write: src is NULL");
  assert_int_equal(qn_matrix_read(f->stream, NULL, 5, m), QN_EINVAL);
  assert_int_equal(qn_matrix_write(NULL, m, data, 5), QN_EINVAL);
  assert_int_equal(qn_matrix_write(f->stream, m, data, INT64_MAX), QN_EINVAL);
  assert_int_equal(qn_matrix_write(f->stream, m, data, INT64_MAX / 8), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "beyond the address space"));
  assert_int_equal(qn_matrix_write(f->stream, m, data, (int64_t)1 << 59), QN_EINVAL);
  qn_matrix none = qn_matrix_sub(m, 0, 0, m.rows, 0);
  assert_int_equal(qn_matrix_write(f->stream, none, NULL, INT64_MAX), QN_OK);
  assert_int_equal(qn_matrix_read(f->stream, NULL, INT64_MAX, none), QN_OK);
  m = view(f, 0, 0, 5, 1);
  assert_int_equal(qn_matrix_write(f->stream, m, NULL, 1), QN_OK);
  assert_int_equal(qn_matrix_read(f->stream, NULL, 1, m), QN_OK);
}

#define MATRIX_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      MATRIX_TEST(bounds_are_exact),
      MATRIX_TEST(empty_views_are_right_anywhere),
      MATRIX_TEST(wrong_views_are_told_why),
      MATRIX_TEST(sizes_cannot_overflow),
      MATRIX_TEST(elements_must_be_aligned),
      MATRIX_TEST(views_stay_with_their_device),
      MATRIX_TEST(alloc_makes_room_for_all),
      MATRIX_TEST(rectangles_travel_without_their_gaps),
      MATRIX_TEST(copies_check_the_hosts_side),
  };
  return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
