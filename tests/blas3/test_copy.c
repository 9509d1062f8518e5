/* qn_matrix_copy: every dtype and form between views with gaps, bit for bit; the gaps stay. On the
 * device that QUERN_TEST_DEVICE names, the cpu by default. */
#include <quern/quern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROOM = 610 * 451 * 16 };

static qn_device *device;
static qn_stream *stream;

/* Bytes that are no pattern of any element size; signs of zeros and NaN are among them. */
static void noise(unsigned char *to, size_t bytes, uint32_t seed) {
  for (size_t i = 0; i < bytes; i++) {
    seed = seed * 1664525u + 1013904223u;
    to[i] = (unsigned char)(seed >> 24);
  }
}

/* The element as op leaves it: conjugation turns the sign bit of the second part. */
static void element(unsigned char *to, const unsigned char *from, qn_dtype dtype, qn_trans trans) {
  const size_t size = qn_dtype_size(dtype);
  memcpy(to, from, size);
  if (trans == QN_CONJTRANS && dtype >= QN_C64) to[size - 1] ^= 0x80;
}

static void check(qn_dtype dtype, qn_trans trans, int64_t m, int64_t n) {
  static unsigned char a[ROOM], b[ROOM], want[ROOM];
  const size_t size = qn_dtype_size(dtype);
  const int64_t rows = trans == QN_NOTRANS ? m : n, cols = trans == QN_NOTRANS ? n : m;
  const int64_t lda = m + 3, ldb = rows + 5;
  qn_matrix ma, mb;
  assert_int_equal(qn_matrix_alloc(device, dtype, lda, n + 1, &ma), QN_OK);
  assert_int_equal(qn_matrix_alloc(device, dtype, ldb, cols + 1, &mb), QN_OK);
  noise(a, (size_t)(lda * (n + 1)) * size, 1);
  noise(want, (size_t)(ldb * (cols + 1)) * size, 2);
  assert_int_equal(qn_matrix_write(stream, ma, a, lda), QN_OK);
  assert_int_equal(qn_matrix_write(stream, mb, want, ldb), QN_OK);
  /* views that begin inside */
  qn_matrix va = qn_matrix_sub(ma, 2, 1, m, n), vb = qn_matrix_sub(mb, 4, 1, rows, cols);
  assert_int_equal(qn_matrix_copy(stream, trans, va, vb), QN_OK);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      const int64_t at = trans == QN_NOTRANS ? i + j * ldb : j + i * ldb;
      element(want + (size_t)(vb.offset + at) * size, a + (size_t)(va.offset + i + j * lda) * size,
              dtype, trans);
    }
  assert_int_equal(qn_matrix_read(stream, b, ldb, mb), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  assert_memory_equal(b, want, (size_t)(ldb * (cols + 1)) * size);
  qn_buffer_free(ma.buffer);
  qn_buffer_free(mb.buffer);
}

static void all_forms(void **state) {
  (void)state;
  static const qn_trans trans[] = {QN_NOTRANS, QN_TRANS, QN_CONJTRANS};
  static const int64_t shapes[][2] = {{1, 1},  {5, 3},  {32, 32}, {33, 31},
                                      {70, 1}, {1, 70}, {67, 80}};
  for (int dtype = 0; dtype < QN_DTYPE_COUNT; dtype++)
    for (int t = 0; t < 3; t++)
      for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        check((qn_dtype)dtype, trans[t], shapes[s][0], shapes[s][1]);
}

/* So much that CUDA's copies are by a kernel, whose last group and last columns are not full. */
static void large(void **state) {
  (void)state;
  check(QN_C128, QN_NOTRANS, 600, 449);
}

/* Views whose last column ends where the buffer does, of the size that a pool's block has: behind
 * that column there is not room for another ld. */
static void end_of_a_buffer(void **state) {
  (void)state;
  enum { M = 12, N = 6, LD = 100, ALL = (N - 1) * LD + M };
  float own[M * N], back[M * N] = {0};
  qn_buffer *tight[2];
  qn_matrix m[2];
  for (int i = 0; i < M * N; i++) own[i] = (float)i;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, ALL * sizeof *own, &tight[i]),
                     QN_OK);
    m[i] = qn_matrix_of(tight[i], QN_F32, M, N, LD);
    assert_int_equal(qn_fill(stream, tight[i], 0, ALL * sizeof *own, 0, 4), QN_OK);
  }
  assert_int_equal(qn_matrix_write(stream, m[0], own, M), QN_OK);
  assert_int_equal(qn_matrix_copy(stream, QN_NOTRANS, m[0], m[1]), QN_OK);
  assert_int_equal(qn_matrix_read(stream, back, M, m[1]), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  assert_memory_equal(back, own, sizeof own);
  for (int i = 0; i < 2; i++) qn_buffer_free(tight[i]);
}

static void refused(void **state) {
  (void)state;
  qn_matrix a, b, c;
  assert_int_equal(qn_matrix_alloc(device, QN_F32, 4, 3, &a), QN_OK);
  assert_int_equal(qn_matrix_alloc(device, QN_F32, 3, 4, &b), QN_OK);
  assert_int_equal(qn_matrix_alloc(device, QN_F64, 4, 3, &c), QN_OK);
  assert_int_equal(qn_matrix_copy(NULL, QN_NOTRANS, a, a), QN_EINVAL);
  assert_int_equal(qn_matrix_copy(stream, QN_NOTRANS, a, b), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "b is 3 x 4 where op(a) is 4 x 3"));
  assert_int_equal(qn_matrix_copy(stream, QN_NOTRANS, a, c), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "b is f64 where a is f32"));
  assert_int_equal(qn_matrix_copy(stream, (qn_trans)'X', a, b), QN_EINVAL);
  assert_int_equal(qn_matrix_copy(stream, QN_TRANS, a, b), QN_OK);
  a.cols = b.rows = 0;
  assert_int_equal(qn_matrix_copy(stream, QN_TRANS, a, b), QN_OK);
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
  qn_buffer_free(c.buffer);
}

int main(void) {
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (qn_device_open(name ? name : "cpu", &device) || qn_stream_create(device, &stream)) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_forms), cmocka_unit_test(large),
                                     cmocka_unit_test(end_of_a_buffer), cmocka_unit_test(refused)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  qn_stream_free(stream);
  qn_device_close(device);
  return failed;
}
