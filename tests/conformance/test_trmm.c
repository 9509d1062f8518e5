/* qn_trmm over ACCURACY.md's grid; qn_trmm_to against it. */
#include "conformance/triangular.h"
#include <string.h>

static void grid(void **state) {
  walk_grid(*(const qn_dtype *)*state, families, family_count - 1, check_multiply);
}

/* Out of place: the bits of in place, B as it was; alpha = 0 reads neither. */
static void out_of_place(void **state) {
  (void)state;
  enum { M = 70, N = 9 };
  dice d = new_dice();
  wide a = random_matrix(&d, M, M, false), b = random_matrix(&d, M, N, false);
  frame fa = frame_new(QN_F32, M, M, 3), fb = frame_new(QN_F32, M, N, 5);
  frame inside = frame_new(QN_F32, M, N, 0), outside = frame_new(QN_F32, M, N, 2);
  frame_put(&fa, a);
  frame_put(&fb, b);
  frame_put(&inside, b);
  frame_put(&outside, b);
  for (int zero = 0; zero < 2; zero++) {
    const qn_scalar alpha = qn_real(zero ? 0.0 : -0.75);
    ok(qn_trmm(the_stream(), QN_LEFT, QN_UPPER, QN_TRANS, QN_NONUNIT, alpha, fa.view, inside.view));
    ok(qn_trmm_to(the_stream(), QN_LEFT, QN_UPPER, QN_TRANS, QN_NONUNIT, alpha, fa.view, fb.view,
                  outside.view));
    frame_assert_same(&fa);
    frame_assert_same(&fb);
    wide x = frame_get(&inside), y = frame_get(&outside);
    assert_memory_equal(x.re, y.re, M * N * sizeof *x.re);
    wide_free(&x);
    wide_free(&y);
  }
  assert_int_equal(qn_trmm_to(the_stream(), QN_LEFT, QN_UPPER, QN_TRANS, QN_NONUNIT, qn_real(1),
                              fa.view, fb.view, fa.view),
                   QN_EINVAL);
  assert_non_null(strstr(qn_last_error(), "c is 70 x 70 where b is 70 x 9"));
  frame_free(&fa);
  frame_free(&fb);
  frame_free(&inside);
  frame_free(&outside);
  wide_free(&a);
  wide_free(&b);
}

int main(void) {
  skip_unless_cpu();
  static qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128, QN_F16, QN_BF16};
  const struct CMUnitTest tests[] = {
      {"trmm f32", grid, NULL, NULL, dtypes},
      {"trmm f64", grid, NULL, NULL, dtypes + 1},
      {"trmm c64", grid, NULL, NULL, dtypes + 2},
      {"trmm c128", grid, NULL, NULL, dtypes + 3},
      {"trmm f16", grid, NULL, NULL, dtypes + 4},
      {"trmm bf16", grid, NULL, NULL, dtypes + 5},
      cmocka_unit_test(out_of_place),
  };
  return cmocka_run_group_tests(tests, harness_open, harness_close);
}
