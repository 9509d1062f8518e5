/* The epilogue's text and arguments: what is refused, with its column; names; limits. */
#include "blas3/epilogue.h"
#include <quern/quern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static qn_device *device;
static qn_stream *stream;

static int setup(void **state) {
  (void)state;
  return qn_device_open("cpu", &device) || qn_stream_create(device, &stream);
}
static int teardown(void **state) {
  (void)state;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

/* ---- text ---- */

static void refused(const char *text, const char *scalars, const char *operands, int column,
                    const char *why) {
  qn_epilogue *e = (void *)1;
  char start[64] = "qn_epilogue_create: ";
  if (column) snprintf(start, sizeof start, "qn_epilogue_create: column %d: ", column);
  assert_int_equal(qn_epilogue_create(text, scalars, operands, &e), QN_EINVAL);
  assert_null(e);
  const char *error = qn_last_error();
  if (strncmp(error, start, strlen(start)) != 0 || !strstr(error, why) || strpbrk(error, "\n\r"))
    fail_msg("%.60s: '%s', expected '%s...%s'", text, error, start, why);
}

static void accepted(const char *text) {
  qn_epilogue *e;
  if (qn_epilogue_create(text, "limit, slope", "gate up", &e) != QN_OK)
    fail_msg("%.60s: %s", text, qn_last_error());
  qn_epilogue_free(e);
}

static void test_grammar(void **state) {
  (void)state;
  accepted("acc");
  accepted("  relu ( acc+bias_n )\n ");
  accepted("acc*.5+2.-1e-3*1E+2");
  accepted("acc > limit ? gate : up * slope");
  accepted("acc > 0 ? acc : acc > -1 ? 0 : -1");
  accepted("-(-acc) - - +acc");
  accepted("(acc < 1) < 1");
  accepted("clamp(acc, min(0, row), max(col, c)) == residual + bias_m");
}

static void test_refused(void **state) {
  (void)state;
  refused("", NULL, NULL, 1, "ends where a value");
  refused("acc +", NULL, NULL, 6, "ends where a value");
  refused("acc + bias", NULL, NULL, 7, "unknown name 'bias'");
  refused("acc + softplus(acc)", NULL, NULL, 7, "unknown function 'softplus'");
  refused("acc(1)", NULL, NULL, 1, "unknown function 'acc'");
  refused("relu + 1", NULL, NULL, 1, "relu is a function");
  refused("relu(acc, 1)", NULL, NULL, 9, "relu takes 1 argument");
  refused("clamp(acc, 1)", NULL, NULL, 13, "clamp takes 3 arguments, not 2");
  refused("min(acc)", NULL, NULL, 8, "min takes 2 arguments, not 1");
  refused("min()", NULL, NULL, 5, "')' where a value");
  refused("(acc", NULL, NULL, 5, "ends where ')'");
  refused("acc)", NULL, NULL, 4, "')' where an operator");
  refused("acc acc", NULL, NULL, 5, "'a' where an operator");
  refused("acc ? 1", NULL, NULL, 8, "ends where ':'");
  refused("acc < 1 < 2", NULL, NULL, 9, "do not chain");
  refused("acc = 1", NULL, NULL, 5, "'=' where an operator");
  refused("acc && 1", NULL, NULL, 5, "'&'");
  refused("!acc", NULL, NULL, 1, "'!' where a value");
  refused("1.2.3", NULL, NULL, 1, "malformed");
  refused("acc + 2x", NULL, NULL, 7, "malformed");
  refused("1e", NULL, NULL, 1, "malformed");
  refused("0x10", NULL, NULL, 1, "malformed");
  refused("acc + .", NULL, NULL, 7, "malformed");
  refused("acc \x1b[31m", NULL, NULL, 5, "byte 0x1b");
  refused("acc + \xc3\xa9", NULL, NULL, 7, "byte 0xc3");
  refused("a_name_that_is_longer_than_any_that_can_be_declared", NULL, NULL, 1, "unknown name");
}

static void test_names(void **state) {
  (void)state;
  refused("acc", "1st", NULL, 0, "'1st' is no name");
  refused("acc", "a-b", NULL, 0, "'a-b' is no name");
  refused("acc", "acc", NULL, 0, "'acc' has a name that is taken");
  refused("acc", "relu", NULL, 0, "'relu' has a name that is taken");
  refused("acc", "x y x", NULL, 0, "'x' has a name that is taken");
  refused("acc", "x", "x", 0, "the operand 'x' has a name that is taken");
  refused("acc", "a b d e f g h i j", NULL, 0, "more than 8 scalars: 'j'");
  refused("acc", NULL, "a b d e f", 0, "more than 4 operands: 'f'");
  qn_epilogue *e;
  assert_int_equal(qn_epilogue_create(NULL, NULL, NULL, &e), QN_EINVAL);
  assert_int_equal(qn_epilogue_create("acc", NULL, NULL, NULL), QN_EINVAL);
  assert_int_equal(qn_epilogue_create("acc * s + gate", " s ,, t", "gate", &e), QN_OK);
  assert_true(qn_epilogue_uses(e, "acc"));
  assert_true(qn_epilogue_uses(e, "s"));
  assert_true(qn_epilogue_uses(e, "gate"));
  assert_false(qn_epilogue_uses(e, "t"));
  assert_false(qn_epilogue_uses(e, "bias_n"));
  assert_false(qn_epilogue_uses(e, ""));
  assert_false(qn_epilogue_uses(e, "nothing"));
  assert_false(qn_epilogue_uses(NULL, "acc"));
  qn_epilogue_free(e);
  qn_epilogue_free(NULL);
}

/* `count` times `open`, "acc", `count` times `close`. */
static char *repeated(const char *open, const char *close, int count) {
  size_t size = (size_t)count * (strlen(open) + strlen(close)) + 8;
  char *text = calloc(1, size), *at = text;
  for (int i = 0; i < count; i++) at += sprintf(at, "%s", open);
  at += sprintf(at, "acc");
  for (int i = 0; i < count; i++) at += sprintf(at, "%s", close);
  return text;
}

static void test_limits(void **state) {
  (void)state;
  static const struct {
    const char *open, *close;
    int good, bad, column;
    const char *why;
  } rows[] = {
      {"(", ")", 63, 64, 65, "nested more than 64 deep"},
      {"(", ")", 1, 2000, 65, "nested more than 64 deep"},
      {"relu(", ")", 63, 600, 5 * 64 + 1, "nested more than 64 deep"},
      {"acc?acc:", "", 63, 64, 0, "nested more than 64 deep"},
      {"-", "", 4000, 4100, 4097, "longer than 4096"},
      {"", "+acc", 256, 257, 0, "more than 256 operations"},
      {"1+(", ")", 63, 64, 0, "nested more than 64 deep"},
      {"acc*acc+(", ")", 24, 25, 0, "more than 24 values wait"},
      {"", "+acc", 256, 2500, 4097, "longer than 4096 characters"}, /* 10 003 characters */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text = repeated(rows[i].open, rows[i].close, rows[i].good);
    accepted(text);
    free(text);
    text = repeated(rows[i].open, rows[i].close, rows[i].bad);
    qn_epilogue *e;
    if (rows[i].column) {
      refused(text, NULL, NULL, rows[i].column, rows[i].why);
    } else {
      assert_int_equal(qn_epilogue_create(text, NULL, NULL, &e), QN_EINVAL);
      assert_non_null(strstr(qn_last_error(), rows[i].why));
    }
    free(text);
  }
  char numbers[512] = "0";
  for (int i = 1; i < 32; i++) sprintf(numbers + strlen(numbers), "+%d+%d", i, i);
  accepted(numbers);
  strcat(numbers, "+32");
  refused(numbers, NULL, NULL, (int)strlen(numbers) - 1, "more than 32 different numbers");
}

/* ---- arguments ---- */

static qn_matrix make(qn_dtype dtype, int64_t rows, int64_t cols) {
  qn_matrix m;
  assert_int_equal(qn_matrix_alloc(device, dtype, rows, cols, &m), QN_OK);
  memset(qn_buffer_host(m.buffer), 0, qn_buffer_size(m.buffer));
  return m;
}

static void refused_args(const char *text, qn_dtype dtype, const qn_epilogue_args *args,
                         const char *why) {
  qn_epilogue *e;
  qn_matrix a = make(dtype, 3, 2), b = make(dtype, 2, 4), c = make(dtype, 3, 4);
  assert_int_equal(qn_epilogue_create(text, "s", "x y", &e), QN_OK);
  qn_status status =
      qn_gemm_ex(stream, QN_NOTRANS, QN_NOTRANS, qn_real(1), a, b, qn_real(0), c, e, args);
  if ((status == QN_OK) != (why == NULL) || (why && !strstr(qn_last_error(), why)))
    fail_msg("%s: %d '%s'", text, status, qn_last_error());
  if (why) assert_int_equal(status, QN_EINVAL);
  qn_epilogue_free(e);
  qn_buffer_free(a.buffer);
  qn_buffer_free(b.buffer);
  qn_buffer_free(c.buffer);
}

static void test_args(void **state) {
  (void)state;
  qn_matrix three = make(QN_F32, 3, 1), four = make(QN_F32, 4, 1), lying = make(QN_F32, 1, 4),
            full = make(QN_F32, 3, 4), half = make(QN_F16, 3, 4), wide = make(QN_F64, 3, 4);
  const qn_epilogue_args none = {.scalar = {{0, 0}}};
  refused_args("acc + bias_n", QN_F32, NULL,
               "qn_gemm_ex: bias_n (column 7 of the epilogue) has no");
  refused_args("acc + bias_n", QN_F32, &none, "bias_n (column 7 of the epilogue) has no buffer");
  refused_args("acc + bias_n", QN_F32, &(qn_epilogue_args){.bias_n = three},
               "3 x 1 where c is 3 x 4; it must be a vector of as many values as c has columns");
  refused_args("bias_m", QN_F32, &(qn_epilogue_args){.bias_m = four}, "as c has rows");
  refused_args("residual", QN_F32, &(qn_epilogue_args){.residual = three}, "must be of c's shape");
  refused_args("acc * y", QN_F32, &(qn_epilogue_args){.operand = {[1] = four}},
               "y (column 7 of the epilogue) is 4 x 1");
  refused_args("acc * x", QN_F32, &(qn_epilogue_args){.operand = {[1] = full}}, "has no buffer");
  refused_args("residual", QN_F32, &(qn_epilogue_args){.residual = half}, "is f16 where a is f32");
  refused_args("residual", QN_F32, &(qn_epilogue_args){.residual = wide}, "is f64 where a is f32");
  refused_args("acc + bias_n", QN_F32, &(qn_epilogue_args){.bias_n = four}, NULL);
  refused_args("acc + bias_n", QN_F32, &(qn_epilogue_args){.bias_n = lying}, NULL);
  refused_args("acc + bias_n", QN_BF16, &(qn_epilogue_args){.bias_n = lying}, NULL);
  refused_args("acc * x", QN_F32, &(qn_epilogue_args){.operand = {three}}, NULL);
  refused_args("acc * x", QN_F32, &(qn_epilogue_args){.operand = {lying}}, NULL);
  refused_args("acc * x + residual", QN_F16,
               &(qn_epilogue_args){.residual = half, .operand = {full}}, NULL);
  refused_args("acc * 2", QN_F32, NULL, NULL);
  /* what complex numbers do not have */
  refused_args("acc + relu(acc)", QN_C64, NULL,
               "column 7 of the epilogue: relu has no meaning for c64");
  refused_args("acc <= 1 ? 1 : c", QN_C128, NULL, "column 5 of the epilogue: <= has no meaning");
  refused_args("acc == 1 ? abs(acc) / 2 : -c", QN_C128, NULL, NULL);
  qn_buffer_free(three.buffer);
  qn_buffer_free(four.buffer);
  qn_buffer_free(lying.buffer);
  qn_buffer_free(full.buffer);
  qn_buffer_free(half.buffer);
  qn_buffer_free(wide.buffer);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_grammar), cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_names), cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_args)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
