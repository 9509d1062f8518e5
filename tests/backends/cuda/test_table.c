/* Every operation of the cuda backend's table over the stand-in driver: what is called, with what.
 */
#include "fakes.h"
#include "backends/cuda/driver.h"
#include "device/backend.h"
#include "device/tensor_map.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

extern const qn_backend_ops qn_cuda_backend;
static const qn_backend_ops *const ops = &qn_cuda_backend;
static fake_cuda *driver;
static fake_nvrtc *compiler;
static qn_bdev *dev;
static qn_bstream *stream;

static int setup(void **state) {
  (void)state;
  driver = fake_driver();
  compiler = fake_compiler();
  driver->capability = 90;
  driver->reads_pageable = 0;
  compiler->result = 0;
  compiler->arch = 90;
  assert_int_equal(ops->open(0, &dev), QN_OK);
  return ops->stream_new(dev, NULL, &stream);
}

/* Nothing is left over, and the thread's context is as it was. */
static int teardown(void **state) {
  (void)state;
  ops->stream_free(stream);
  ops->close(dev);
  return driver->contexts_pushed || driver->contexts_retained || driver->blocks ||
         driver->streams || driver->events || driver->modules;
}

static void clear_log(void) {
  driver->used = 0;
  driver->log[0] = '\0';
}

static void test_query(void **state) {
  (void)state;
  qn_device_info info;
  assert_int_equal(ops->query(0, &info), QN_OK);
  assert_string_equal(info.id, "cuda:0");
  assert_string_equal(info.name, "Fake Card");
  assert_string_equal(info.arch, "sm_90a");
  assert_string_equal(info.driver, "CUDA 13.0");
  assert_int_equal(info.kind, QN_DEVICE_GPU);
  assert_int_equal(info.dtypes, 63);
  assert_int_equal(info.memory >> 34, 1);
  assert_int_equal(info.compute_units, 1016);
  assert_int_equal(info.cache, 1038);
  assert_int_equal(info.local_memory, 1097);
  assert_int_equal(ops->query(1, &info), QN_ENODEVICE);
}

static const qn_rect *flat(size_t bytes) {
  static qn_rect rect;
  rect = (qn_rect){bytes, 1, bytes, bytes};
  return &rect;
}

static void test_memory(void **state) {
  (void)state;
  unsigned char bytes[100], got[100] = {0};
  for (int i = 0; i < 100; i++) bytes[i] = (unsigned char)(i + 1);
  qn_mem a, b, pinned;
  assert_int_equal(ops->alloc(dev, QN_MEMORY_DEVICE, 100, &a), QN_OK);
  assert_int_equal(ops->alloc(dev, QN_MEMORY_DEVICE, 100, &b), QN_OK);
  assert_int_equal(ops->alloc(dev, QN_MEMORY_PINNED, 100, &pinned), QN_OK);
  assert_null(ops->host(dev, QN_MEMORY_DEVICE, a));
  assert_non_null(ops->host(dev, QN_MEMORY_PINNED, pinned));
  assert_int_equal(ops->copy_in(stream, a, 0, bytes, flat(100)), QN_OK);
  assert_int_equal(ops->copy(stream, b, 10, a, 20, flat(50)), QN_OK);
  assert_int_equal(ops->copy_out(stream, got, b, 10, flat(50)), QN_OK);
  assert_memory_equal(got, bytes + 20, 50);

  clear_log();
  const qn_rect rect = {3, 4, 3, 10};
  assert_int_equal(ops->copy_in(stream, a, 7, bytes, &rect), QN_OK);
  assert_non_null(strstr(driver->log, "cuMemcpy2DAsync_v2"));
  const qn_rect out = {3, 4, 10, 5};
  memset(got, 0, sizeof got);
  assert_int_equal(ops->copy_out(stream, got, a, 7, &out), QN_OK);
  for (int r = 0; r < 4; r++) assert_memory_equal(got + 5 * r, bytes + 3 * r, 3);
  const qn_rect within = {3, 4, 10, 3};
  assert_int_equal(ops->copy(stream, b, 1, a, 7, &within), QN_OK);
  assert_int_equal(ops->copy_out(stream, got, b, 1, flat(12)), QN_OK);
  assert_memory_equal(got, bytes, 12);
  assert_int_equal(ops->copy(stream, b, 0, a, 0, flat(0)), QN_OK);

  assert_int_equal(ops->fill(stream, a, 4, 8, 0x01020304, 4), QN_OK);
  assert_int_equal(ops->fill(stream, a, 12, 4, 0xabcd, 2), QN_OK);
  assert_int_equal(ops->fill(stream, a, 16, 3, 0xee, 1), QN_OK);
  assert_int_equal(ops->copy_out(stream, got, a, 4, flat(15)), QN_OK);
  const unsigned char want[] = {4, 3, 2, 1, 4, 3, 2, 1, 0xcd, 0xab, 0xcd, 0xab, 0xee, 0xee, 0xee};
  assert_memory_equal(got, want, sizeof want);
  ops->free(dev, QN_MEMORY_DEVICE, a);
  ops->free(dev, QN_MEMORY_DEVICE, b);
  ops->free(dev, QN_MEMORY_PINNED, pinned);
}

