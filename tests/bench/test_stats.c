/* Medians, quartiles and geometric means of known samples. */
#include "bench/stats.h"
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void odd_sample(void **state) {
  (void)state;
  double v[] = {5.0, 1.0, 4.0, 2.0, 3.0};
  const bench_summary s = bench_summarise(v, 5);
  assert_true(s.median == 3.0 && s.low == 2.0 && s.high == 4.0 && s.least == 1.0);
  assert_int_equal(s.count, 5);
  assert_float_equal(bench_spread(&s), 2.0 / 3.0, 1e-15);
}

static void even_sample(void **state) {
  (void)state;
  double v[] = {4.0, 3.0, 1.0, 2.0};
  const bench_summary s = bench_summarise(v, 4);
  assert_true(s.median == 2.5 && s.low == 1.75 && s.high == 3.25);
}

static void single_value(void **state) {
  (void)state;
  double v[] = {7.0};
  const bench_summary s = bench_summarise(v, 1);
  assert_true(s.median == 7.0 && s.low == 7.0 && s.high == 7.0 && bench_spread(&s) == 0.0);
}

static void one_outlier_moves_nothing(void **state) {
  (void)state;
  double v[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1000.0};
  const bench_summary s = bench_summarise(v, 9);
  assert_true(s.median == 1.0 && s.high == 1.0);
}

static void geometric_mean(void **state) {
  (void)state;
  const double v[] = {0.5, 2.0, 4.0, 0.25}, w[] = {8.0, 2.0};
  assert_float_equal(bench_geometric_mean(v, 4), 1.0, 1e-15);
  assert_float_equal(bench_geometric_mean(w, 2), 4.0, 1e-14);
  assert_true(bench_geometric_mean(v, 0) == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(odd_sample),     cmocka_unit_test(even_sample),
      cmocka_unit_test(single_value),   cmocka_unit_test(one_outlier_moves_nothing),
      cmocka_unit_test(geometric_mean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
