/* .npy: shapes, orders, byte orders and dtypes in, the written bytes out. */
#include "io/files.h"
#include "io/npy.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static qn_file_matrix open_ok(const char *path) {
  qn_file_matrix m;
  if (qn_io_open(path, &m) != QN_OK) fail_msg("%s", qn_last_error());
  assert_true(m.ld >= 1 && m.ld >= m.rows);
  return m;
}

static double at(const qn_file_matrix *m, int64_t i, int64_t j) {
  assert_int_equal(m->dtype, QN_F64);
  return ((const double *)m->data)[i + j * m->ld];
}

static void fortran_order_is_mapped_and_private(void **state) {
  (void)state;
  const double data[] = {1, 2, 3, 4, 5, 6};
  const char *path = npy_file(
      "f.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", data, sizeof data);
  qn_file_matrix m = open_ok(path);
  assert_int_equal(m.hold, QN_IO_MAPPED);
  assert_true(m.rows == 2 && m.cols == 3 && m.ld == 2);
  assert_memory_equal(m.data, data, sizeof data);
  ((double *)m.data)[0] = 77; /* ours alone */
  qn_io_close(&m);
  assert_null(m.data);
  qn_io_close(&m);
  m = open_ok(path);
  assert_true(at(&m, 0, 0) == 1);
  qn_io_close(&m);
}

static void c_order_is_transposed(void **state) {
  (void)state;
  const double data[] = {1, 2, 3, 4, 5, 6};
  qn_file_matrix m =
      open_ok(npy_file("c.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
                       data, sizeof data));
  assert_int_equal(m.hold, QN_IO_ALLOCATED);
  assert_true(at(&m, 0, 0) == 1 && at(&m, 0, 1) == 2 && at(&m, 0, 2) == 3);
  assert_true(at(&m, 1, 0) == 4 && at(&m, 1, 1) == 5 && at(&m, 1, 2) == 6);
  qn_io_close(&m);
}

static void a_row_or_column_in_either_order_is_mapped(void **state) {
  (void)state;
  const double data[] = {1, 2, 3};
  const struct {
    const char *shape;
    int64_t rows, cols;
  } cases[] = {{"()", 1, 1}, {"(3,)", 3, 1}, {"(1, 3)", 1, 3}, {"(3, 1)", 3, 1}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    char text[128];
    snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }",
             i % 2 ? "True" : "False", cases[i / 2].shape);
    qn_file_matrix m = open_ok(npy_file("v.npy", 1, text, data, sizeof data));
    assert_int_equal(m.hold, QN_IO_MAPPED);
    assert_true(m.rows == cases[i / 2].rows && m.cols == cases[i / 2].cols);
    assert_true(at(&m, m.rows - 1, m.cols - 1) == (double)(m.rows * m.cols));
    qn_io_close(&m);
  }
}

static void empty_shapes_are_matrices_without_data(void **state) {
  (void)state;
  const char *shapes[] = {"(0,)", "(0, 5)", "(5, 0)", "(0, 9223372036854775807)"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char text[128];
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }",
             shapes[i]);
    qn_file_matrix m = open_ok(npy_file("e.npy", 1, text, NULL, 0));
    assert_true(m.rows * m.cols == 0);
    assert_null(m.data);
    qn_io_close(&m);
  }
}

/* Every byte of element e (counted in the file) is told apart: (e * 37 + byte * 11 + 5) mod 256. */
static unsigned char pattern(size_t element, size_t byte) {
  return (unsigned char)(element * 37 + (element >> 8) * 101 + byte * 11 + 5);
}

