/* A stream that remembers its choices chooses as one that remembers nothing: random products on a
 * card that is not there, drawn from few shapes, strides, places and scalars, so that problems
 * that differ in one thing alone follow one another. */
#include "blas3/step.h"
#include "blas3/target.h"
#include "device/device.h"
#include "oracle/oracle.h"
#include <quern/epilogue.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static qn_status no_launch(qn_bstream *stream, qn_bkernel *kernel, const qn_launch *launch,
                           const qn_arg *args, unsigned count) {
  (void)stream, (void)kernel, (void)launch, (void)args, (void)count;
  return QN_OK;
}

static const qn_backend_ops ops = {.launch = no_launch};
static qn_device card = {.ops = &ops,
                         .info = {.id = "cuda:0",
                                  .backend = "cuda",
                                  .arch = "sm_90a",
                                  .kind = QN_DEVICE_GPU,
                                  .dtypes = ~0u,
                                  .compute_units = 132,
                                  .cache = 50 << 20,
                                  .local_memory = 227 << 10}};
static qn_buffer memory = {.device = &card, .mem = 4096, .size = (size_t)1 << 40};

static qn_matrix matrix(dice *d, qn_dtype dtype, int64_t rows, int64_t cols) {
  qn_matrix m = qn_matrix_of(&memory, dtype, rows, cols, rows + dice_below(d, 2));
  m.offset = dice_below(d, 3) * 4;
  return m;
}

static qn_epilogue_use uses[3];

static qn_gemm_problem draw(dice *d) {
  static const qn_dtype dtypes[] = {QN_BF16, QN_F16, QN_F32, QN_C64};
  static const int64_t orders[] = {1, 96, 128, 4096};
  const qn_dtype dtype = dtypes[dice_below(d, 4)];
  const bool half = dtype == QN_F16 || dtype == QN_BF16;
  const int64_t m = orders[dice_below(d, 4)], n = orders[dice_below(d, 4)],
                k = orders[dice_below(d, 4)];
  const bool transa = dice_below(d, 2), transb = dice_below(d, 2);
  const int64_t epilogue = dtype == QN_C64 ? 0 : dice_below(d, 4);
  return (qn_gemm_problem){
      .transa = transa ? QN_TRANS : QN_NOTRANS,
      .transb = transb ? QN_TRANS : QN_NOTRANS,
      .alpha = qn_real((double)dice_below(d, 3)),
      .beta = qn_real((double)dice_below(d, 3)),
      .a = matrix(d, dtype, transa ? k : m, transa ? m : k),
      .b = matrix(d, dtype, transb ? n : k, transb ? k : n),
      .c = matrix(d, half && dice_below(d, 2) ? QN_F32 : dtype, m, n),
      .region = epilogue == 0 && dice_below(d, 4) == 0 && m == n ? QN_REGION_LOWER : QN_REGION_ALL,
      .epilogue = epilogue > 0 ? &uses[epilogue - 1] : NULL};
}

static void test_as_a_new_stream(void **state) {
  (void)state;
  static const char *const texts[] = {"relu(acc)", "exp(acc)", "acc + c"};
  static qn_stream remembers = {.device = &card};
  dice d = {20261201};
  qn_gemm_problem p = draw(&d);
  for (int e = 0; e < 3; e++) {
    qn_epilogue *epilogue;
    assert_int_equal(qn_epilogue_create(texts[e], NULL, NULL, &epilogue), QN_OK);
    uses[e].epilogue = epilogue;
  }
  for (int i = 0; i < 200000; i++) {
    qn_stream forgets = {.device = &card};
    qn_gemm_choice kept, fresh;
    const qn_gemm_problem other = draw(&d);
    switch (dice_below(&d, 8)) { /* one thing of the last problem, or all */
    case 0:
      p.alpha = other.alpha;
      break;
    case 1:
      p.beta = other.beta;
      break;
    case 2:
      p.epilogue = p.a.dtype == QN_C64 || p.region != QN_REGION_ALL ? NULL : other.epilogue;
      break;
    case 3:
      p.a.offset = other.a.offset;
      break;
    case 4:
      p.b.ld += 1;
      break;
    case 5:
      p.c.ld += 1;
      break;
    default:
      p = other;
    }
    assert_int_equal(qn_gemm_choose(&remembers, &p, &kept), QN_OK);
    assert_int_equal(qn_gemm_choose(&forgets, &p, &fresh), QN_OK);
    if (kept.variant != fresh.variant)
      fail_msg("%s %c%c %lld x %lld x %lld: %s, without memory %s", qn_dtype_name(p.a.dtype),
               (char)p.transa, (char)p.transb, (long long)p.c.rows, (long long)p.c.cols,
               (long long)qn_gemm_inner(&p), kept.variant->name, fresh.variant->name);
    assert_string_equal(kept.why, fresh.why);
  }
  for (int e = 0; e < 3; e++) qn_epilogue_free((qn_epilogue *)uses[e].epilogue);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_a_new_stream)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
