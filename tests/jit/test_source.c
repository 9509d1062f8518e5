/* The embedded sources and the expansion of includes. */
#include "jit/source.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static unsigned occurrences(const char *text, const char *what) {
  unsigned count = 0;
  for (; (text = strstr(text, what)); text += strlen(what)) count++;
  return count;
}

static void test_embedded(void **state) {
  (void)state;
  assert_true(qn_embedded_count >= 4);
  for (unsigned i = 0; i < qn_embedded_count; i++) {
    const qn_embedded *e = &qn_embedded_sources[i];
    assert_ptr_equal(qn_embedded_find(e->name), e);
    assert_int_equal(strlen(e->text), e->size);
    assert_int_equal(strlen(e->hash), 64);
    assert_memory_equal(e->text, "/*", 2); /* every kernel file says what it is */
  }
  assert_null(qn_embedded_find("portable/nothing.cl"));
}

static void test_expand(void **state) {
  (void)state;
  char *text;
  const char *source = "int before;\n#include \"portable/halves.cl\"\n"
                       "  #  include \"portable/halves.cl\"\nint after;";
  assert_int_equal(qn_source_expand("mine.cl", source, NULL, &text), QN_OK);
  assert_int_equal(occurrences(text, "qn_u16 qn_f32_to_bf16("), 1);
  assert_int_equal(occurrences(text, "#include"), 0);
  assert_memory_equal(text, "#line 1 \"mine.cl\"\nint before;\n", 30);
  assert_non_null(strstr(text, "#line 1 \"portable/halves.cl\""));
  assert_non_null(strstr(text, "#line 4 \"mine.cl\"\nint after;\n"));
  qn_host_strfree(text);
  assert_int_equal(qn_source_expand("portable/prelude.cl", NULL, NULL, &text), QN_OK);
  assert_non_null(strstr(text, "#define QN_KERNEL"));
  qn_host_strfree(text);
}

/* Text that stands for a file goes before the embedded one, and includes what it needs. */
static void test_replacement(void **state) {
  (void)state;
  static const qn_replacement mine = {"portable/out.cl",
                                      "#include \"portable/halves.cl\"\nint replaced;\n"};
  const char *source = "#include \"portable/out.cl\"\nint after;";
  char *text;
  assert_int_equal(qn_source_expand("mine.cl", source, &mine, &text), QN_OK);
  assert_int_equal(occurrences(text, "int replaced;"), 1);
  assert_int_equal(occurrences(text, "out_update"), 0);
  assert_int_equal(occurrences(text, "qn_u16 qn_f32_to_bf16("), 1);
  qn_host_strfree(text);
  assert_int_equal(qn_source_expand("mine.cl", source, NULL, &text), QN_OK);
  assert_int_equal(occurrences(text, "int replaced;"), 0);
  qn_host_strfree(text);
}

static void test_missing(void **state) {
  (void)state;
  char *text;
  assert_int_equal(qn_source_expand("a.cl", "#include \"no/such.cl\"\n", NULL, &text), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "no/such.cl"));
  assert_null(text);
  assert_int_equal(qn_source_expand("no/such.cl", NULL, NULL, &text), QN_EINVAL);
}

/* A folder of the environment goes before the embedded text. */
static void test_override(void **state) {
  (void)state;
  char folder[] = "/tmp/quern_source_XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/extra.cl", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("int from_folder;\n", file);
  fclose(file);
  setenv("QUERN_KERNEL_DIR", folder, 1);
  char *text;
  assert_int_equal(qn_source_expand("extra.cl", NULL, NULL, &text), QN_OK);
  assert_non_null(strstr(text, "from_folder"));
  qn_host_strfree(text);
  unsetenv("QUERN_KERNEL_DIR");
  assert_int_equal(qn_source_expand("extra.cl", NULL, NULL, &text), QN_EINVAL);
  remove(path);
  remove(folder);
}

static void keep(void *kept, qn_log_level level, const char *message) {
  if (level == QN_LOG_WARNING) snprintf(kept, 256, "%s", message);
}

/* One that is not there is told, and the embedded text stands. */
static void test_override_missing(void **state) {
  (void)state;
  char *text, warning[256] = "";
  qn_set_log(keep, warning);
  setenv("QUERN_KERNEL_DIR", "/nonexistent/kernels", 1);
  assert_int_equal(qn_source_expand("portable/prelude.cl", NULL, NULL, &text), QN_OK);
  qn_host_strfree(text);
  unsetenv("QUERN_KERNEL_DIR");
  qn_set_log(NULL, NULL);
  assert_string_equal(warning,
                      "QUERN_KERNEL_DIR=/nonexistent/kernels ignored: No such file or directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_embedded),    cmocka_unit_test(test_expand),
      cmocka_unit_test(test_replacement), cmocka_unit_test(test_missing),
      cmocka_unit_test(test_override),    cmocka_unit_test(test_override_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
