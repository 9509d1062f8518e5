/* Every device makes the stream that the cpu makes, bit for bit. QUERN_TEST_DEVICE names the device
 * (opencl:0 unless set); without it the test is skipped. */
#include <quern/quern.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

typedef struct side {
  qn_device *device;
  qn_stream *stream;
} side;

static side reference, tested;

static bool open_side(side *s, const char *name) {
  return qn_device_open(name, &s->device) == QN_OK &&
         qn_stream_create(s->device, &s->stream) == QN_OK;
}

static void close_side(side *s) {
  qn_stream_free(s->stream);
  qn_device_close(s->device);
}

/* A parent of 0xee bytes, a view of it filled; all of the parent comes back. */
static unsigned char *filled(const side *s, bool normal, qn_rng *rng, qn_matrix view, size_t size) {
  unsigned char *bytes = malloc(size);
  assert_int_equal(qn_buffer_alloc(s->device, QN_MEMORY_DEVICE, size, &view.buffer), QN_OK);
  assert_int_equal(qn_fill(s->stream, view.buffer, 0, size, 0xee, 1), QN_OK);
  qn_status status = (normal ? qn_rng_normal : qn_rng_uniform)(s->stream, rng, view);
  if (status) print_error("%s\n", qn_last_error());
  assert_int_equal(status, QN_OK);
  assert_int_equal(qn_copy_out(s->stream, bytes, view.buffer, 0, size), QN_OK);
  assert_int_equal(qn_stream_sync(s->stream), QN_OK);
  qn_buffer_free(view.buffer);
  return bytes;
}

static void same_bits_as_the_cpu(void **unused) {
  (void)unused;
  static const int64_t shapes[][4] = {
      /* rows, cols, ld, offset */
      {1, 1, 1, 0},       {1, 700, 3, 5},  {1023, 1, 1023, 1},     {1024, 4, 1024, 0},
      {1025, 3, 1029, 2}, {77, 91, 80, 7}, {200000, 3, 200000, 0}, {37, 20011, 37, 0}};
  for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    for (int which = 0; which < 4; which++) {
      qn_matrix view = {.offset = shapes[i][3],
                        .rows = shapes[i][0],
                        .cols = shapes[i][1],
                        .ld = shapes[i][2],
                        .dtype = which & 2 ? QN_F32 : QN_F64};
      size_t size = qn_dtype_size(view.dtype) * (size_t)(view.offset + view.ld * view.cols);
      qn_rng here = qn_rng_make(QN_RNG_EP_SEED + 2 * i), there = here;
      unsigned char *want = filled(&reference, which & 1, &here, view, size);
      unsigned char *got = filled(&tested, which & 1, &there, view, size);
      assert_int_equal(here.state, there.state);
      assert_memory_equal(want, got, size);
      free(want);
      free(got);
    }
  }
}

int main(void) {
  const char *name = getenv("QUERN_TEST_DEVICE");
  qn_device_info info;
  if (!open_side(&tested, name ? name : "opencl:0") || qn_device_query(tested.device, &info)) {
    printf("skipped: %s\n", qn_last_error());
    return name ? 1 : SKIPPED;
  }
  if (!(info.dtypes >> QN_F64 & 1)) {
    printf("skipped: %s has no f64\n", info.id);
    return SKIPPED;
  }
  if (!open_side(&reference, "cpu")) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_as_the_cpu)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_side(&tested);
  close_side(&reference);
  return failed;
}