/* Pitches beyond the driver's limit (4096 in the stand-in) go row by row. */
static void test_wide_pitch(void **state) {
  (void)state;
  unsigned char *rows = calloc(3, 5000), got[6] = {0};
  for (int r = 0; r < 3; r++) rows[5000 * r] = (unsigned char)(r + 1), rows[5000 * r + 1] = 9;
  qn_mem mem;
  assert_int_equal(ops->alloc(dev, QN_MEMORY_DEVICE, 6, &mem), QN_OK);
  const qn_rect rect = {2, 3, 5000, 2};
  clear_log();
  assert_int_equal(ops->copy_in(stream, mem, 0, rows, &rect), QN_OK);
  assert_null(strstr(driver->log, "cuMemcpy2DAsync_v2"));
  assert_int_equal(ops->copy_out(stream, got, mem, 0, flat(6)), QN_OK);
  const unsigned char want[] = {1, 9, 2, 9, 3, 9};
  assert_memory_equal(got, want, 6);
  ops->free(dev, QN_MEMORY_DEVICE, mem);
  free(rows);
}

/* A card that reads ordinary memory by itself could read it after the call: so the call waits. */
static void test_pageable(void **state) {
  (void)state;
  qn_bdev *other;
  qn_bstream *s;
  qn_mem mem;
  int value = 3;
  driver->reads_pageable = 1;
  assert_int_equal(ops->open(0, &other), QN_OK);
  assert_int_equal(ops->stream_new(other, NULL, &s), QN_OK);
  assert_int_equal(ops->alloc(other, QN_MEMORY_DEVICE, 4, &mem), QN_OK);
  clear_log();
  assert_int_equal(ops->copy_in(s, mem, 0, &value, flat(4)), QN_OK);
  assert_non_null(strstr(driver->log, "cuMemcpyHtoDAsync_v2 cuPointerGetAttribute "
                                      "cuStreamSynchronize"));
  clear_log();
  assert_int_equal(ops->copy_in(stream, mem, 0, &value, flat(4)), QN_OK);
  assert_null(strstr(driver->log, "cuStreamSynchronize"));
  ops->free(other, QN_MEMORY_DEVICE, mem);
  ops->stream_free(s);
  ops->close(other);
}

static void test_wrap(void **state) {
  (void)state;
  char theirs[8];
  qn_bstream *s;
  int streams = driver->streams;
  assert_int_equal(ops->stream_new(dev, theirs, &s), QN_OK);
  assert_int_equal(driver->streams, streams);
  clear_log();
  ops->stream_free(s);
  assert_null(strstr(driver->log, "cuStreamDestroy")); /* it is the caller's */
  driver->primary = theirs;
  assert_int_equal(ops->stream_new(dev, theirs, &s), QN_EINVAL);
  driver->primary = NULL;
}

