/* Wrong arguments: each is told by name in qn_last_error, and nothing is done. */
#include <quern/quern.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static qn_device *device;
static qn_stream *stream;
static qn_matrix a, b, c, wide_a, f32, half;

static int open_device(void **state) {
  (void)state;
  return qn_device_open("cpu", &device) || qn_stream_create(device, &stream) ||
         qn_matrix_alloc(device, QN_F64, 4, 4, &a) || qn_matrix_alloc(device, QN_F64, 4, 4, &b) ||
         qn_matrix_alloc(device, QN_F64, 4, 4, &c) ||
         qn_matrix_alloc(device, QN_F64, 4, 5, &wide_a) ||
         qn_matrix_alloc(device, QN_F32, 4, 4, &f32) ||
         qn_matrix_alloc(device, QN_F16, 4, 4, &half);
}

static int close_device(void **state) {
  (void)state;
  qn_matrix *all[] = {&a, &b, &c, &wide_a, &f32, &half};
  for (int i = 0; i < 6; i++) qn_buffer_free(all[i]->buffer);
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

/* The status, and that the message begins with the function and names the rest. */
static void refused(qn_status got, qn_status want, const char *function, const char *words) {
  assert_int_equal(got, want);
  const char *text = qn_last_error();
  if (strncmp(text, function, strlen(function)) != 0 || !strstr(text, words))
    fail_msg("'%s' lacks '%s' or '%s'", text, function, words);
}

static qn_matrix with_ld(qn_matrix m, int64_t ld) {
  m.ld = ld;
  return m;
}

static qn_matrix with_rows(qn_matrix m, int64_t rows) {
  m.rows = rows;
  return m;
}

static qn_status gemm(qn_trans ta, qn_trans tb, qn_matrix x, qn_matrix y, qn_matrix z) {
  return qn_gemm(stream, ta, tb, qn_real(1), x, y, qn_real(0), z);
}

static void gemm_arguments(void **state) {
  (void)state;
  const qn_trans n = QN_NOTRANS, t = QN_TRANS;
  const qn_matrix nowhere = {NULL, 0, 4, 4, 4, QN_F64};
  refused(qn_gemm(NULL, n, n, qn_real(1), a, b, qn_real(0), c), QN_EINVAL,
          "qn_gemm: ", "stream is NULL");
  refused(gemm((qn_trans)'X', n, a, b, c), QN_EINVAL, "qn_gemm: ", "transa is 88");
  refused(gemm(n, (qn_trans)0, a, b, c), QN_EINVAL, "qn_gemm: ", "transb is 0");
  refused(gemm(n, n, with_ld(a, 3), b, c), QN_EINVAL, "qn_gemm: a", "3");
  refused(gemm(n, n, a, with_ld(b, 3), c), QN_EINVAL, "qn_gemm: b", "3");
  refused(gemm(n, n, a, b, with_ld(c, 3)), QN_EINVAL, "qn_gemm: c", "3");
  refused(gemm(n, n, with_rows(a, -1), b, c), QN_EINVAL, "qn_gemm: a", "-1");
  refused(gemm(n, n, a, b, with_ld(c, 1000)), QN_EINVAL, "qn_gemm: c", "1000");
  refused(gemm(n, n, a, b, nowhere), QN_EINVAL, "qn_gemm: c", "no buffer");
  refused(gemm(n, n, a, f32, c), QN_EINVAL, "qn_gemm: ", "b is f32 where a is f64");
  refused(gemm(n, n, a, b, f32), QN_EINVAL, "qn_gemm: ", "c is f32 where a is f64");
  refused(gemm(n, n, half, half, c), QN_EINVAL, "qn_gemm: ", "c is f64 where a is f16");
  refused(gemm(n, n, f32, f32, half), QN_EINVAL, "qn_gemm: ", "c is f16 where a is f32");
  refused(gemm(n, n, wide_a, b, c), QN_EINVAL,
          "qn_gemm: ", "b does not fit a: op(a) is 4 x 5, op(b) 4 x 4");
  refused(gemm(t, n, wide_a, b, c), QN_EINVAL,
          "qn_gemm: ", "c is 4 x 4 where op(a) op(b) is 5 x 4");
  refused(gemm(n, t, b, qn_matrix_sub(b, 0, 0, 3, 4), c), QN_EINVAL,
          "qn_gemm: ", "c is 4 x 4 where op(a) op(b) is 4 x 3");
  assert_int_equal(gemm(n, n, half, half, f32), QN_OK);
}

typedef qn_status (*triangular)(qn_stream *, qn_side, qn_uplo, qn_trans, qn_diag, qn_scalar,
                                qn_matrix, qn_matrix);

static void check_triangular(triangular f, const char *name) {
  const qn_scalar one = qn_real(1);
  char function[32];
  snprintf(function, sizeof function, "%s: ", name);
  const qn_side l = QN_LEFT;
  const qn_uplo lo = QN_LOWER;
  const qn_trans n = QN_NOTRANS;
  const qn_diag u = QN_UNIT;
  refused(f(NULL, l, lo, n, u, one, a, b), QN_EINVAL, function, "stream is NULL");
  refused(f(stream, (qn_side)1, lo, n, u, one, a, b), QN_EINVAL, function, "side is 1");
  refused(f(stream, l, (qn_uplo)2, n, u, one, a, b), QN_EINVAL, function, "uplo is 2");
  refused(f(stream, l, lo, (qn_trans)3, u, one, a, b), QN_EINVAL, function, "trans is 3");
  refused(f(stream, l, lo, n, (qn_diag)4, one, a, b), QN_EINVAL, function, "diag is 4");
  refused(f(stream, l, lo, n, u, one, wide_a, b), QN_EINVAL, function, "a is 4 x 5, not square");
  refused(f(stream, l, lo, n, u, one, a, f32), QN_EINVAL, function, "b is f32 where a is f64");
  refused(f(stream, l, lo, n, u, one, a, qn_matrix_sub(b, 0, 0, 3, 4)), QN_EINVAL, function,
          "b is 3 x 4 where a, on the left, is of order 4");
  refused(f(stream, QN_RIGHT, lo, n, u, one, a, qn_matrix_sub(b, 0, 0, 4, 3)), QN_EINVAL, function,
          "b is 4 x 3 where a, on the right, is of order 4");
  snprintf(function, sizeof function, "%s: a", name);
  refused(f(stream, l, lo, n, u, one, with_ld(a, 2), b), QN_EINVAL, function, "2");
  snprintf(function, sizeof function, "%s: b", name);
  refused(f(stream, l, lo, n, u, one, a, with_ld(b, 2)), QN_EINVAL, function, "2");
}

static void triangular_arguments(void **state) {
  (void)state;
  check_triangular(qn_trsm, "qn_trsm");
  check_triangular(qn_trmm, "qn_trmm");
}

static void potrf_arguments(void **state) {
  (void)state;
  int64_t info;
  refused(qn_potrf(NULL, QN_LOWER, a, &info), QN_EINVAL, "qn_potrf: ", "stream is NULL");
  refused(qn_potrf(stream, (qn_uplo)'x', a, &info), QN_EINVAL, "qn_potrf: ", "uplo is 120");
  refused(qn_potrf(stream, QN_LOWER, wide_a, &info), QN_EINVAL, "qn_potrf: ", "not square");
  refused(qn_potrf(stream, QN_LOWER, with_ld(a, 1), &info), QN_EINVAL, "qn_potrf: a", "1");
  refused(qn_potrf(stream, QN_LOWER, half, &info), QN_EUNSUPPORTED, "qn_potrf: ", "a is f16");
}

static void block_arguments(void **state) {
  (void)state;
  const char *trsm = "qn_device_set_trsm_block: ", *trmm = "qn_device_set_trmm_block: ";
  refused(qn_device_set_trsm_block(NULL, 1), QN_EINVAL, trsm, "device is NULL");
  refused(qn_device_set_trsm_block(device, -7), QN_EINVAL, trsm, "block is -7");
  refused(qn_device_set_trmm_block(NULL, 1), QN_EINVAL, trmm, "device is NULL");
  refused(qn_device_set_trmm_block(device, -7), QN_EINVAL, trmm, "block is -7");
}

static void take_nothing(void *user, const qn_code_module *module) {
  (void)user, (void)module;
  fail_msg("the cpu's kernels are not compiled");
}

static qn_status code(qn_device *on, qn_dtype dtype, int transa, int64_t m, int form,
                      qn_code_fn fn) {
  return qn_gemm_code(on, dtype, (qn_trans)transa, QN_NOTRANS, m, 4, 4, (qn_code)form, fn, NULL);
}

static void code_arguments(void **state) {
  (void)state;
  const char *me = "qn_gemm_code";
  refused(code(NULL, QN_F64, 'N', 4, QN_CODE_PTX, take_nothing), QN_EINVAL, me, "device");
  refused(code(device, QN_F64, 'N', 4, QN_CODE_PTX, NULL), QN_EINVAL, me, "fn is NULL");
  refused(code(device, QN_F64, 'X', 4, QN_CODE_PTX, take_nothing), QN_EINVAL, me, "transa");
  refused(code(device, QN_F64, 'N', 0, QN_CODE_PTX, take_nothing), QN_EINVAL, me, "0 x 4 x 4");
  refused(code(device, (qn_dtype)99, 'N', 4, QN_CODE_PTX, take_nothing), QN_EINVAL, me, "99");
  refused(code(device, QN_F64, 'N', 4, 7, take_nothing), QN_EINVAL, me, "form is 7");
  refused(code(device, QN_F64, 'N', 4, QN_CODE_PTX, take_nothing), QN_EUNSUPPORTED, me, "cpu");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gemm_arguments),  cmocka_unit_test(triangular_arguments),
      cmocka_unit_test(potrf_arguments), cmocka_unit_test(block_arguments),
      cmocka_unit_test(code_arguments),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
