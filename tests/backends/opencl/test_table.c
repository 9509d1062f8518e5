/* Every operation of the opencl backend's table, on the first device there is (PoCL will do). */
#include "device/backend.h"
#include "skip.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

extern const qn_backend_ops qn_opencl_backend;
static const qn_backend_ops *const ops = &qn_opencl_backend;
static qn_bdev *dev;
static qn_bstream *stream;

static const char scale_source[] = "__kernel void scale(__global float *x, float factor, int n) {\n"
                                   "  int i = get_global_id(0);\n"
                                   "  if (i < n) x[i] *= FACTOR * factor;\n"
                                   "}\n"
                                   "__kernel void reverse(__global int *x, __local int *tile) {\n"
                                   "  int i = get_local_id(0), n = get_local_size(0);\n"
                                   "  tile[i] = x[get_group_id(0) * n + i];\n"
                                   "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "  x[get_group_id(0) * n + i] = tile[n - 1 - i];\n"
                                   "}\n";

static int open_first(void **state) {
  (void)state;
  assert_int_equal(ops->open(0, &dev), QN_OK);
  return ops->stream_new(dev, NULL, &stream);
}

static int close_all(void **state) {
  (void)state;
  ops->stream_free(stream);
  ops->close(dev);
  return 0;
}

static qn_mem device_memory(size_t bytes) {
  qn_mem mem = 0;
  assert_int_equal(ops->alloc(dev, QN_MEMORY_DEVICE, bytes, &mem), QN_OK);
  assert_true(mem != 0);
  return mem;
}

static const qn_rect *flat(size_t bytes) {
  static qn_rect rect;
  rect = (qn_rect){bytes, 1, bytes, bytes};
  return &rect;
}

static void read_all(qn_mem mem, void *dst, size_t bytes) {
  assert_int_equal(ops->copy_out(stream, dst, mem, 0, flat(bytes)), QN_OK);
  assert_int_equal(ops->sync(stream), QN_OK);
}

static void test_query(void **state) {
  (void)state;
  qn_device_info info;
  assert_int_equal(ops->query(0, &info), QN_OK);
  assert_string_equal(info.id, "opencl:0");
  assert_string_equal(info.backend, "opencl");
  assert_true(info.name[0] != 0 && info.driver[0] != 0);
  assert_true(strncmp(info.arch, "OpenCL", 6) == 0 || strncmp(info.arch, "sm_", 3) == 0);
  assert_true(info.memory > 0 && info.memory_max > 0 && info.local_memory >= 16384);
  assert_true(info.compute_units > 0);
  unsigned always = 1u << QN_F16 | 1u << QN_BF16 | 1u << QN_F32 | 1u << QN_C64;
  assert_int_equal(info.dtypes & always, always);
  assert_int_equal(info.dtypes >> QN_F64 & 1, info.dtypes >> QN_C128 & 1);
}

/* Bytes where copies belong, guards everywhere else. */
static void test_copies(void **state) {
  (void)state;
  enum { PITCH = 24, ROWS = 7, WIDTH = 10, OFFSET = 53 };
  unsigned char image[PITCH * (ROWS + 4)], want[sizeof image], got[sizeof image],
      tile[WIDTH * ROWS];
  for (size_t i = 0; i < sizeof image; i++) image[i] = (unsigned char)(i * 7 + 1);
  for (size_t i = 0; i < sizeof tile; i++) tile[i] = (unsigned char)(200 - i);
  qn_mem mem = device_memory(sizeof image), other = device_memory(sizeof image);
  assert_int_equal(ops->copy_in(stream, mem, 0, image, flat(sizeof image)), QN_OK);

  /* a rectangle that begins in the middle of a row of the pitch's grid, one that crosses it, and
   * one that ends with the buffer */
  const size_t offsets[] = {OFFSET, OFFSET + 15, sizeof image - (ROWS - 1) * PITCH - WIDTH};
  for (int i = 0; i < 3; i++) {
    const size_t offset = offsets[i];
    const qn_rect in = {WIDTH, ROWS, WIDTH, PITCH}, out = {WIDTH, ROWS, PITCH, WIDTH};
    assert_int_equal(ops->copy_in(stream, mem, offset, tile, &in), QN_OK);
    memcpy(want, image, sizeof want);
    for (int r = 0; r < ROWS; r++) memcpy(want + offset + r * PITCH, tile + r * WIDTH, WIDTH);
    read_all(mem, got, sizeof got);
    assert_memory_equal(got, want, sizeof want);
    unsigned char back[sizeof tile] = {0};
    assert_int_equal(ops->copy_out(stream, back, mem, offset, &out), QN_OK);
    assert_int_equal(ops->sync(stream), QN_OK);
    assert_memory_equal(back, tile, sizeof tile);

    const qn_rect across = {WIDTH, ROWS, PITCH, WIDTH + 3};
    unsigned char clear[sizeof image];
    memset(clear, 0xee, sizeof clear);
    assert_int_equal(ops->fill(stream, other, 0, sizeof image, 0xee, 1), QN_OK);
    assert_int_equal(ops->copy(stream, other, 5, mem, offset, &across), QN_OK);
    for (int r = 0; r < ROWS; r++) memcpy(clear + 5 + r * (WIDTH + 3), tile + r * WIDTH, WIDTH);
    read_all(other, got, sizeof got);
    assert_memory_equal(got, clear, sizeof clear);
    assert_int_equal(ops->copy_in(stream, mem, 0, image, flat(sizeof image)), QN_OK);
  }
  assert_int_equal(ops->copy(stream, other, 3, mem, 11, flat(100)), QN_OK);
  read_all(other, got, sizeof got);
  assert_memory_equal(got + 3, image + 11, 100);
  assert_int_equal(ops->copy_in(stream, mem, 0, NULL, flat(0)), QN_OK);
  ops->free(dev, QN_MEMORY_DEVICE, mem);
  ops->free(dev, QN_MEMORY_DEVICE, other);
}

