/* Names of devices, what "auto" takes, and what is said when there is none.
 *
 * The library's list of backends (backend_list.c) is replaced by the one here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "device/device.h"

/* ---- backends made of a few rows ---- */

typedef struct row {
  const char *id;
  qn_device_kind kind;
  unsigned dtypes;
  bool opens;
} row;

typedef struct shelf {
  const char *name, *message;
  unsigned count;
  row rows[3];
} shelf;

enum { REAL = 1u << QN_F32 | 1u << QN_F64, SINGLE = 1u << QN_F32 };

static shelf cuda, opencl;

struct qn_bdev {
  char unused;
};
static qn_bdev the_device;

static qn_status probe(const shelf *from, unsigned *count, char *message, size_t size) {
  *count = from->count;
  snprintf(message, size, "%s", from->message);
  return QN_OK;
}

static qn_status query(const shelf *from, unsigned index, qn_device_info *info) {
  memset(info, 0, sizeof *info);
  snprintf(info->id, sizeof info->id, "%s", from->rows[index].id);
  snprintf(info->backend, sizeof info->backend, "%s", from->name);
  info->kind = from->rows[index].kind;
  info->dtypes = from->rows[index].dtypes;
  return QN_OK;
}

static qn_status open_row(const shelf *from, unsigned index, qn_bdev **dev) {
  if (!from->rows[index].opens)
    return qn_fail(QN_ENODEVICE, "open", "%s has no compiler", from->rows[index].id);
  *dev = &the_device;
  return QN_OK;
}

static void close_any(qn_bdev *dev) {
  assert_ptr_equal(dev, &the_device);
}

static qn_status cuda_probe(unsigned *count, char *message, size_t size) {
  return probe(&cuda, count, message, size);
}
static qn_status cuda_query(unsigned index, qn_device_info *info) {
  return query(&cuda, index, info);
}
static qn_status cuda_open(unsigned index, qn_bdev **dev) {
  return open_row(&cuda, index, dev);
}
static qn_status opencl_probe(unsigned *count, char *message, size_t size) {
  return probe(&opencl, count, message, size);
}
static qn_status opencl_query(unsigned index, qn_device_info *info) {
  return query(&opencl, index, info);
}
static qn_status opencl_open(unsigned index, qn_bdev **dev) {
  return open_row(&opencl, index, dev);
}

static qn_status paper_query(unsigned index, qn_device_info *info) {
  memset(info, 0, sizeof *info);
  snprintf(info->id, sizeof info->id, "cuda:sm_%u", index);
  return QN_OK;
}
static qn_status paper_open(unsigned index, qn_bdev **dev) {
  (void)index;
  *dev = &the_device;
  return QN_OK;
}
static const qn_backend_ops paper_ops = {.abi = QN_BACKEND_ABI,
                                         .name = "cuda on paper",
                                         .query = paper_query,
                                         .open = paper_open,
                                         .close = close_any};
static const qn_backend_ops *on_paper(const char *arch, unsigned *index) {
  if (strcmp(arch, "sm_90a") != 0) return NULL;
  *index = 90;
  return &paper_ops;
}

static const qn_backend_ops cuda_ops = {.abi = QN_BACKEND_ABI,
                                        .name = "cuda",
                                        .probe = cuda_probe,
                                        .query = cuda_query,
                                        .open = cuda_open,
                                        .close = close_any,
                                        .on_paper = on_paper};
static const qn_backend_ops opencl_ops = {.abi = QN_BACKEND_ABI,
                                          .name = "opencl",
                                          .probe = opencl_probe,
                                          .query = opencl_query,
                                          .open = opencl_open,
                                          .close = close_any};
extern const qn_backend_ops qn_cpu_backend;

const qn_backend_ops *const qn_backend_list[] = {&cuda_ops, &opencl_ops, &qn_cpu_backend};
const unsigned qn_backend_count = 3;

static int set_up(void **state) {
  (void)state;
  cuda = (shelf){"cuda", "no CUDA driver: libcuda.so.1 not found", 0, {{0}}};
  opencl =
      (shelf){"opencl",
              "2 devices",
              2,
              {{"opencl:0", QN_DEVICE_CPU, REAL, true}, {"opencl:1", QN_DEVICE_GPU, SINGLE, true}}};
  return 0;
}

static void add_card(void) {
  cuda = (shelf){"cuda", "1 card", 1, {{"cuda:0", QN_DEVICE_GPU, REAL, true}}};
}

/* Opens and closes; `id` is what must have been opened. */
static void opens(const char *name, const char *id) {
  qn_device *device;
  qn_device_info info;
  assert_int_equal(qn_device_open(name, &device), QN_OK);
  assert_int_equal(qn_device_query(device, &info), QN_OK);
  assert_string_equal(info.id, id);
  qn_device_close(device);
}

static void fails(const char *name, qn_status status, const char *text) {
  qn_device *device = (qn_device *)&device;
  assert_int_equal(qn_device_open(name, &device), status);
  assert_null(device);
  if (!strstr(qn_last_error(), text)) fail_msg("'%s' lacks '%s'", qn_last_error(), text);
}

static void names_open_their_device(void **state) {
  (void)state;
  add_card();
  opens("cpu", "cpu");
  opens("cpu:0", "cpu");
  opens("cuda", "cuda:0");
  opens("cuda:0", "cuda:0");
  opens("opencl", "opencl:0");
  opens("opencl:1", "opencl:1");
  opens("cuda:sm_90a", "cuda:sm_90");
  opens("faults+cpu", "faults+cpu");
  opens("faults+opencl:1", "faults+opencl:1");
}

