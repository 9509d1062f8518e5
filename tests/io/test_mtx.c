/* Matrix Market: every kind of file in, every fault named by its line, the written text out. */
#include "io/files.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY      "%%MatrixMarket matrix array real general\n"
#define COORDINATE "%%MatrixMarket matrix coordinate real general\n"

static qn_file_matrix open_text(const char *text) {
  qn_file_matrix m;
  if (qn_io_open(file_with_text("m.mtx", text), &m) != QN_OK)
    fail_msg("%s\n%s", qn_last_error(), text);
  return m;
}

/* `expected` is row by row, as one reads; complex numbers are two each. */
static void assert_matrix(const char *text, int64_t rows, int64_t cols, const double *expected) {
  qn_file_matrix m = open_text(text);
  assert_true(m.rows == rows && m.cols == cols && m.ld >= (rows ? rows : 1));
  int64_t parts = m.dtype == QN_C128 ? 2 : 1;
  assert_true(parts == 2 || m.dtype == QN_F64);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++)
      for (int64_t p = 0; p < parts; p++) {
        double got = ((const double *)m.data)[(i + j * m.ld) * parts + p];
        double want = expected[(i * cols + j) * parts + p];
        if (got != want && !(isnan(got) && isnan(want)))
          fail_msg("(%d, %d) is %g, not %g, of\n%s", (int)i, (int)j, got, want, text);
      }
  qn_io_close(&m);
}

static void arrays(void **state) {
  (void)state;
  const double general[] = {1, 3, 5, 2, 4, 6};
  assert_matrix("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", 2, 3, general);
  assert_matrix("%%MatrixMarket matrix array integer general\n2 3\n1\n+2\n3\n4\n5\n6", 2, 3,
                general);
  const double symmetric[] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
  assert_matrix("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3,
                symmetric);
  const double skew[] = {0, -1, -2, 1, 0, -3, 2, 3, 0};
  assert_matrix("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, skew);
  const double hermitian[] = {1, 0, 2, -3, 2, 3, 4, 0};
  assert_matrix("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", 2, 2,
                hermitian);
  const double complex_general[] = {1, 2, 3, 4};
  assert_matrix("%%MatrixMarket matrix array complex general\n1 2\n1 2\n3 4\n", 1, 2,
                complex_general);
  assert_matrix("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", 1, 1, skew);
}

static void coordinates(void **state) {
  (void)state;
  const double general[] = {0, 0, 1.5, -2, 0, 0};
  assert_matrix("%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 1.5\n2 1 -2\n", 2, 3,
                general);
  const double symmetric[] = {1, 2, 0, 2, 0, 3, 0, 3, 0};
  assert_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 1 2\n2 3 3\n", 3,
                3, symmetric);
  const double skew[] = {0, -2, 2, 0};
  assert_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 2\n1 1 0\n", 2, 2,
                skew);
  const double hermitian[] = {1, 0, 2, -3, 2, 3, 0, 0};
  assert_matrix("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 2 3\n", 2,
                2, hermitian);
  const double complex_skew[] = {0, 0, -2, -3, 2, 3, 0, 0};
  assert_matrix("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 2 3\n", 2, 2,
                complex_skew);
  const double pattern[] = {1, 0, 1, 1};
  assert_matrix("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n2 1\n2 2\n", 2, 2,
                pattern);
  const double twice[] = {3, 0, 0, 7};
  assert_matrix(
      "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n2 2 4\n1 1 2\n2 2 3\n", 2, 2,
      twice);
  const double mirrored_twice[] = {0, 3, 3, 0};
  assert_matrix("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 1\n1 2 2\n", 2, 2,
                mirrored_twice);
  const double zeros[] = {0, 0, 0, 0};
  assert_matrix("%%MatrixMarket matrix coordinate real general\n2 2 0\n", 2, 2, zeros);
}

static void liberties_that_files_take(void **state) {
  (void)state;
  const double two[] = {1000, -0.25};
  const char *forms[] = {
      "%%MATRIXMARKET MATRIX ARRAY REAL GENERAL\n2 1\n1e3\n-.25\n",
      "%%matrixmarket Matrix Array Double General  \n2 1\n1.0D+03\n-2.5d-1\n",
      "%%MatrixMarket matrix array real general\r\n% c\r\n2 1\r\n1000\r\n-0.25\r\n",
      ARRAY "%\n\n% 9 9\n  \n 2\t1 \n\n1000\n% c\n   % d\n\n-0.25\n\n%end",
      "%%MatrixMarket matrix array real general\n2 1\n1000 -0.25",
      "%%MatrixMarket\tmatrix\tarray\treal\tgeneral\n2 1\n1.+003\n-25-002\n",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) assert_matrix(forms[i], 2, 1, two);
  const char *coordinate =
      "%%MatrixMarket matrix coordinate real general\r\n%x\r\n\r\n2 1 2\r\n\r\n"
      "1 1 1000 \r\n%c\r\n\t2   1\t-0.25\r\n\r\n% end\r\n";
  assert_matrix(coordinate, 2, 1, two);
  const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, (double)NAN};
  assert_matrix("%%MatrixMarket matrix array real general\n1 4\nNaN\nInf\n-Infinity\n-nan\n", 1, 4,
                odd);
  assert_matrix("%%MatrixMarket matrix array real general\n0 4\n", 0, 4, NULL);
  assert_matrix("%%MatrixMarket matrix array real general\n0 9223372036854775807\n", 0, INT64_MAX,
                NULL);
  assert_matrix("%%MatrixMarket matrix array real symmetric\n0 0\n% none\n", 0, 0, NULL);
  assert_matrix("%%MatrixMarket matrix coordinate real general\n4 0 0", 4, 0, NULL);
}