static void test_fill(void **state) {
  (void)state;
  uint32_t words[64];
  qn_mem mem = device_memory(sizeof words);
  assert_int_equal(ops->fill(stream, mem, 0, sizeof words, 0x01020304, 4), QN_OK);
  assert_int_equal(ops->fill(stream, mem, 8, 8, 0xabcd, 2), QN_OK);
  assert_int_equal(ops->fill(stream, mem, 16, 0, 0xff, 1), QN_OK);
  assert_int_equal(ops->fill(stream, mem, 21, 2, 0xff, 1), QN_OK);
  read_all(mem, words, sizeof words);
  assert_int_equal(words[1], 0x01020304);
  assert_int_equal(words[2], 0xabcdabcd);
  assert_int_equal(words[3], 0xabcdabcd);
  assert_int_equal(words[4], 0x01020304);
  const unsigned char *bytes = (const unsigned char *)words;
  const unsigned char want[] = {4, 0xff, 0xff, 1};
  assert_memory_equal(bytes + 20, want, 4);
  assert_int_equal(words[63], 0x01020304);
  ops->free(dev, QN_MEMORY_DEVICE, mem);
}

static void test_pinned(void **state) {
  (void)state;
  qn_mem pinned = 0;
  assert_int_equal(ops->alloc(dev, QN_MEMORY_PINNED, 4096, &pinned), QN_OK);
  unsigned char *host = ops->host(dev, QN_MEMORY_PINNED, pinned), got[4096];
  assert_non_null(host);
  for (int i = 0; i < 4096; i++) host[i] = (unsigned char)(i * 3);
  qn_mem mem = device_memory(4096);
  assert_null(ops->host(dev, QN_MEMORY_DEVICE, mem));
  assert_int_equal(ops->copy_in(stream, mem, 0, host, flat(4096)), QN_OK);
  read_all(mem, got, sizeof got);
  assert_memory_equal(got, host, 4096);
  ops->free(dev, QN_MEMORY_PINNED, pinned);
  ops->free(dev, QN_MEMORY_DEVICE, mem);
}

static void compile(const char *text, const char *options, qn_bmodule **module) {
  const qn_source source = {"scale", text, options};
  qn_blob binary;
  char *log;
  assert_int_equal(ops->compile(dev, &source, &binary, &log), QN_OK);
  qn_host_strfree(log);
  assert_int_equal(ops->module_load(dev, &binary, module), QN_OK);
  qn_host_free(binary.data, binary.size);
}

