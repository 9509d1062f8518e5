/* The logarithm inside the normal kernels, reached by including their template. */
#define RNG_ISA   under_test
#define RNG_BYTES 16
#define RNG_LANES 16
#include "backends/cpu/rng_kernel.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

static double worst;

static void check(double v) {
  vd got = vector_log(splat_d(v));
  long double exact = logl((long double)v);
  int exponent;
  (void)frexpl(exact, &exponent);
  double error =
      (double)(fabsl((long double)got[1] - exact) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
  if (error > worst) worst = error;
  if (error >= 1.0) print_error("log(%a): %.3f ulp off\n", v, error);
  assert_true(error < 1.0);
}

/* Two million points of the stream on every scale that t = x^2 + y^2 can have. */
static void within_one_ulp(void **unused) {
  (void)unused;
  qn_rng rng = qn_rng_make(2718281);
  for (int i = 0; i < 2000000; i++) check(ldexp(0.5 + 0.5 * qn_rng_next(&rng), -(i % 91)));
  printf("worst error %.3f ulp\n", worst);
}

/* One itself, its neighbours, and both sides of each place where the reduction changes its k. */
static void seams(void **unused) {
  (void)unused;
  assert_true(vector_log(splat_d(1.0))[0] == 0.0);
  double v = 1.0;
  for (int i = 0; i < 1000; i++) check(v = nextafter(v, 0.0));
  for (int k = 0; k < 91; k++) {
    double below = ldexp(sqrt(0.5), -k), above = below;
    for (int i = 0; i < 100; i++) {
      check(below = nextafter(below, 0.0));
      check(above = nextafter(above, 1.0));
      check(ldexp(1.0 - i * DBL_EPSILON / 2, -k - (i == 0)));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(within_one_ulp), cmocka_unit_test(seams)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
