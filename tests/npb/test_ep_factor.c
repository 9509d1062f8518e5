/* The factor sqrt(-2 ln t / t) of EP's cpu kernels, point by point against long double. */
#define EP_ISA   tested
#define EP_WIDTH 2
#include "ep_cpu_any.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h needs the three above
#include <cmocka.h>

static const double bound = 2.0; /* units in the last place, 2^-52 */

/* Factors of the points whose t is asked for, as close as two coordinates allow. */
static double worst_of(points *p, int count) {
  double t[BLOCK + FLIGHT], f[BLOCK + FLIGHT], worst = 0.0;
  divide(p, count, t, f);
  stretch(t, count, f);
  for (int i = 0; i < count; i++) {
    const long double want = sqrtl(-2.0L * logl((long double)t[i]) / (long double)t[i]);
    const double error = (double)fabsl((long double)f[i] / want - 1.0L) * 0x1p52;
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/* Whole octaves, from the largest t to what two numbers of the generator can give. */
static void everywhere(void **state) {
  (void)state;
  points p;
  for (int octave = 1; octave < 88; octave++) {
    for (int i = 0; i < BLOCK; i++) {
      p.x[i] = sqrt(ldexp(1.0 + (i + 0.37) / BLOCK, -octave)) * 0.8;
      p.y[i] = -p.x[i] * 0.75;
    }
    const double worst = worst_of(&p, BLOCK);
    if (!(worst <= bound)) fail_msg("2^-%d: %.2f ulp", octave, worst);
  }
}

/* Next to 1 the logarithm vanishes, and so does the factor; at 1 it is 0. */
static void next_to_one(void **state) {
  (void)state;
  points p;
  for (int i = 0; i < BLOCK; i++) {
    p.x[i] = 1.0 - ldexp(1.0 + i % 16 / 16.0, -2 - i / 16);
    p.y[i] = 0.0;
  }
  const double worst = worst_of(&p, BLOCK);
  if (!(worst <= bound)) fail_msg("%.2f ulp", worst);
  double t[2], f[2];
  p.x[0] = p.x[1] = 1.0;
  divide(&p, 2, t, f);
  stretch(t, 2, f);
  assert_true(f[0] == 0.0 && f[1] == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(next_to_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
