/* Public kernels: arguments, shapes, errors; on the first OpenCL device where there is one. */
#include <quern/kernel.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char source[] =
    "__kernel void axpy(__global const float *x, __global float *y, float a, int n) {\n"
    "  int i = get_global_id(0);\n"
    "  if (i < n) y[i] += a * x[i];\n"
    "}\n"
    "__kernel void sum_up(__global long *out, long n, double d, short s) {\n"
    "  out[0] = n + (long)d + s;\n"
    "}\n"
    "QN_KERNEL QN_WG_SIZE(8, 1, 1) void turn(__global int *x) {\n"
    "  __local int tile[8];\n"
    "  tile[QN_LID(0)] = x[QN_GID(0)];\n"
    "  QN_BARRIER();\n"
    "  x[QN_GID(0)] = tile[7 - QN_LID(0)];\n"
    "}\n";

static qn_device *device;
static qn_stream *stream;

static qn_kernel *kernel_of(const char *name) {
  qn_kernel *kernel = NULL;
  assert_int_equal(qn_kernel_create(device, name, source, "-DX=1", &kernel), QN_OK);
  return kernel;
}

static qn_buffer *buffer_of(size_t bytes) {
  qn_buffer *buffer = NULL;
  assert_int_equal(qn_buffer_alloc(device, QN_MEMORY_DEVICE, bytes, &buffer), QN_OK);
  return buffer;
}

