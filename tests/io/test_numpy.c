/* Against NumPy itself: its files read here, ours read there. Skipped (77) where it is missing. */
#include "io/files.h"
#include "io/convert.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 67, COLS = 13 }; /* as numpy_files.py has them */

static int run_python(const char *what) {
  pid_t child = fork();
  if (child == 0) {
    execl(QUERN_PYTHON, QUERN_PYTHON, QUERN_SCRIPT, what, files_folder(), (char *)NULL);
    _exit(77);
  }
  int result = -1;
  waitpid(child, &result, 0);
  return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static void what_numpy_writes_is_read(void **state) {
  (void)state;
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    if (t == QN_BF16) continue; /* has no name in .npy */
    const char *orders[] = {"Clittle", "Cbig", "Flittle", "Fbig"};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
      char name[64];
      snprintf(name, sizeof name, "%s_%s.npy", qn_dtype_name((qn_dtype)t), orders[o]);
      qn_file_matrix m;
      if (qn_io_open(file_path(name), &m) != QN_OK) fail_msg("%s", qn_last_error());
      assert_true(m.dtype == (qn_dtype)t && m.rows == ROWS && m.cols == COLS && m.ld == ROWS);
      assert_int_equal(m.hold, strcmp(orders[o], "Flittle") == 0 ? QN_IO_MAPPED : QN_IO_ALLOCATED);
      strcpy(strrchr(name, '.'), ".raw");
      size_t size;
      const char *raw = file_bytes(file_path(name), &size);
      assert_int_equal(size, ROWS * COLS * qn_dtype_size((qn_dtype)t));
      assert_memory_equal(m.data, raw, size);
      qn_io_close(&m);
    }
  }
}

static void numpy_reads_what_is_written(void **state) {
  (void)state;
  for (int t = 0; t < QN_DTYPE_COUNT; t++) {
    enum { LD = ROWS + 3 };
    double numbers[2 * LD * COLS] = {0};
    char elements[sizeof numbers];
    bool pairs = t == QN_C64 || t == QN_C128;
    for (int j = 0; j < COLS; j++)
      for (int i = 0; i < ROWS; i++) {
        int e = (i + j * LD) * (pairs ? 2 : 1);
        numbers[e] = (7 * i - 3 * j) / 16.0;
        if (pairs) numbers[e + 1] = (i + j) / 32.0;
      }
    qn_io_convert(elements, (qn_dtype)t, numbers, pairs ? QN_C128 : QN_F64, LD * COLS);
    const qn_file_matrix m = {
        .dtype = (qn_dtype)t, .rows = ROWS, .cols = COLS, .ld = LD, .data = elements};
    const char *endings[] = {"npy", "mtx"};
    for (int e = 0; e < 2; e++) {
      char name[32];
      snprintf(name, sizeof name, "%s.%s", qn_dtype_name((qn_dtype)t), endings[e]);
      if (qn_io_write(file_path(name), &m) != QN_OK) fail_msg("%s", qn_last_error());
    }
  }
  assert_int_equal(run_python("check"), 0);
}

int main(void) {
  if (files_setup(NULL) != 0) return 1;
  int result = run_python("write");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_numpy_writes_is_read),
      cmocka_unit_test(numpy_reads_what_is_written),
  };
  if (result == 77)
    printf("skipped: %s has no numpy\n", QUERN_PYTHON);
  else
    result = result == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  files_teardown(NULL);
  return result;
}