static void what_is_no_name_is_an_argument_error(void **state) {
  (void)state;
  const char *const texts[] = {"",
                               "gpu",
                               "CPU",
                               "cuda:",
                               "cuda:x",
                               "cuda:-1",
                               "cuda:0x1",
                               "cuda:99999999999",
                               "cpu cpu",
                               "faults+",
                               "faults+auto",
                               "faults+faults+cpu",
                               "auto:0",
                               "opencl:256",
                               "cuda:sm_9",
                               "opencl:sm_90a",
                               "faults+cuda:sm_90a"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    fails(texts[i], QN_EINVAL, "names no device");
  fails("a very long name that is longer than any backend's name may be", QN_EINVAL, "a very long");
  fails(NULL, QN_EINVAL, "name is NULL");
  assert_int_equal(qn_device_open("cpu", NULL), QN_EINVAL);
}

static void a_missing_device_is_told_with_what_was_found(void **state) {
  (void)state;
  fails("cuda:0", QN_ENODEVICE, "cuda has 0 devices (no CUDA driver: libcuda.so.1 not found)");
  fails("opencl:2", QN_ENODEVICE, "opencl has 2 devices (2 devices)");
  fails("cpu:1", QN_ENODEVICE, "cpu has 1 device (");
  fails("faults+cuda", QN_ENODEVICE, "no device 'faults+cuda'");
}

static void auto_prefers_cuda_then_an_opencl_gpu_then_the_cpu(void **state) {
  (void)state;
  opens("auto", "opencl:1");
  opencl.rows[1].kind = QN_DEVICE_CPU;
  opens("auto", "cpu");
  opencl.rows[1].kind = QN_DEVICE_OTHER;
  opens("auto", "cpu");
  add_card();
  opens("auto", "cuda:0");
}

static void auto_passes_over_a_card_that_does_not_open(void **state) {
  (void)state;
  add_card();
  cuda.rows[0].opens = false;
  opens("auto", "opencl:1");
  fails("cuda", QN_ENODEVICE, "cuda:0 has no compiler");
}

static void open_for_passes_over_devices_without_the_dtype(void **state) {
  (void)state;
  qn_device *device;
  const struct {
    qn_dtype dtype;
    const char *id;
  } cases[] = {{QN_F32, "opencl:1"}, {QN_F64, "cpu"}, {QN_F16, "cpu"}};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(qn_device_open_for(cases[i].dtype, &device), QN_OK);
    assert_string_equal(device->info.id, cases[i].id);
    qn_device_close(device);
  }
  assert_int_equal(qn_device_open_for((qn_dtype)17, &device), QN_EINVAL);
  assert_null(device);
  assert_int_equal(qn_device_open_for(QN_F32, NULL), QN_EINVAL);
}

static void lists_count_beyond_their_capacity(void **state) {
  (void)state;
  add_card();
  qn_device_info rows[4];
  unsigned count;
  assert_int_equal(qn_devices(NULL, 0, &count), QN_OK);
  assert_int_equal(count, 4);
  memset(rows, 1, sizeof rows);
  assert_int_equal(qn_devices(rows, 2, &count), QN_OK);
  assert_int_equal(count, 4);
  assert_string_equal(rows[0].id, "cuda:0");
  assert_string_equal(rows[1].id, "opencl:0");
  assert_int_equal(rows[2].id[0], 1);
  assert_int_equal(qn_devices(NULL, 1, &count), QN_EINVAL);
  assert_int_equal(qn_devices(rows, 4, NULL), QN_EINVAL);

  qn_backend_info backends[3];
  set_up(NULL);
  assert_int_equal(qn_backends(backends, 3, &count), QN_OK);
  assert_int_equal(count, 3);
  assert_string_equal(backends[0].name, "cuda");
  assert_int_equal(backends[0].devices, 0);
  assert_string_equal(backends[0].message, "no CUDA driver: libcuda.so.1 not found");
  assert_int_equal(backends[1].devices, 2);
  assert_string_equal(backends[2].name, "cpu");
  assert_int_equal(backends[2].devices, 1);
  assert_int_equal(qn_backends(backends, 1, NULL), QN_EINVAL);
  assert_int_equal(qn_backends(NULL, 1, &count), QN_EINVAL);
}

static void the_cpu_describes_itself(void **state) {
  (void)state;
  qn_device_info info;
  assert_int_equal(qn_cpu_backend.query(0, &info), QN_OK);
  assert_string_equal(info.id, "cpu");
  assert_string_equal(info.backend, "cpu");
  assert_true(info.name[0]);
  assert_int_equal(info.kind, QN_DEVICE_CPU);
  assert_int_equal(info.dtypes, 63);
  assert_in_range(info.compute_units, 1, 100000);
  assert_true(info.memory > 16u << 20);
  assert_true(info.memory_max <= info.memory);
  assert_int_equal(qn_cpu_backend.query(1, &info), QN_ENODEVICE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(names_open_their_device, set_up),
      cmocka_unit_test_setup(what_is_no_name_is_an_argument_error, set_up),
      cmocka_unit_test_setup(a_missing_device_is_told_with_what_was_found, set_up),
      cmocka_unit_test_setup(auto_prefers_cuda_then_an_opencl_gpu_then_the_cpu, set_up),
      cmocka_unit_test_setup(auto_passes_over_a_card_that_does_not_open, set_up),
      cmocka_unit_test_setup(open_for_passes_over_devices_without_the_dtype, set_up),
      cmocka_unit_test_setup(lists_count_beyond_their_capacity, set_up),
      cmocka_unit_test(the_cpu_describes_itself),
  };
  return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
