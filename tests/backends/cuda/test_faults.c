/* Each driver call fails in turn: the status says what kind of failure it was, the text names the
 * call, nothing leaks, and the thread's context is popped again. */
#include "fakes.h"
#include "backends/cuda/driver.h"
#include "device/backend.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

extern const qn_backend_ops qn_cuda_backend;
static const qn_backend_ops *const ops = &qn_cuda_backend;
static fake_cuda *driver;

/* One pass over the whole table; the first failure ends it and is returned. */
typedef struct pass {
  qn_bdev *dev;
  qn_bstream *stream;
  qn_mem mem, pinned;
  qn_bevent *event;
  qn_bmodule *module;
} pass;

static qn_status copies(pass *p) {
  char bytes[64] = {0};
  const qn_rect line = {16, 1, 16, 16}, rect = {4, 3, 8, 6};
  qn_status s = ops->copy_in(p->stream, p->mem, 0, bytes, &line);
  if (!s) s = ops->copy_in(p->stream, p->mem, 0, bytes, &rect);
  if (!s) s = ops->copy_out(p->stream, bytes, p->mem, 0, &line);
  if (!s) s = ops->copy(p->stream, p->mem, 0, p->mem, 32, &line);
  for (unsigned width = 1; width <= 4 && !s; width *= 2)
    s = ops->fill(p->stream, p->mem, 0, 16, 1, width);
  return s;
}

static qn_status marks(pass *p) {
  bool done;
  double seconds;
  qn_status s = ops->event_new(p->dev, &p->event);
  if (!s) s = ops->event_record(p->event, p->stream);
  if (!s) s = ops->event_wait(p->event, p->stream);
  if (!s) s = ops->event_sync(p->event);
  if (!s) s = ops->event_query(p->event, &done);
  if (!s) s = ops->event_elapsed(p->event, p->event, &seconds);
  return s;
}

static qn_status kernels(pass *p) {
  const qn_source source = {"k.cl", "kernel", ""};
  const uint64_t value = 0;
  const qn_arg args[] = {{.kind = QN_ARG_MEM, .mem = p->mem},
                         {.kind = QN_ARG_VALUE, .size = 4, .value = &value},
                         {.kind = QN_ARG_VALUE, .size = 8, .value = &value}};
  qn_launch l = {.groups = {1, 1, 1}, .group = {1, 1, 1}};
  qn_blob binary;
  char *log;
  qn_bkernel *kernel;
  qn_kernel_info info;
  qn_status s = ops->compile(p->dev, &source, &binary, &log);
  if (s) return s;
  qn_host_strfree(log);
  s = ops->module_load(p->dev, &binary, &p->module);
  qn_host_free(binary.data, binary.size);
  if (!s) s = ops->kernel_get(p->module, "kernel", &kernel, &info);
  if (!s) s = ops->launch(p->stream, kernel, &l, args, 3);
  l.dynamic_local = 100000;
  l.cluster[0] = 16;
  if (!s) s = ops->launch(p->stream, kernel, &l, args, 3);
  return s;
}

static qn_status run(pass *p) {
  qn_device_info info;
  memset(p, 0, sizeof *p);
  qn_status s = ops->query(0, &info);
  if (!s) s = ops->open(0, &p->dev);
  if (!s) s = ops->stream_new(p->dev, NULL, &p->stream);
  if (!s) s = ops->alloc(p->dev, QN_MEMORY_DEVICE, 64, &p->mem);
  if (!s) s = ops->alloc(p->dev, QN_MEMORY_PINNED, 64, &p->pinned);
  if (!s) s = copies(p);
  if (!s) s = marks(p);
  if (!s) s = kernels(p);
  if (!s) s = ops->sync(p->stream);
  return s;
}

static void clean(pass *p) {
  ops->module_free(p->module);
  ops->event_free(p->event);
  if (p->dev) ops->free(p->dev, QN_MEMORY_PINNED, p->pinned);
  if (p->dev) ops->free(p->dev, QN_MEMORY_DEVICE, p->mem);
  ops->stream_free(p->stream);
  ops->close(p->dev);
}

static qn_status run_failing(const char *name, int code) {
  pass p;
  driver->fail = name;
  driver->code = code;
  qn_status status = run(&p);
  driver->fail = NULL;
  clean(&p);
  assert_int_equal(driver->contexts_pushed, 0);
  assert_int_equal(driver->contexts_retained, 0);
  assert_int_equal(driver->blocks, 0);
  assert_int_equal(driver->streams, 0);
  assert_int_equal(driver->events, 0);
  assert_int_equal(driver->modules, 0);
  return status;
}

static const char *const calls[] = {
    "cuDeviceGet",          "cuDeviceGetName",          "cuDeviceTotalMem_v2",
    "cuCtxPushCurrent_v2",  "cuDevicePrimaryCtxRetain", "cuMemAlloc_v2",
    "cuMemHostAlloc",       "cuMemcpyHtoDAsync_v2",     "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoDAsync_v2", "cuMemcpy2DAsync_v2",       "cuMemsetD8Async",
    "cuMemsetD16Async",     "cuMemsetD32Async",         "cuStreamCreate",
    "cuStreamSynchronize",  "cuStreamWaitEvent",        "cuEventCreate",
    "cuEventRecord",        "cuEventSynchronize",       "cuEventQuery",
    "cuEventElapsedTime",   "cuModuleLoadData",         "cuModuleGetFunction",
    "cuFuncSetAttribute",   "cuLaunchKernel",           "cuLaunchKernelEx",
};

static void test_each_call(void **state) {
  (void)state;
  assert_int_equal(run_failing(NULL, 0), QN_OK);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char stem[64];
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(calls[i], "_"), calls[i]);
    if (strncmp(stem, "cuMemset", 8) == 0) strcpy(stem, "cuMemset");
    if (run_failing(calls[i], 999) != QN_EBACKEND) fail_msg("%s: another status", calls[i]);
    if (!strstr(qn_last_error(), stem)) fail_msg("%s: '%s'", calls[i], qn_last_error());
    /* a dead context, wherever it shows */
    if (run_failing(calls[i], CUDA_ERROR_ILLEGAL_ADDRESS) != QN_ELOST)
      fail_msg("%s: the loss was not seen", calls[i]);
  }
}

static void test_kinds(void **state) {
  (void)state;
  assert_int_equal(run_failing("cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY), QN_EDEVMEM);
  assert_non_null(strstr(qn_last_error(), "CUDA_ERROR_OUT_OF_MEMORY (2)"));
  assert_int_equal(run_failing("cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY), QN_ENOMEM);
  assert_int_equal(run_failing("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), QN_EINVAL);
  static const int lost[] = {214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 4};
  for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
    assert_int_equal(run_failing("cuStreamSynchronize", lost[i]), QN_ELOST);
}

int main(void) {
  driver = fake_driver();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_call),
                                     cmocka_unit_test(test_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