static void check_layout(const char *descr, qn_dtype dtype, size_t word, int64_t rows, int64_t cols,
                         bool fortran, bool swapped, size_t misaligned) {
  static unsigned char data[1 << 19];
  size_t size = qn_dtype_size(dtype), count = (size_t)(rows * cols);
  for (size_t e = 0; e < count; e++)
    for (size_t b = 0; b < size; b++) data[e * size + b] = pattern(e, b);
  char text[256];
  snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%d, %d), }%*s",
           swapped ? '>' : '<', descr, fortran ? "True" : "False", (int)rows, (int)cols,
           (int)misaligned, "");
  const char *path = npy_file("layout.npy", 1, text, data, count * size);
  if (misaligned) { /* take the padding away, so that the elements stand at an odd address */
    size_t have;
    char *bytes = (char *)(uintptr_t)file_bytes(path, &have);
    size_t start = have - count * size;
    memmove(bytes + start - misaligned, bytes + start, count * size);
    bytes[8] = (char)(start - misaligned - 10);
    path = file_with("layout.npy", bytes, have - misaligned);
  }
  qn_file_matrix m = open_ok(path);
  assert_true(m.dtype == dtype && m.rows == rows && m.cols == cols);
  for (int64_t j = 0; j < cols; j++)
    for (int64_t i = 0; i < rows; i++) {
      const unsigned char *got = (const unsigned char *)m.data + (size_t)(i + j * m.ld) * size;
      size_t e = (size_t)(fortran ? i + j * rows : i * cols + j);
      for (size_t b = 0; b < size; b++)
        assert_int_equal(got[b], pattern(e, swapped ? b / word * word + word - 1 - b % word : b));
    }
  qn_io_close(&m);
}

static void every_dtype_order_and_byte_order(void **state) {
  (void)state;
  const struct {
    const char *descr;
    qn_dtype dtype;
    size_t word;
  } types[] = {{"f2", QN_F16, 2},
               {"f4", QN_F32, 4},
               {"f8", QN_F64, 8},
               {"c8", QN_C64, 4},
               {"c16", QN_C128, 8}};
  const int64_t shapes[][2] = {{2, 3}, {1, 7}, {64, 8}, {65, 9}, {63, 7}, {130, 33}, {3, 200}};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
      for (int how = 0; how < 8; how++)
        check_layout(types[t].descr, types[t].dtype, types[t].word, shapes[s][0], shapes[s][1],
                     how & 1, how & 2, how & 4 ? 1 : 0);
}

static void a_version_2_and_3_header_is_read(void **state) {
  (void)state;
  const double data[] = {1, 2};
  for (int version = 2; version <= 3; version++) {
    qn_file_matrix m = open_ok(npy_file(
        "v2.npy", version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", data, 16));
    assert_true(m.rows == 2 && at(&m, 1, 0) == 2);
    qn_io_close(&m);
  }
}

static void two_byte_void_is_bf16_only_when_asked(void **state) {
  (void)state;
  const uint16_t data[] = {0x3f80, 0x4000};
  const char *descrs[] = {"|V2", "<V2", "V2"};
  for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++) {
    char text[128];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }",
             descrs[i]);
    const char *path = npy_file("b.npy", 1, text, data, sizeof data);
    assert_open_fails(path, QN_EFORMAT, "V2", "bf16", NULL);
    qn_file_matrix m;
    assert_int_equal(qn_io_open_as(path, QN_BF16, &m), QN_OK);
    assert_int_equal(m.dtype, QN_BF16);
    assert_memory_equal(m.data, data, sizeof data);
    qn_io_close(&m);
    assert_int_equal(qn_io_open_as(path, QN_F32, &m), QN_EFORMAT);
  }
}

static void a_pipe_is_read_to_its_end(void **state) {
  (void)state;
  enum { COUNT = 1 << 18 };
  double *data = malloc(COUNT * sizeof *data);
  assert_non_null(data);
  for (int i = 0; i < COUNT; i++) data[i] = i;
  const qn_file_matrix m = {
      .dtype = QN_F64, .rows = COUNT / 2, .cols = 2, .ld = COUNT / 2, .data = data};
  const char *path = file_path("big.npy"), *fifo = file_path("pipe.npy");
  assert_int_equal(qn_io_write(path, &m), QN_OK);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  char command[9000];
  snprintf(command, sizeof command, "cat '%s' > '%s' &", path, fifo);
  assert_int_equal(system(command), 0);
  qn_file_matrix got = open_ok(fifo);
  assert_int_equal(got.hold, QN_IO_ALLOCATED);
  assert_memory_equal(got.data, data, COUNT * sizeof *data);
  qn_io_close(&got);
  free(data);
}