static void negative_zero_survives(void **state) {
  (void)state;
  qn_file_matrix m = open_text("%%MatrixMarket matrix array real general\n1 1\n-0\n");
  assert_true(signbit(*(double *)m.data));
  qn_io_close(&m);
}

static void faults_of_the_header(void **state) {
  (void)state;
  const struct {
    const char *text, *says;
  } bad[] = {
      {"%%MatrixMarke matrix array real general\n1 1\n1\n", "neither"},
      {"%MatrixMarket matrix array real general\n1 1\n1\n", "neither"},
      {"%%MatrixMarket\n1 1\n1\n", "line 1, column 15: the object 'matrix' is missing"},
      {"%%MatrixMarket", "the object 'matrix' is missing"},
      {"%%MatrixMarket vector array real general\n1 1\n1\n", "'vector' is not the object"},
      {"%%MatrixMarket matrix dense real general\n1 1\n1\n", "'dense' is not the format"},
      {"%%MatrixMarket matrix array float general\n1 1\n1\n", "'float' is not the field"},
      {"%%MatrixMarket matrix array real\n1 1\n1\n", "the symmetry: general"},
      {"%%MatrixMarket matrix array real diagonal\n1 1\n1\n", "'diagonal' is not the symmetry"},
      {"%%MatrixMarket matrix array real general x\n1 1\n1\n", "'x' is not the end"},
      {"%%MatrixMarket matrix array pattern general\n1 1\n1\n", "a pattern has coordinates"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", "cannot be skew"},
      {"%%MatrixMarket matrix array real hermitian\n1 1\n1\n", "only a complex"},
      {"%%MatrixMarket matrix array real general\n", "the number of rows is missing"},
      {"%%MatrixMarket matrix array real general\n% 1 1\n", "the number of rows is missing"},
      {"%%MatrixMarket matrix array real general\n1\n1\n1\n",
       "line 2, column 2: the number of columns is missing"},
      {"%%MatrixMarket matrix array real general\n1 1 1\n1\n",
       "line 2, column 5: '1' is not the end"},
      {"%%MatrixMarket matrix array real general\n1 x\n1\n",
       "line 2, column 3: 'x' is not the number of columns"},
      {"%%MatrixMarket matrix array real general\n-1 1\n1\n", "'-1' is not the number of rows"},
      {"%%MatrixMarket matrix array real general\n1.0 1\n1\n", "'1.0' is not"},
      {"%%MatrixMarket matrix coordinate real general\n1 1\n1 1 1\n",
       "the number of entries is missing"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 1 0\n",
       "line 2, column 1: 2 x 1 is not square"},
      {"%%MatrixMarket matrix array real general\n99999999999999999999 1\n",
       "'99999999999999999999' is not"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_open_fails(file_with_text("h.mtx", bad[i].text), QN_EFORMAT, bad[i].says, NULL);
}

static void faults_of_the_entries(void **state) {
  (void)state;
  const struct {
    const char *text, *says;
  } bad[] = {
      {ARRAY "2 1\n1.000\n", "line 4, column 1: the file ends after 1 of 2 entries"},
      {ARRAY "1 1\n1\n\n% c\n2\n", "line 6, column 1: more than the 1 entries stated"},
      {ARRAY "2 1\n1\n 1x\n", "line 4, column 2: '1x' is not a number"},
      {ARRAY "2 1\n1\n1,5\n", "'1,5' is not a number"},
      {ARRAY "2 1\n1 % c\n1\n", "line 3, column 3: '%' is not a number"},
      {ARRAY "2 1\n1\n\x1b]0;\x07\n", "'?]0;?' is not a number"},
      {"%%MatrixMarket matrix array integer general\n2 1\n1\n1.5\n", "'1.5' is not an integer"},
      {"%%MatrixMarket matrix array complex general\n1 1\n11111\n2\n",
       "line 3, column 6: a number is missing"},
      {COORDINATE "2 2 2\n1 1 1\n", "line 4, column 1: the file ends after 1 of 2 entries"},
      {COORDINATE "2 2 1\n1 1 1\n2 2 1\n", "line 4, column 1: more than the 1 entries stated"},
      {COORDINATE "2 2 1\n3 1 1\n", "line 3, column 1: a row number 3 is not in 1 .. 2"},
      {COORDINATE "2 2 1\n1 3 1\n", "line 3, column 3: a column number 3 is not in 1 .. 2"},
      {COORDINATE "2 2 1\n0 1 1\n", "a row number 0 is not in 1 .. 2"},
      {COORDINATE "2 2 1\n-1 1 1\n", "'-1' is not a row number"},
      {COORDINATE "2 2 1\n1 1.0 1\n", "'1.0' is not a column number"},
      {COORDINATE "2 2 1\n1 1\n1\n", "line 3, column 4: a number is missing"},
      {COORDINATE "2 2 1\n1 1 1 1\n", "line 3, column 7: '1' is not the end"},
      {COORDINATE "2 2 1\n1 1 x\n", "line 3, column 5: 'x' is not a number"},
      {COORDINATE "2 2 1\n1\n", "a column number is missing"},
      {COORDINATE "0 2 1\n1 1 1\n", "a row number 1 is not in 1 .. 0"},
      {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n",
       "line 3, column 5: '1' is not the end"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
       "line 3, column 1: the diagonal"},
      {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1\n",
       "line 3, column 6: a number is missing"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_open_fails(file_with_text("e.mtx", bad[i].text), QN_EFORMAT, bad[i].says, NULL);
}

static void sizes_that_lie_ask_for_no_memory(void **state) {
  (void)state;
  assert_open_fails(file_with_text("l.mtx", ARRAY "1000000 1000000\n1\n"), QN_EFORMAT,
                    "line 2, column 1: 1000000 x 1000000 needs more entries", NULL);
#define LARGEST "9223372036854775807 9223372036854775807"
  const char *arrays[] = {
      ARRAY LARGEST "\n1\n",
      "%%MatrixMarket matrix array real symmetric\n" LARGEST "\n1\n",
      "%%MatrixMarket matrix array complex skew-symmetric\n" LARGEST "\n",
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    assert_open_fails(file_with_text("l.mtx", arrays[i]), QN_EFORMAT, "needs more entries", NULL);
  assert_open_fails(file_with_text("l.mtx", COORDINATE "10000000 10000000 1\n1 1 1\n"), QN_ENOMEM,
                    "10000000 x 10000000 dense in f64 is 800.0 TB and ", "available", NULL);
  assert_open_fails(file_with_text("l.mtx", COORDINATE LARGEST " 1\n1 1 1\n"), QN_ENOMEM,
                    "any memory", NULL);
}

static char logged[512];
static void keep_log(void *user, qn_log_level level, const char *message) {
  (void)user;
  if (level == QN_LOG_INFO) snprintf(logged, sizeof logged, "%s", message);
}

static void coordinates_state_their_dense_size(void **state) {
  (void)state;
  qn_set_log(keep_log, NULL);
  qn_file_matrix m = open_text(COORDINATE "300 500 1\n1 1 1\n");
  qn_set_log(NULL, NULL);
  qn_io_close(&m);
  assert_non_null(strstr(logged, "1 entries become 300 x 500 dense, 1.2 MB of f64"));
}

static void other_dtypes_on_request(void **state) {
  (void)state;
  const char *real = file_with_text("d.mtx", ARRAY "2 1\n0.1\n-65504\n");
  qn_file_matrix m;
  assert_int_equal(qn_io_open_as(real, QN_F32, &m), QN_OK);
  assert_true(m.dtype == QN_F32 && ((float *)m.data)[0] == 0.1f);
  qn_io_close(&m);
  assert_int_equal(qn_io_open_as(real, QN_C64, &m), QN_OK);
  assert_true(m.dtype == QN_C64 && ((float *)m.data)[2] == -65504 && ((float *)m.data)[3] == 0);
  qn_io_close(&m);
  assert_int_equal(qn_io_open_as(real, QN_C128, &m), QN_OK);
  assert_true(m.dtype == QN_C128 && ((double *)m.data)[0] == 0.1);
  qn_io_close(&m);
  assert_int_equal(qn_io_open_as(real, QN_F16, &m), QN_OK);
  assert_true(m.dtype == QN_F16 && ((uint16_t *)m.data)[0] == 0x2e66 &&
              ((uint16_t *)m.data)[1] == 0xfbff);
  qn_io_close(&m);
  const char *complex_file =
      file_with_text("z.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n");
  assert_int_equal(qn_io_open_as(complex_file, QN_C64, &m), QN_OK);
  assert_true(((float *)m.data)[0] == 2 && ((float *)m.data)[1] == 3);
  qn_io_close(&m);
  assert_int_equal(qn_io_open_as(complex_file, QN_F32, &m), QN_EFORMAT);
  assert_one_line(complex_file, "holds complex numbers (c128), which f32 cannot");
}

static void written_text(void **state) {
  (void)state;
  double data[] = {1, 0.1, 99, -2.5e-7, 1e300, 99};
  const qn_file_matrix m = {.dtype = QN_F64, .rows = 2, .cols = 2, .ld = 3, .data = data};
  const char *path = file_path("w.mtx");
  assert_int_equal(qn_io_write(path, &m), QN_OK);
  size_t size;
  assert_string_equal(file_bytes(path, &size), "%%MatrixMarket matrix array real general\n2 2\n"
                                               "1\n0.1\n-2.5e-07\n1e+300\n");
  const qn_file_matrix none = {.dtype = QN_F64, .rows = 0, .cols = INT64_MAX, .ld = 1};
  assert_int_equal(qn_io_write(path, &none), QN_OK);
  assert_string_equal(file_bytes(path, &size),
                      "%%MatrixMarket matrix array real general\n0 9223372036854775807\n");
  float pair[] = {1, -0.0f, 0.1f, 3};
  const qn_file_matrix z = {.dtype = QN_C64, .rows = 1, .cols = 2, .ld = 1, .data = pair};
  assert_int_equal(qn_io_write(path, &z), QN_OK);
  assert_string_equal(file_bytes(path, &size),
                      "%%MatrixMarket matrix array complex general\n1 2\n1 -0\n0.1 3\n");
}

/* Every dtype goes out and comes back bit for bit. */
static void written_and_read_again(void **state) {
  (void)state;
  enum { ROWS = 700, COLS = 3, LD = 701 };
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    size_t size = qn_dtype_size((qn_dtype)t);
    unsigned char *data = calloc(LD * COLS, size);
    assert_non_null(data);
    uint64_t x = 1;
    for (size_t b = 0; b < LD * COLS * size; b++) {
      x = x * 6364136223846793005u + 1442695040888963407u;
      data[b] = (unsigned char)(x >> 56) & (b % 2 ? 0xbf : 0xff); /* never Inf or NaN */
    }
    const qn_file_matrix m = {
        .dtype = (qn_dtype)t, .rows = ROWS, .cols = COLS, .ld = LD, .data = data};
    const char *path = file_path("r.mtx");
    assert_int_equal(qn_io_write(path, &m), QN_OK);
    qn_file_matrix got;
    assert_int_equal(qn_io_open_as(path, (qn_dtype)t, &got), QN_OK);
    assert_true(got.dtype == (qn_dtype)t && got.rows == ROWS && got.cols == COLS);
    for (size_t j = 0; j < COLS; j++)
      assert_memory_equal((char *)got.data + j * (size_t)got.ld * size, data + j * LD * size,
                          ROWS * size);
    qn_io_close(&got);
    free(data);
  }
}

/* The matrix HB/494_bus where it is at hand: symmetric positive definite, 494 x 494. */
static void a_real_file(void **state) {
  (void)state;
  char path[4096];
  const char *folder = getenv("QUERN_DATA_DIR");
  snprintf(path, sizeof path, "%s/494_bus.mtx", folder ? folder : QUERN_DATA_DEFAULT);
  FILE *file = fopen(path, "r");
  if (!file) skip();
  fclose(file);
  qn_file_matrix m;
  if (qn_io_open(path, &m) != QN_OK) fail_msg("%s", qn_last_error());
  assert_true(m.rows == 494 && m.cols == 494 && m.dtype == QN_F64);
  const double *a = m.data;
  int64_t stored = 0;
  double trace = 0;
  for (int64_t j = 0; j < 494; j++) {
    trace += a[j + j * m.ld];
    for (int64_t i = 0; i < 494; i++) {
      assert_true(a[i + j * m.ld] == a[j + i * m.ld]);
      stored += a[i + j * m.ld] != 0;
    }
  }
  assert_int_equal(stored, 1666); /* 494 on the diagonal and 586 pairs */
  assert_true(trace > 0);
  qn_io_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays),
      cmocka_unit_test(coordinates),
      cmocka_unit_test(liberties_that_files_take),
      cmocka_unit_test(negative_zero_survives),
      cmocka_unit_test(faults_of_the_header),
      cmocka_unit_test(faults_of_the_entries),
      cmocka_unit_test(sizes_that_lie_ask_for_no_memory),
      cmocka_unit_test(coordinates_state_their_dense_size),
      cmocka_unit_test(other_dtypes_on_request),
      cmocka_unit_test(written_text),
      cmocka_unit_test(written_and_read_again),
      cmocka_unit_test(a_real_file),
  };
  return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
