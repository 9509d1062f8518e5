/* trsm and trmm of the cpu backend: every side, triangle, transpose, diagonal and dtype. */
#include "backends/cpu/cpu.h"
#include "tri_check.h"
#include "skip.h"
#include <quern/device.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128};

typedef void (*visit_fn)(qn_dtype dtype, const char *letters, int64_t n, int64_t m);

/* Calls `visit` for each combination of letters, in each dtype. */
static void each_case(int64_t n, int64_t m, visit_fn visit) {
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (int bits = 0; bits < 24; bits++) {
      char letters[5] = {"LR"[bits & 1], "LU"[bits >> 1 & 1], "NTC"[bits >> 3], "NU"[bits >> 2 & 1],
                         0};
      visit(dtypes[d], letters, n, m);
    }
}

static void make_case(problem *p, qn_dtype dtype, const char *letters, int64_t n, int64_t m) {
  bool left = letters[0] == 'L';
  random_seed((uint64_t)(n * 1000 + m));
  problem_init(p, dtype, letters, left ? n : m, left ? m : n, 3);
  p->call.alpha = qn_dtype_is_complex(dtype) ? (qn_scalar){0.75, -0.5} : (qn_scalar){-1.5, 0};
  problem_random(p);
}

static void report(const char *what, qn_dtype dtype, const char *letters, int64_t n, int64_t m,
                   long double error) {
  if (error <= 1) return;
  fail_msg("%s %s %s order %d, %d right-hand sides: %Lg of the bound", what, qn_dtype_name(dtype),
           letters, (int)n, (int)m, error);
}

static void solve_case(qn_dtype dtype, const char *letters, int64_t n, int64_t m) {
  problem p;
  make_case(&p, dtype, letters, n, m);
  assert_int_equal(qn_cpu_trsm(&p.call), QN_OK);
  check_untouched(&p);
  report("trsm", dtype, letters, n, m, solve_error(&p));
  problem_free(&p);
}

static void multiply_case(qn_dtype dtype, const char *letters, int64_t n, int64_t m) {
  problem p;
  make_case(&p, dtype, letters, n, m);
  assert_int_equal(qn_cpu_trmm(&p.call), QN_OK);
  check_untouched(&p);
  report("trmm", dtype, letters, n, m, multiply_error(&p));
  problem_free(&p);
}

static const struct {
  int64_t n, m;
} shapes[] = {{1, 1},  {2, 3},  {3, 7},   {5, 8},  {6, 16}, {7, 17}, {8, 33},
              {12, 5}, {13, 9}, {17, 31}, {32, 6}, {33, 2}, {65, 7}, {129, 3}};

static void test_solve(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    each_case(shapes[i].n, shapes[i].m, solve_case);
}

static void test_multiply(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    each_case(shapes[i].n, shapes[i].m, multiply_case);
}

/* Orders beyond one packed triangle, and work enough for several threads: a few letters each. */
static void test_large(void **state) {
  (void)state;
  static const char *const letters[] = {"LLNN", "LUNU", "LLCN", "RUNN", "RLTU", "RUCN"};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
      solve_case(dtypes[d], letters[i], 713, 2);
      multiply_case(dtypes[d], letters[i], 713, 2);
    }
  assert_int_equal(qn_set_num_threads(3), QN_OK);
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
      solve_case(dtypes[d], letters[i], 201, 70);
      multiply_case(dtypes[d], letters[i], 201, 70);
    }
  assert_int_equal(qn_set_num_threads(0), QN_OK);
}

static void test_empty(void **state) {
  (void)state;
  each_case(0, 4, solve_case);
  each_case(4, 0, solve_case);
  each_case(0, 4, multiply_case);
  each_case(4, 0, multiply_case);
}

int main(void) {
  skip_unless_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solve),
      cmocka_unit_test(test_multiply),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
