/* qn_trsm over ACCURACY.md's grid. */
#include "conformance/triangular.h"

static void grid(void **state) {
  walk_grid(*(const qn_dtype *)*state, families, family_count, check_solve);
}

int main(void) {
  skip_unless_cpu();
  static qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128, QN_F16, QN_BF16};
  const struct CMUnitTest tests[] = {
      {"trsm f32", grid, NULL, NULL, dtypes},     {"trsm f64", grid, NULL, NULL, dtypes + 1},
      {"trsm c64", grid, NULL, NULL, dtypes + 2}, {"trsm c128", grid, NULL, NULL, dtypes + 3},
      {"trsm f16", grid, NULL, NULL, dtypes + 4}, {"trsm bf16", grid, NULL, NULL, dtypes + 5},
  };
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
