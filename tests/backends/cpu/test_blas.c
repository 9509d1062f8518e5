/* QUERN_CPU_BLAS: products of every dtype and form by a BLAS of this machine, what it may not touch
 * included; a library that is none is named in one warning, and the products are our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gemm_check.h"
#include "backends/cpu/cpu.h"
#include <quern/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int warnings;
static char warning[512];

static void take(void *user, qn_log_level level, const char *message) {
  (void)user;
  if (level != QN_LOG_WARNING) return;
  warnings++;
  snprintf(warning, sizeof warning, "%s", message);
}

static void every_form(void **unused) {
  (void)unused;
  static const qn_dtype dtypes[] = {QN_F32, QN_F64, QN_C64, QN_C128};
  static const int64_t sizes[][3] = {{1, 1, 1}, {7, 33, 5}, {150, 90, 130}};
  static const double betas[] = {0, 1, -0.5};
  for (int i = 0; i < 4 * 3 * 9; i++) {
    const int64_t *size = sizes[i / 4 % 3];
    gemm_shape s = {.dtype = dtypes[i % 4],
                    .ctype = dtypes[i % 4],
                    .m = size[0],
                    .n = size[1],
                    .k = size[2],
                    .transa = "NTC"[i / 12 % 3],
                    .transb = "NTC"[i / 36],
                    .alpha = {1.5, qn_dtype_is_complex(dtypes[i % 4]) ? -2 : 0},
                    .beta = {betas[i % 3], 0},
                    .gap = i % 5};
    gemm_problem p;
    gemm_problem_init(&p, &s, FAMILY_UNIFORM);
    assert_int_equal(qn_cpu_ops_get()->gemm_blas(&p.call), QN_OK);
    assert_true(gemm_problem_error(&p, true) <= 1);
    gemm_problem_free(&p);
  }
}

static void is_refused(void **unused) {
  (void)unused;
  assert_null(qn_cpu_ops_get()->gemm_blas);
  assert_int_equal(warnings, 1);
  const char *name = getenv("QUERN_CPU_BLAS");
  assert_true(name && strstr(warning, name));
  assert_null(strchr(warning, '\n'));
}

static void is_off(void **unused) {
  (void)unused;
  assert_null(qn_cpu_ops_get()->gemm_blas);
  assert_int_equal(warnings, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest forms[] = {cmocka_unit_test(every_form)};
  const struct CMUnitTest refused[] = {cmocka_unit_test(is_refused)};
  const struct CMUnitTest off[] = {cmocka_unit_test(is_off)};
  qn_set_log(take, NULL);
  if (!getenv("QUERN_CPU_BLAS")) return cmocka_run_group_tests(off, NULL, NULL);
  if (argc > 1 && strcmp(argv[1], "refused") == 0)
    return cmocka_run_group_tests(refused, NULL, NULL);
  if (!qn_cpu_ops_get()->gemm_blas) {
    printf("skipped: %s\n", warning);
    return 77;
  }
  return cmocka_run_group_tests(forms, NULL, NULL);
}