static void test_kernels(void **state) {
  (void)state;
  enum { N = 100 };
  float x[N];
  for (int i = 0; i < N; i++) x[i] = (float)i;
  qn_bmodule *module;
  compile(scale_source, "-DFACTOR=2.0f", &module);
  qn_bkernel *scale, *reverse, *none;
  qn_kernel_info info;
  assert_int_equal(ops->kernel_get(module, "scale", &scale, &info), QN_OK);
  assert_int_equal(info.params, 3);
  assert_true(info.max_group >= 1);
  assert_int_equal(ops->kernel_get(module, "nothing", &none, &info), QN_EINVAL);
  assert_int_equal(ops->kernel_get(module, "reverse", &reverse, &info), QN_OK);

  qn_mem mem = device_memory(sizeof x);
  assert_int_equal(ops->copy_in(stream, mem, 0, x, flat(sizeof x)), QN_OK);
  const float factor = 1.5f;
  const int n = N - 1;
  qn_arg args[] = {{.kind = QN_ARG_MEM, .mem = mem},
                   {.kind = QN_ARG_VALUE, .size = sizeof factor, .value = &factor},
                   {.kind = QN_ARG_VALUE, .size = sizeof n, .value = &n}};
  const qn_launch grid = {.groups = {7, 1, 1}, .group = {16, 1, 1}};
  assert_int_equal(ops->launch(stream, scale, &grid, args, 3), QN_OK);
  qn_arg local[] = {args[0], {.kind = QN_ARG_LOCAL, .size = 4 * sizeof(int)}};
  const qn_launch quads = {.groups = {N / 4, 1, 1}, .group = {4, 1, 1}};
  assert_int_equal(ops->launch(stream, reverse, &quads, local, 2), QN_OK);
  float got[N];
  read_all(mem, got, sizeof got);
  for (int i = 0; i < N; i++) {
    int from = i / 4 * 4 + 3 - i % 4;
    assert_float_equal(got[i], from < n ? 3.0f * (float)from : (float)from, 0.0f);
  }

  args[2].size = 8; /* the kernel's n is an int */
  assert_int_equal(ops->launch(stream, scale, &grid, args, 3), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "argument 2"));
  const qn_launch clusters = {.groups = {2, 1, 1}, .group = {16, 1, 1}, .cluster = {2, 1, 1}};
  args[2].size = 4;
  assert_int_equal(ops->launch(stream, scale, &clusters, args, 3), QN_EUNSUPPORTED);
  ops->free(dev, QN_MEMORY_DEVICE, mem);
  ops->module_free(module);
}

static void test_compile_error(void **state) {
  (void)state;
  const qn_source source = {"broken.cl", "__kernel void f(__global int *x) { x[0] = nowhere; }",
                            ""};
  qn_blob binary;
  char *log;
  assert_int_equal(ops->compile(dev, &source, &binary, &log), QN_ECOMPILE);
  assert_non_null(strstr(qn_last_error(), "broken.cl"));
  assert_non_null(strstr(qn_last_error(), "nowhere"));
  qn_host_strfree(log);
  qn_bmodule *module;
  char rubbish[64] = "no binary at all";
  const qn_blob blob = {rubbish, sizeof rubbish};
  assert_true(ops->module_load(dev, &blob, &module) != QN_OK);
}

static void test_events(void **state) {
  (void)state;
  enum { BYTES = 1 << 22 };
  qn_bevent *start, *stop, *never;
  qn_bstream *second;
  assert_int_equal(ops->event_new(dev, &start), QN_OK);
  assert_int_equal(ops->event_new(dev, &stop), QN_OK);
  assert_int_equal(ops->event_new(dev, &never), QN_OK);
  assert_int_equal(ops->stream_new(dev, NULL, &second), QN_OK);
  qn_mem mem = device_memory(BYTES);
  assert_int_equal(ops->event_record(start, stream), QN_OK);
  for (uint32_t i = 0; i < 20; i++) assert_int_equal(ops->fill(stream, mem, 0, BYTES, i, 4), QN_OK);
  assert_int_equal(ops->event_record(stop, stream), QN_OK);
  /* the second stream sees what the first wrote before the mark */
  uint32_t last = 0;
  assert_int_equal(ops->event_wait(stop, second), QN_OK);
  assert_int_equal(ops->copy_out(second, &last, mem, BYTES - 4, flat(4)), QN_OK);
  assert_int_equal(ops->sync(second), QN_OK);
  assert_int_equal(last, 19);
  bool done = false;
  assert_int_equal(ops->event_sync(stop), QN_OK);
  assert_int_equal(ops->event_query(stop, &done), QN_OK);
  assert_true(done);
  double seconds = -1;
  assert_int_equal(ops->event_elapsed(start, stop, &seconds), QN_OK);
  assert_true(seconds > 0 && seconds < 60);
  assert_int_equal(ops->event_elapsed(start, never, &seconds), QN_EINVAL);
  /* a mark may be set again */
  assert_int_equal(ops->event_record(start, stream), QN_OK);
  assert_int_equal(ops->event_elapsed(stop, start, &seconds), QN_OK);
  assert_true(seconds >= 0);
  ops->free(dev, QN_MEMORY_DEVICE, mem);
  ops->event_free(start);
  ops->event_free(stop);
  ops->event_free(never);
  ops->stream_free(second);
}

static void test_identity(void **state) {
  (void)state;
  char text[1024] = "";
  qn_device_info info;
  assert_int_equal(ops->identity(dev, text, sizeof text), QN_OK);
  assert_int_equal(ops->query(0, &info), QN_OK);
  assert_non_null(strstr(text, info.name));
  assert_non_null(strstr(text, info.driver));
}

int main(void) {
  skip_unless_device(ops);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_query),   cmocka_unit_test(test_copies),
      cmocka_unit_test(test_fill),    cmocka_unit_test(test_pinned),
      cmocka_unit_test(test_kernels), cmocka_unit_test(test_compile_error),
      cmocka_unit_test(test_events),  cmocka_unit_test(test_identity),
  };
  return cmocka_run_group_tests(tests, open_first, close_all);
}
