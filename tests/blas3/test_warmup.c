/* Kernels before they are needed: what a warm-up makes ready is what the routines launch, and a
 * cold routine asks for all of its kernels at once. On the first OpenCL device; skipped where there
 * is none. */
#include "blas3/workload.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static qn_device *device;
static qn_stream *stream;
static char folder[] = "/tmp/quern-warmup-XXXXXX";

typedef struct tally {
  int steps, compiles, cold;
  char why[64];
} tally;

static void count(void *user, const qn_trace_step *step) {
  tally *t = user;
  t->steps++;
  if (strcmp(step->kind, "compile") != 0) return;
  t->compiles++;
  t->cold += strcmp(step->variant, "cold") == 0;
  assert_true(step->seconds > 0.0);
  snprintf(t->why, sizeof t->why, "%s", step->why);
}

static int open_device(void **state) {
  (void)state;
  return qn_device_open("opencl:0", &device) || qn_stream_create(device, &stream);
}

static int close_device(void **state) {
  (void)state;
  qn_stream_free(stream);
  qn_device_close(device);
  return 0;
}

static tally traced(int kind, int64_t n) {
  tally t = {0};
  workload w;
  assert_int_equal(workload_open(&w, stream, kind, n), QN_OK);
  assert_int_equal(workload_fill(&w, stream), QN_OK);
  assert_int_equal(qn_stream_set_trace(stream, count, &t), QN_OK);
  assert_int_equal(workload_run(&w, stream), QN_OK);
  assert_int_equal(qn_stream_set_trace(stream, NULL, NULL), QN_OK);
  workload_close(&w);
  return t;
}

/* One step "compile" before all others, of several modules; none the second time. */
static void cold_routine(void **state) {
  (void)state;
  tally t = traced(WORK_TRSM, 200);
  assert_int_equal(t.compiles, 1);
  assert_int_equal(t.cold, 1);
  assert_string_equal(t.why, "2 compiled, 0 from the cache on disk"); /* base block and product */
  assert_true(t.steps > 3);
  assert_int_equal(traced(WORK_TRSM, 200).compiles, 0);
  assert_int_equal(traced(WORK_TRSM, 90).compiles, 0); /* another size, the same kernels */
}

/* A new device finds the same kernels on disk. */
static void warm_routine(void **state) {
  (void)state;
  close_device(NULL);
  assert_int_equal(open_device(NULL), 0);
  tally t = traced(WORK_TRSM, 200);
  assert_int_equal(t.compiles, 1);
  assert_int_equal(t.cold, 0);
  assert_string_equal(t.why, "0 compiled, 2 from the cache on disk");
}

/* After a warm-up no call compiles, whatever its size. */
static void warmed(void **state) {
  (void)state;
  qn_warmup_report first, again;
  workload w;
  assert_int_equal(workload_open(&w, stream, WORK_TRSM, 8), QN_OK);
  const unsigned dtypes = 1u << w.dtype;
  workload_close(&w);
  assert_int_equal(qn_device_warmup(device, 0, dtypes, &first), QN_OK);
  assert_true(first.kernels > 6);
  assert_true(first.compiled > 2);
  assert_true(first.seconds > 0.0);
  static const int kinds[] = {WORK_TRSM, WORK_TRMM};
  for (int i = 0; i < 2; i++)
    for (int64_t n = 1; n < 600; n = 3 * n + 2) assert_int_equal(traced(kinds[i], n).compiles, 0);
  assert_int_equal(qn_device_warmup(device, QN_ROUTINE_ALL, dtypes, &again), QN_OK);
  assert_int_equal(again.kernels, first.kernels);
  assert_int_equal(again.compiled + again.loaded, 0);
}

static void refused(void **state) {
  (void)state;
  qn_warmup_report report = {1, 1, 1, 1.0};
  assert_int_equal(qn_device_warmup(NULL, 0, 0, NULL), QN_EINVAL);
  assert_int_equal(qn_device_warmup(device, 16, 0, &report), QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "routines is 0x10"));
  assert_int_equal(report.kernels, 0);
  assert_int_equal(qn_device_warmup(device, 0, 1u << QN_DTYPE_COUNT, NULL), QN_EINVAL);
  qn_device *cpu;
  assert_int_equal(qn_device_open("cpu", &cpu), QN_OK);
  report.kernels = 1;
  assert_int_equal(qn_device_warmup(cpu, 0, 0, &report), QN_OK);
  assert_int_equal(report.kernels, 0);
  qn_device_close(cpu);
}

static void remove_folder(void) {
  unsigned removed;
  qn_cache_clear(&removed);
  rmdir(folder);
}

int main(void) {
  char path[4096];
  if (qn_device_open("opencl:0", &device)) {
    printf("skipped: %s\n", qn_last_error());
    return 77;
  }
  qn_device_close(device);
  if (!mkdtemp(folder)) return 1;
  setenv("QUERN_CACHE_DIR", folder, 1);
  if (qn_cache_path(path, sizeof path) == QN_EUNSUPPORTED) {
    printf("skipped: %s\n", qn_last_error());
    rmdir(folder);
    return 77;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(cold_routine), cmocka_unit_test(warm_routine),
                                     cmocka_unit_test(warmed), cmocka_unit_test(refused)};
  int failed = cmocka_run_group_tests(tests, open_device, close_device);
  remove_folder();
  return failed;
}