static void test_events(void **state) {
  (void)state;
  qn_bevent *a, *b;
  bool done = true;
  double seconds = 0;
  assert_int_equal(ops->event_new(dev, &a), QN_OK);
  assert_int_equal(ops->event_new(dev, &b), QN_OK);
  assert_int_equal(ops->event_record(a, stream), QN_OK);
  assert_int_equal(ops->event_wait(a, stream), QN_OK);
  assert_int_equal(ops->event_record(b, stream), QN_OK);
  assert_int_equal(ops->event_sync(b), QN_OK);
  driver->fail = "cuEventQuery";
  driver->code = CUDA_ERROR_NOT_READY;
  assert_int_equal(ops->event_query(b, &done), QN_OK);
  assert_false(done);
  driver->fail = NULL;
  assert_int_equal(ops->event_query(b, &done), QN_OK);
  assert_true(done);
  assert_int_equal(ops->event_elapsed(a, b, &seconds), QN_OK);
  assert_float_equal(seconds, 0.0025, 1e-9);
  ops->event_free(a);
  ops->event_free(b);
}

static qn_bmodule *module_of(const char *text) {
  const qn_source source = {"k.cl", text, "-DA=1  -DB=2"};
  qn_blob binary;
  char *log;
  qn_bmodule *module = NULL;
  assert_int_equal(ops->compile(dev, &source, &binary, &log), QN_OK);
  assert_int_equal(ops->module_load(dev, &binary, &module), QN_OK);
  qn_host_free(binary.data, binary.size);
  qn_host_strfree(log);
  return module;
}

static void test_targets(void **state) {
  (void)state;
  char identity[128];
  qn_bdev *newer;
  ops->module_free(module_of("one two"));
  assert_string_equal(compiler->options, "--gpu-architecture=sm_90a|-default-device|-DA=1|-DB=2|");
  assert_int_equal(ops->identity(dev, identity, sizeof identity), QN_OK);
  assert_string_equal(identity, "cuda | sm_90a | NVRTC 12.8");
  driver->capability = 103; /* newer than this compiler: text for the driver to compile */
  assert_int_equal(ops->open(0, &newer), QN_OK);
  assert_int_equal(ops->identity(newer, identity, sizeof identity), QN_OK);
  assert_non_null(strstr(identity, "compute_90 "));
  ops->close(newer);
  driver->capability = 80;
  assert_int_equal(ops->open(0, &newer), QN_OK);
  assert_int_equal(ops->identity(newer, identity, sizeof identity), QN_OK);
  assert_non_null(strstr(identity, "sm_80 "));
  ops->close(newer);
  driver->capability = 70; /* older than anything it knows */
  assert_int_equal(ops->open(0, &newer), QN_OK);
  assert_int_equal(ops->identity(newer, identity, sizeof identity), QN_EUNSUPPORTED);
  ops->close(newer);
}

static void test_compile_error(void **state) {
  (void)state;
  const qn_source source = {"k.cl", "wrong", NULL};
  qn_blob binary;
  char *log;
  compiler->result = 6;
  assert_int_equal(ops->compile(dev, &source, &binary, &log), QN_ECOMPILE);
  assert_non_null(strstr(qn_last_error(), "k.cl for sm_90a: line 3: what is this?"));
  assert_string_equal(log, "line 3: what is this?");
  qn_host_strfree(log);
}

static void test_launch(void **state) {
  (void)state;
  qn_bmodule *module = module_of("first second");
  qn_bkernel *kernel, *none;
  qn_kernel_info info;
  assert_int_equal(ops->kernel_get(module, "third", &none, &info), QN_EINVAL);
  assert_int_equal(ops->kernel_get(module, "second", &kernel, &info), QN_OK);
  assert_int_equal(info.registers, 104);
  assert_int_equal(info.spill_bytes, 103);
  assert_int_equal(info.local_bytes, 101);
  assert_int_equal(info.max_group, 100);
  assert_int_equal(info.params, 3);
  assert_int_equal(info.param[1].size, 4);

  const float factor = 1.5f;
  const int64_t n = INT64_C(123456789012);
  qn_mem mem = 0x7000;
  qn_arg args[] = {{.kind = QN_ARG_MEM, .mem = mem},
                   {.kind = QN_ARG_VALUE, .size = 4, .value = &factor},
                   {.kind = QN_ARG_VALUE, .size = 8, .value = &n}};
  qn_launch l = {.groups = {5, 6, 7}, .group = {32, 2, 1}, .dynamic_local = 1000};
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_OK);
  assert_int_equal(driver->extended, 0);
  assert_memory_equal(driver->grid, l.groups, sizeof l.groups);
  assert_memory_equal(driver->block, l.group, sizeof l.group);
  assert_int_equal(driver->shared, 1000);
  assert_int_equal(driver->max_dynamic, 0);
  assert_memory_equal(driver->params[0], &mem, 8);
  assert_memory_equal(driver->params[1], &factor, 4);
  assert_memory_equal(driver->params[2], &n, 8);

  l.dynamic_local = 200000;
  l.cluster[0] = 4;
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_OK);
  assert_int_equal(driver->extended, 1);
  assert_int_equal(driver->max_dynamic, 200000);
  assert_int_equal(driver->wide_cluster, 0);
  const unsigned cluster[] = {4, 1, 1};
  assert_memory_equal(driver->cluster, cluster, sizeof cluster);
  l.cluster[1] = 4;
  clear_log();
  l.dynamic_local = 100000; /* less than it has: no call */
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_OK);
  assert_int_equal(driver->max_dynamic, 200000);
  assert_int_equal(driver->wide_cluster, 1);
  args[1].kind = QN_ARG_LOCAL;
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_EUNSUPPORTED);
  ops->module_free(module);
}