static void written_as_version_1_in_fortran_order(void **state) {
  (void)state;
  const double data[] = {1, 2, -1, 3, 4, -1, 5, 6, -1}; /* 2 x 3 with ld 3 */
  const qn_file_matrix m = {
      .dtype = QN_F64, .rows = 2, .cols = 3, .ld = 3, .data = (void *)(uintptr_t)data};
  const char *path = file_path("w.npy");
  assert_int_equal(qn_io_write(path, &m), QN_OK);
  size_t size;
  const char *bytes = file_bytes(path, &size);
  const char expected[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': True, "
                          "'shape': (2, 3), }";
  assert_int_equal(size, 128 + 48);
  assert_memory_equal(bytes, expected, sizeof expected - 1);
  assert_int_equal(bytes[127], '\n');
  const double packed[] = {1, 2, 3, 4, 5, 6};
  assert_memory_equal(bytes + 128, packed, sizeof packed);
}

static void long_and_short_columns_with_a_gap_come_back(void **state) {
  (void)state;
  const int64_t shapes[][3] = {{5, 40000, 9}, {40000, 5, 40001}, {1, 3, 2}, {3, 1, 9}, {0, 4, 1}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    int64_t rows = shapes[s][0], cols = shapes[s][1], ld = shapes[s][2];
    double *data = malloc((size_t)(ld * cols) * sizeof *data);
    assert_non_null(data);
    for (int64_t e = 0; e < ld * cols; e++) data[e] = e % ld < rows ? (double)e : -1;
    const qn_file_matrix m = {.dtype = QN_F64, .rows = rows, .cols = cols, .ld = ld, .data = data};
    const char *path = file_path("gap.npy");
    assert_int_equal(qn_io_write(path, &m), QN_OK);
    qn_file_matrix got = open_ok(path);
    assert_true(got.rows == rows && got.cols == cols);
    for (int64_t j = 0; j < cols; j++)
      for (int64_t i = 0; i < rows; i++) assert_true(at(&got, i, j) == data[i + j * ld]);
    qn_io_close(&got);
    free(data);
  }
}

static void the_longest_header_fits(void **state) {
  (void)state;
  char header[QN_NPY_HEADER_MAX];
  size_t length = qn_npy_format(header, QN_C128, INT64_MAX, INT64_MAX);
  assert_int_equal(length, QN_NPY_HEADER_MAX);
  assert_int_equal(header[length - 1], '\n');
  assert_int_equal(header[8], (char)(length - 10));
}

static void bytes_after_the_array_are_ignored(void **state) {
  (void)state;
  const double data[] = {1, 2, 3};
  qn_file_matrix m = open_ok(
      npy_file("t.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }", data, 24));
  assert_true(m.rows == 2 && at(&m, 1, 0) == 2);
  assert_int_equal(m.beyond, 8);
  qn_io_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fortran_order_is_mapped_and_private),
      cmocka_unit_test(c_order_is_transposed),
      cmocka_unit_test(a_row_or_column_in_either_order_is_mapped),
      cmocka_unit_test(empty_shapes_are_matrices_without_data),
      cmocka_unit_test(every_dtype_order_and_byte_order),
      cmocka_unit_test(a_version_2_and_3_header_is_read),
      cmocka_unit_test(two_byte_void_is_bf16_only_when_asked),
      cmocka_unit_test(a_pipe_is_read_to_its_end),
      cmocka_unit_test(written_as_version_1_in_fortran_order),
      cmocka_unit_test(long_and_short_columns_with_a_gap_come_back),
      cmocka_unit_test(the_longest_header_fits),
      cmocka_unit_test(bytes_after_the_array_are_ignored),
  };
  return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
