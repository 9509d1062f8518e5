/* A caller's own context, queue and buffer: the device takes over the context of the first queue
 * wrapped, and refuses one of another context afterwards. */
#include "backends/opencl/cl.h"
#include "skip.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

extern const qn_backend_ops qn_opencl_backend;
static const qn_backend_ops *const ops = &qn_opencl_backend;

typedef struct caller {
  cl_context context;
  cl_command_queue queue;
} caller;

static caller make_caller(cl_device_id id) {
  caller c;
  cl_int code;
  c.context = qn_cl.clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  c.queue = qn_cl.clCreateCommandQueue(c.context, id, 0, &code);
  assert_int_equal(code, CL_SUCCESS);
  return c;
}

static void free_caller(caller c) {
  qn_cl.clReleaseCommandQueue(c.queue);
  qn_cl.clReleaseContext(c.context);
}

static void test_adopt(void **state) {
  (void)state;
  qn_cl_device device;
  qn_bdev *dev;
  qn_bstream *stream, *refused;
  assert_int_equal(qn_cl_find(0, &device), QN_OK);
  assert_int_equal(ops->open(0, &dev), QN_OK);
  caller first = make_caller(device.id), second = make_caller(device.id);
  assert_int_equal(ops->stream_new(dev, first.queue, &stream), QN_OK);
  assert_int_equal(ops->stream_new(dev, second.queue, &refused), QN_EINVAL);

  /* the caller's buffer and one of ours meet in one copy */
  const int value = 42;
  int got = 0;
  cl_int code;
  cl_mem theirs = qn_cl.clCreateBuffer(first.context, CL_MEM_READ_WRITE, sizeof value, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  qn_mem ours;
  const qn_rect rect = {sizeof value, 1, sizeof value, sizeof value};
  assert_int_equal(ops->alloc(dev, QN_MEMORY_DEVICE, sizeof value, &ours), QN_OK);
  assert_int_equal(ops->copy_in(stream, (qn_mem)theirs, 0, &value, &rect), QN_OK);
  assert_int_equal(ops->copy(stream, ours, 0, (qn_mem)theirs, 0, &rect), QN_OK);
  assert_int_equal(ops->copy_out(stream, &got, ours, 0, &rect), QN_OK);
  assert_int_equal(ops->sync(stream), QN_OK);
  assert_int_equal(got, value);

  /* the queue has no profiling, so its marks have no times */
  qn_bevent *event;
  double seconds;
  assert_int_equal(ops->event_new(dev, &event), QN_OK);
  assert_int_equal(ops->event_record(event, stream), QN_OK);
  assert_int_equal(ops->event_elapsed(event, event, &seconds), QN_EUNSUPPORTED);
  ops->event_free(event);

  qn_cl.clReleaseMemObject(theirs);
  ops->free(dev, QN_MEMORY_DEVICE, ours);
  ops->stream_free(stream);
  ops->close(dev);
  free_caller(first); /* still alive: we only ever held references of our own */
  free_caller(second);
}

int main(void) {
  skip_unless_device(ops);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_adopt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
