/* qn_trmm over ACCURACY.md's grid. */
#include "conformance/triangular.h"

static void grid(void **state) {
  walk_grid(*(const qn_dtype *)*state, families, family_count - 1, check_multiply);
}

int main(void) {
  skip_unless_isa();
  static qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128, QN_F16, QN_BF16};
  const struct CMUnitTest tests[] = {
      {"trmm f32", grid, NULL, NULL, dtypes},     {"trmm f64", grid, NULL, NULL, dtypes + 1},
      {"trmm c64", grid, NULL, NULL, dtypes + 2}, {"trmm c128", grid, NULL, NULL, dtypes + 3},
      {"trmm f16", grid, NULL, NULL, dtypes + 4}, {"trmm bf16", grid, NULL, NULL, dtypes + 5},
  };
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
