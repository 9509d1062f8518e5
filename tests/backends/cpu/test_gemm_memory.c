/* Host memory of the cpu's products: a request that fails gives QN_ENOMEM and changes nothing,
 * nothing is leaked, small products ask for none, and large ones stay within their bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gemm_check.h"
#include "backends/cpu/cpu.h"
#include <quern/device.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
  pthread_mutex_t lock; /* workers ask too */
  int calls, fail_at;   /* fail_at: the call that fails, 0 for none */
  int64_t held, peak;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *counted_alloc(void *user, size_t size, size_t alignment) {
  (void)user;
  pthread_mutex_lock(&memory.lock);
  bool fail = ++memory.calls == memory.fail_at;
  if (!fail) {
    memory.held += (int64_t)size;
    if (memory.held > memory.peak) memory.peak = memory.held;
  }
  pthread_mutex_unlock(&memory.lock);
  return fail ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void counted_free(void *user, void *pointer, size_t size) {
  (void)user;
  pthread_mutex_lock(&memory.lock);
  memory.held -= (int64_t)size;
  pthread_mutex_unlock(&memory.lock);
  free(pointer);
}

static const gemm_shape shapes[] = {
    {QN_F32, QN_F32, 500, 400, 300, 'N', 'T', {1, 0}, {0.5, 0}, QN_REGION_ALL, 2},
    {QN_F16, QN_F16, 300, 250, 140, 'N', 'N', {1, 0}, {1, 0}, QN_REGION_UPPER, 3},
    {QN_C128, QN_C128, 150, 150, 150, 'C', 'N', {1, 2}, {1, 0}, QN_REGION_LOWER, 1},
};

static int count_memory(void **unused) {
  (void)unused;
  const qn_allocator allocator = {counted_alloc, counted_free, NULL};
  qn_set_num_threads(2);
  qn_set_allocator(&allocator);
  return 0;
}

static int restore_memory(void **unused) {
  (void)unused;
  qn_set_allocator(NULL);
  return 0;
}

static void each_request_fails_in_turn(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    gemm_problem p;
    gemm_problem_init(&p, &shapes[i], FAMILY_UNIFORM);
    int failures = 0;
    for (int n = 1;; n++) {
      memcpy(p.call.c.data, p.c0, p.c_bytes);
      int64_t before = memory.held;
      memory.calls = 0;
      memory.fail_at = n;
      qn_status status = qn_cpu_ops_get()->gemm(&p.call);
      bool failed = memory.calls >= n;
      memory.fail_at = 0;
      assert_int_equal(memory.held, before);
      if (status == QN_OK) {
        assert_true(gemm_problem_error(&p, false) <= 1);
        if (!failed) break;
        continue; /* a worker's request: the product goes on with fewer threads */
      }
      assert_int_equal(status, QN_ENOMEM);
      assert_non_null(strstr(qn_last_error(), "qn_gemm: no memory"));
      failures++;
    }
    assert_true(failures >= 1);
    gemm_problem_free(&p);
  }
}

static void small_products_ask_for_none(void **unused) {
  (void)unused;
  gemm_shape s = shapes[0];
  s.m = s.n = s.k = 24;
  gemm_problem p;
  gemm_problem_init(&p, &s, FAMILY_UNIFORM);
  memory.calls = 0;
  assert_int_equal(qn_cpu_ops_get()->gemm(&p.call), QN_OK);
  assert_int_equal(memory.calls, 0);
  gemm_problem_free(&p);
}

static void workspace_is_bounded(void **unused) {
  (void)unused;
  static const int64_t sizes[][3] = {
      {1500, 1500, 400}, {3000, 3000, 8}, {8, 20000, 300}, {20000, 8, 300}};
  for (int type = QN_F16; type <= QN_C128; type++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      gemm_shape s = {.dtype = (qn_dtype)type,
                      .ctype = (qn_dtype)type,
                      .m = sizes[i][0],
                      .n = sizes[i][1],
                      .k = sizes[i][2],
                      .transa = 'N',
                      .transb = 'N',
                      .alpha = {1, 0}};
      gemm_problem p;
      gemm_problem_init(&p, &s, FAMILY_UNIFORM);
      memory.peak = memory.held;
      int64_t before = memory.held;
      assert_int_equal(qn_cpu_ops_get()->gemm(&p.call), QN_OK);
      assert_true(memory.peak - before <= (int64_t)8 << 20);
      gemm_problem_free(&p);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_request_fails_in_turn),
                                     cmocka_unit_test(small_products_ask_for_none),
                                     cmocka_unit_test(workspace_is_bounded)};
  return cmocka_run_group_tests(tests, count_memory, restore_memory);
}
