/* Fills by compiled kernels: the cpu's bits, number for number, in dense views and ones with gaps.
 */
#include <quern/quern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static qn_device *devices[2];
static qn_stream *streams[2];

typedef qn_status fill_fn(qn_stream *, qn_rng *, qn_matrix);

/* The whole buffer after a fill of rows x cols with `ld`, the rest being 0xff. */
static void fill_on(int d, fill_fn *fill, qn_rng *rng, qn_dtype dtype, int64_t rows, int64_t cols,
                    int64_t ld, void *bytes, size_t size) {
  qn_buffer *buffer;
  assert_int_equal(qn_buffer_alloc(devices[d], QN_MEMORY_DEVICE, size, &buffer), QN_OK);
  assert_int_equal(qn_fill(streams[d], buffer, 0, size, 0xff, 1), QN_OK);
  qn_matrix m = qn_matrix_of(buffer, dtype, rows, cols, ld);
  m.offset = 3;
  assert_int_equal(fill(streams[d], rng, m), QN_OK);
  assert_int_equal(qn_copy_out(streams[d], bytes, buffer, 0, size), QN_OK);
  assert_int_equal(qn_stream_sync(streams[d]), QN_OK);
  qn_buffer_free(buffer);
}

static void compare(fill_fn *fill, qn_dtype dtype, int64_t rows, int64_t cols, int64_t ld) {
  size_t size = (size_t)(ld * cols + 8) * qn_dtype_size(dtype);
  char *want = malloc(size), *got = malloc(size);
  qn_rng a = qn_rng_make(QN_RNG_EP_SEED), b = a;
  for (int again = 0; again < 2; again++) { /* the second goes on where the first ended */
    fill_on(0, fill, &a, dtype, rows, cols, ld, want, size);
    fill_on(1, fill, &b, dtype, rows, cols, ld, got, size);
    assert_int_equal(a.state, b.state);
    assert_memory_equal(got, want, size);
  }
  free(want);
  free(got);
}

static void test_bits(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{1, 1, 1},        {5, 3, 7},       {1023, 1, 1023},
                                      {1025, 1, 2000},  {333, 100, 333}, {100, 333, 101},
                                      {70000, 3, 70000}};
  qn_device_info info;
  assert_int_equal(qn_device_query(devices[1], &info), QN_OK);
  bool f64 = info.dtypes >> QN_F64 & 1;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const int64_t *s = shapes[i];
    compare(qn_rng_uniform, QN_F32, s[0], s[1], s[2]);
    if (!f64) continue;
    compare(qn_rng_uniform, QN_F64, s[0], s[1], s[2]);
    compare(qn_rng_normal, QN_F32, s[0], s[1], s[2]);
    compare(qn_rng_normal, QN_F64, s[0], s[1], s[2]);
  }
}

int main(void) {
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (qn_device_open("cpu", &devices[0]) || qn_stream_create(devices[0], &streams[0])) return 1;
  if (qn_device_open(name ? name : "opencl:0", &devices[1]) != QN_OK) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  if (qn_stream_create(devices[1], &streams[1])) return 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
  int bad = cmocka_run_group_tests(tests, NULL, NULL);
  for (int d = 0; d < 2; d++) {
    qn_stream_free(streams[d]);
    qn_device_close(devices[d]);
  }
  return bad;
}