/* A launch may begin early behind a kernel of the same stream and behind nothing else. */
static void test_early(void **state) {
  (void)state;
  qn_bmodule *module = module_of("first");
  qn_bkernel *kernel;
  qn_kernel_info info;
  qn_bstream *wrapped;
  qn_mem mem;
  assert_int_equal(ops->kernel_get(module, "first", &kernel, &info), QN_OK);
  assert_int_equal(ops->alloc(dev, QN_MEMORY_DEVICE, 16, &mem), QN_OK);
  qn_arg args[] = {{.kind = QN_ARG_MEM, .mem = mem},
                   {.kind = QN_ARG_MEM, .mem = mem},
                   {.kind = QN_ARG_MEM, .mem = mem}};
  qn_launch l = {.groups = {1, 1, 1}, .group = {32, 1, 1}, .early = true};
  assert_int_equal(ops->fill(stream, mem, 0, 16, 0, 1), QN_OK);
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_OK);
  assert_int_equal(driver->early, 0);
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_OK);
  assert_int_equal(driver->early, 1);
  l.early = false;
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_OK);
  assert_int_equal(driver->early, 0);
  l.early = true;
  assert_int_equal(ops->copy(stream, mem, 0, mem, 8, flat(4)), QN_OK);
  assert_int_equal(ops->launch(stream, kernel, &l, args, 3), QN_OK);
  assert_int_equal(driver->early, 0);

  assert_int_equal(ops->stream_new(dev, (void *)&wrapped, &wrapped), QN_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ops->launch(wrapped, kernel, &l, args, 3), QN_OK);
    assert_int_equal(driver->early, 0);
  }
  ops->stream_free(wrapped);
  ops->free(dev, QN_MEMORY_DEVICE, mem);
  ops->module_free(module);
}

static void test_tensor_map(void **state) {
  (void)state;
  const qn_tensor_map_ops *maps = ops->proc(dev, QN_PROC_TENSOR_MAP);
  assert_non_null(maps);
  assert_null(ops->proc(dev, "no such thing"));
  qn_tensor_map map;
  qn_tensor_spec spec = {.dtype = QN_BF16,
                         .rank = 2,
                         .base = 0x1000,
                         .offset = 64,
                         .size = {100, 50},
                         .stride = {0, 208},
                         .box = {64, 32},
                         .swizzle = QN_SWIZZLE_128};
  assert_int_equal(maps->encode(maps, &spec, &map), QN_OK);
  const uint64_t want[] = {9, 2, 0x1040, 50, 208, 32, 1, 3};
  assert_memory_equal(map.opaque, want, sizeof want);
  spec.dtype = QN_C64;
  assert_int_equal(maps->encode(maps, &spec, &map), QN_EINVAL);
  qn_bdev *older;
  driver->capability = 80;
  assert_int_equal(ops->open(0, &older), QN_OK);
  assert_null(ops->proc(older, QN_PROC_TENSOR_MAP));
  ops->close(older);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
  const struct CMUnitTest tests[] = {
      T(test_query),  T(test_memory), T(test_wide_pitch), T(test_pageable),
      T(test_wrap),   T(test_events), T(test_targets),    T(test_compile_error),
      T(test_launch), T(test_early),  T(test_tensor_map),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
