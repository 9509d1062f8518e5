/* .npy headers: what Python would read is read, all else is refused in one line. */
#include "io/files.h"
#include "io/npy.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double six[] = {1, 2, 3, 4, 5, 6};

static const char *with_dictionary(const char *dictionary) {
  return npy_file("h.npy", 1, dictionary, six, sizeof six);
}

static void forms_that_python_reads(void **state) {
  (void)state;
  const char *good[] = {
      "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
      "{'shape': (2, 3), 'fortran_order': True, 'descr': '<f8'}",
      "{\"descr\":\"<f8\",\"fortran_order\":True,\"shape\":(2,3)}",
      " {  'descr' : '<f8' , 'fortran_order'\t: True , 'shape' : ( 2 , 3 , ) , }  ",
      "{'descr': '<f8', 'fortran_order': True, 'shape': (2L, 3L), }",
      "{u'descr': u'<f8', u'fortran_order': True, u'shape': (2, 3), }",
      "{'descr': 'f8', 'fortran_order': True, 'shape': (2, 3)}",
      "{'descr': '=f8', 'fortran_order': True, 'shape': (2, 3)}",
      "{'descr': '|f8',\n 'fortran_order': True,\n 'shape': (2, 3)}\n\n",
      "{'descr': '<f8', 'fortran_order': True, 'shape': (0002, 3)}",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    qn_file_matrix m;
    if (qn_io_open(with_dictionary(good[i]), &m) != QN_OK)
      fail_msg("%s: %s", good[i], qn_last_error());
    assert_true(m.dtype == QN_F64 && m.rows == 2 && m.cols == 3);
    assert_memory_equal(m.data, six, sizeof six);
    qn_io_close(&m);
  }
}

static void other_forms_are_refused(void **state) {
  (void)state;
  const struct {
    const char *dictionary, *says;
  } bad[] = {
      {"", "ends before a dictionary"},
      {"[]", "not a dictionary"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), ", "ends before"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), } x", "not the end of the header"},
      {"{'descr': '<f8', 'fortran_order': True, }", "lacks the key 'shape'"},
      {"{'descr': '<f8', 'shape': (2, 3), }", "lacks the key 'fortran_order'"},
      {"{'fortran_order': True, 'shape': (2, 3), }", "lacks the key 'descr'"},
      {"{}", "lacks the key"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), 'x': 1}", "unknown key 'x'"},
      {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}", "twice"},
      {"{'descr' '<f8', 'fortran_order': True, 'shape': (2, 3), }", "not a colon"},
      {"{'descr': '<f8' 'fortran_order': True, 'shape': (2, 3), }", "not a comma"},
      {"{, 'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", "not a key"},
      {"{'descr': <f8, 'fortran_order': True, 'shape': (2, 3), }", "not the dtype"},
      {"{'descr': '<f8, 'fortran_order': True, 'shape': (2, 3), }", "'<f8, '"},
      {"{'descr': '<f\\x38', 'fortran_order': True, 'shape': (2, 3), }", "closing quote"},
      {"{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 3), }", "not True or False"},
      {"{'descr': '<f8', 'fortran_order': true, 'shape': (2, 3), }", "not True or False"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': [2, 3], }", "not the shape"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (6), }", "no tuple"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2 3), }", "not a comma"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (2.0, 3), }", "not a comma"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (,), }", "not a length"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (-2, 3), }", "negative"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2, 3), }", "3 dimensions"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (9223372036854775808,), }", "above 2^63"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (4294967296, 4294967296), }",
       "any memory"},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (1152921504606846976, 1), }",
       "any memory"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 2), }", "cut short"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_open_fails(with_dictionary(bad[i].dictionary), QN_EFORMAT, bad[i].says, NULL);
}

static void other_dtypes_are_refused_by_name(void **state) {
  (void)state;
  const struct {
    const char *descr, *says;
  } bad[] = {
      {"'|O'", "pickled"},
      {"'O'", "pickled"},
      {"'<i4'", "integers"},
      {"'<i8'", "'<i8'"},
      {"'|u1'", "integers"},
      {"'|b1'", "truth values"},
      {"'<f16'", "'<f16' is none"},
      {"'<c32'", "none of f2 f4 f8 c8 c16"},
      {"'<U5'", "'<U5' is none"},
      {"'|S8'", "none of"},
      {"'<M8[ns]'", "none of"},
      {"'|V8'", "none of"},
      {"''", "none of"},
      {"'<'", "none of"},
      {"'<f88'", "none of"},
      {"'<<f8'", "none of"},
      {"'<V2'", "bf16"},
      {"[('a', '<f8'), ('b', '<f8')]", "structured"},
      {"'\x1b[2J\x07'", "'?[2J?'"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[256];
    snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': True, 'shape': (2, 3), }",
             bad[i].descr);
    assert_open_fails(with_dictionary(text), QN_EFORMAT, bad[i].says, NULL);
  }
}

static void data_shorter_than_the_shape_names_both_sizes(void **state) {
  (void)state;
  assert_open_fails(
      npy_file("s.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six, 47),
      QN_EFORMAT, "48", "47", "2 x 3", NULL);
  assert_open_fails(
      npy_file("s.npy", 1, "{'descr': '<c16', 'fortran_order': False, 'shape': (7,), }", NULL, 0),
      QN_EFORMAT, "112", " 0 ", NULL);
}

/* Cut at every byte before its end, a good file is never read and never crashes. */
static void every_truncation_is_refused(void **state) {
  (void)state;
  for (int version = 1; version <= 3; version++) {
    const char *path = npy_file(
        "cut.npy", version, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", six, 48);
    size_t size;
    const char *bytes = file_bytes(path, &size);
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    for (size_t length = 0; length < size; length++)
      assert_open_fails(file_with("cut.npy", copy, length), QN_EFORMAT, "", NULL);
    free(copy);
  }
}

static void lying_lengths_and_versions_are_refused(void **state) {
  (void)state;
  const struct {
    const char *bytes;
    size_t size;
    const char *says;
  } bad[] = {
      {"\x93NUMPY\x01\x00\xff\xff{'descr'", 18, "65535"},
      {"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'", 20, "4294967295"},
      {"\x93NUMPY\x03\x00\x00\x00\x10\x00{'descr'", 20, "1048576"},
      {"\x93NUMPY\x00\x00\x10\x00{}              ", 26, "version 0.0"},
      {"\x93NUMPY\x04\x00\x10\x00{}              ", 26, "version 4.0"},
      {"\x93NUMPY\x01\x01\x10\x00{}              ", 26, "version 1.1"},
      {"\x93NUMPX\x01\x00\x10\x00{}              ", 26, "neither"},
      {"NUMPY\x93\x01\x00\x10\x00{}              ", 26, "neither"},
      {"PK\x03\x04 and so on", 14, ".npz"},
      {"\x93NUMP", 5, "neither"},
      {"\x93NUMPY", 6, "cut short"},
      {"", 0, "empty"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_open_fails(file_with("bad.npy", bad[i].bytes, bad[i].size), QN_EFORMAT, bad[i].says,
                      NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_that_python_reads),
      cmocka_unit_test(other_forms_are_refused),
      cmocka_unit_test(other_dtypes_are_refused_by_name),
      cmocka_unit_test(data_shorter_than_the_shape_names_both_sizes),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(lying_lengths_and_versions_are_refused),
  };
  return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