static void test_run(void **state) {
  (void)state;
  enum { N = 1000 };
  float x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = (float)i, y[i] = 1.0f;
  qn_kernel *axpy = kernel_of("axpy");
  qn_buffer *bx = buffer_of(sizeof x), *by = buffer_of(sizeof y);
  assert_int_equal(qn_copy_in(stream, bx, 0, x, sizeof x), QN_OK);
  assert_int_equal(qn_copy_in(stream, by, 0, y, sizeof y), QN_OK);
  const qn_kernel_arg args[] = {qn_arg_buffer(bx), qn_arg_buffer(by), qn_arg_f32(2.0f),
                                qn_arg_i32(N - 1)};
  assert_int_equal(qn_kernel_launch(stream, axpy, qn_grid_1d(N, 64), args, 4), QN_OK);
  assert_int_equal(qn_kernel_launch(stream, axpy, qn_grid_1d(0, 64), args, 4), QN_OK);
  assert_int_equal(qn_copy_out(stream, y, by, 0, sizeof y), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  for (int i = 0; i < N - 1; i++) assert_float_equal(y[i], 1.0f + 2.0f * (float)i, 0);
  assert_float_equal(y[N - 1], 1.0f, 0);
  qn_buffer_free(bx);
  qn_buffer_free(by);
  qn_kernel_free(axpy);
}

static void test_values(void **state) {
  (void)state;
  int64_t out = 0;
  const int16_t s = 7;
  qn_kernel *sum = kernel_of("sum_up");
  qn_buffer *buffer = buffer_of(sizeof out);
  const qn_kernel_arg args[] = {qn_arg_buffer(buffer), qn_arg_i64(INT64_C(1) << 40),
                                qn_arg_f64(100.0), qn_arg_bytes(&s, sizeof s)};
  assert_int_equal(qn_kernel_launch(stream, sum, qn_grid_1d(1, 1), args, 4), QN_OK);
  assert_int_equal(qn_copy_out(stream, &out, buffer, 0, sizeof out), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  assert_true(out == (INT64_C(1) << 40) + 107);
  qn_buffer_free(buffer);
  qn_kernel_free(sum);
}

static void test_local(void **state) {
  (void)state;
  int x[16];
  for (int i = 0; i < 16; i++) x[i] = i;
  qn_kernel *turn = kernel_of("turn");
  qn_buffer *buffer = buffer_of(sizeof x);
  assert_int_equal(qn_copy_in(stream, buffer, 0, x, sizeof x), QN_OK);
  const qn_kernel_arg arg = qn_arg_buffer(buffer);
  assert_int_equal(qn_kernel_launch(stream, turn, qn_grid_1d(16, 8), &arg, 1), QN_OK);
  assert_int_equal(qn_copy_out(stream, x, buffer, 0, sizeof x), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  for (int i = 0; i < 16; i++) assert_int_equal(x[i], i / 8 * 8 + 7 - i % 8);
  qn_buffer_free(buffer);
  qn_kernel_free(turn);
}

static void expect(qn_status want, const char *text, qn_status got) {
  assert_int_equal(got, want);
  if (!strstr(qn_last_error(), text)) fail_msg("'%s' lacks '%s'", qn_last_error(), text);
}

static void test_wrong_arguments(void **state) {
  (void)state;
  qn_device *cpu;
  qn_buffer *foreign, *buffer = buffer_of(64);
  assert_int_equal(qn_device_open("cpu", &cpu), QN_OK);
  assert_int_equal(qn_buffer_alloc(cpu, QN_MEMORY_DEVICE, 64, &foreign), QN_OK);
  qn_kernel *axpy = kernel_of("axpy");
  qn_grid grid = qn_grid_1d(16, 16);
  qn_kernel_arg args[] = {qn_arg_buffer(buffer), qn_arg_buffer(buffer), qn_arg_f32(2),
                          qn_arg_i32(16)};
  expect(QN_EINVAL, "3 arguments", qn_kernel_launch(stream, axpy, grid, args, 3));
  args[1] = qn_arg_buffer(foreign);
  expect(QN_EINVAL, "argument 1", qn_kernel_launch(stream, axpy, grid, args, 4));
  args[1] = qn_arg_buffer(NULL);
  expect(QN_EINVAL, "argument 1", qn_kernel_launch(stream, axpy, grid, args, 4));
  args[1] = qn_arg_buffer(buffer);
  args[2] = qn_arg_f64(2);
  expect(QN_EINVAL, "argument 2", qn_kernel_launch(stream, axpy, grid, args, 4));
  args[2] = qn_arg_bytes(NULL, 4);
  expect(QN_EINVAL, "argument 2", qn_kernel_launch(stream, axpy, grid, args, 4));
  args[2] = qn_arg_f32(2);
  grid.group[0] = 1u << 30;
  expect(QN_EINVAL, "a group of", qn_kernel_launch(stream, axpy, grid, args, 4));
  grid.group[0] = 0;
  expect(QN_EINVAL, "a group of", qn_kernel_launch(stream, axpy, grid, args, 4));
  expect(QN_EINVAL, "NULL", qn_kernel_launch(stream, NULL, grid, args, 4));
  expect(QN_EINVAL, "", qn_kernel_launch(NULL, axpy, grid, args, 4));
  /* none of this harmed the stream */
  assert_int_equal(qn_kernel_launch(stream, axpy, qn_grid_1d(16, 16), args, 4), QN_OK);
  assert_int_equal(qn_stream_sync(stream), QN_OK);
  qn_buffer_free(buffer);
  qn_buffer_free(foreign);
  qn_kernel_free(axpy);
  qn_device_close(cpu);
}

static void test_compile_errors(void **state) {
  (void)state;
  qn_kernel *kernel;
  expect(QN_ECOMPILE, "nowhere",
         qn_kernel_create(device, "f", "__kernel void f(__global int *x) { x[0] = nowhere; }", NULL,
                          &kernel));
  assert_non_null(strstr(qn_last_error(), "qn_kernel_create"));
  expect(QN_EINVAL, "nothing", qn_kernel_create(device, "nothing", source, NULL, &kernel));
  expect(QN_EINVAL, "NULL", qn_kernel_create(device, "f", NULL, NULL, &kernel));
}

static void test_report(void **state) {
  (void)state;
  qn_kernel *axpy = kernel_of("axpy"), *turn = kernel_of("turn");
  qn_kernel_report report;
  assert_int_equal(qn_kernel_query(axpy, &report), QN_OK);
  assert_int_equal(report.arguments, 4);
  assert_true(report.max_group >= 1);
  assert_int_equal(qn_kernel_query(turn, &report), QN_OK);
  assert_true(report.local_bytes >= 32);
  assert_int_equal(qn_kernel_query(NULL, &report), QN_EINVAL);
  double share = -1.0;
  assert_int_equal(qn_kernel_occupancy(axpy, 1, &share), QN_OK);
  assert_true(share >= 0.0 && share <= 1.0);
  assert_int_equal(qn_kernel_occupancy(axpy, 0, &share), QN_EINVAL);
  assert_int_equal(qn_kernel_occupancy(NULL, 1, &share), QN_EINVAL);
  qn_kernel_free(axpy);
  qn_kernel_free(turn);
}

static void test_cpu_has_none(void **state) {
  (void)state;
  qn_device *cpu;
  qn_kernel *kernel;
  assert_int_equal(qn_device_open("cpu", &cpu), QN_OK);
  expect(QN_EUNSUPPORTED, "cpu", qn_kernel_create(cpu, "axpy", source, NULL, &kernel));
  qn_device_close(cpu);
}

static int open_device(void **state) {
  (void)state;
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (qn_device_open(name ? name : "opencl:0", &device) != QN_OK) return -1;
  return qn_stream_create(device, &stream);
}

static int close_device(void **state) {
  (void)state;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

int main(void) {
  const struct CMUnitTest always[] = {cmocka_unit_test(test_cpu_has_none)};
  int bad = cmocka_run_group_tests(always, NULL, NULL);
  if (bad) return bad;
  qn_device *probe;
  const char *name = getenv("QUERN_TEST_DEVICE");
  if (qn_device_open(name ? name : "opencl:0", &probe) != QN_OK) {
    printf("skipped the rest: %s\n", qn_last_error());
    return 77;
  }
  qn_device_close(probe);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_local),
      cmocka_unit_test(test_wrong_arguments),
      cmocka_unit_test(test_compile_errors),
      cmocka_unit_test(test_report),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
