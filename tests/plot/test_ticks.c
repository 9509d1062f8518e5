/* Ranges and ticks: known cases, and properties over many random ranges. */
#include "plot/ticks.h"
#include <quern/rng.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(qn_chart_scale scale, double low, double high, int most, const char *want) {
  qn_tick ticks[QN_TICKS_MAX];
  char got[1024] = "";
  int count = qn_axis_ticks(scale, low, high, most, ticks);
  for (int i = 0; i < count; i++) {
    strcat(got, i ? " " : "");
    strcat(got, ticks[i].text);
  }
  assert_string_equal(got, want);
}

static void known_cases(void **unused) {
  (void)unused;
  expect(QN_SCALE_LINEAR, 1958, 2034, 9, "1960 1970 1980 1990 2000 2010 2020 2030");
  expect(QN_SCALE_LINEAR, 0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0");
  expect(QN_SCALE_LINEAR, 0, 1, 5, "0.0 0.5 1.0");
  expect(QN_SCALE_LINEAR, -0.013, 0.021, 8, "-0.010 -0.005 0.000 0.005 0.010 0.015 0.020");
  expect(QN_SCALE_LINEAR, 0, 2400000, 6, "0 500k 1M 1.5M 2M");
  expect(QN_SCALE_LOG2, 200, 5000, 8, "256 512 1024 2048 4096");
  expect(QN_SCALE_LOG2, 200, 70000, 5, "256 1024 4096 16384 64Ki");
  expect(QN_SCALE_BYTES, 200, 70000, 5, "256 1Ki 4Ki 16Ki 64Ki");
  expect(QN_SCALE_LOG10, 0.8, 120, 9, "1 2 5 10 20 50 100");
  expect(QN_SCALE_LOG10, 0.8, 120, 5, "1 3 10 30 100");
  expect(QN_SCALE_LOG10, 1, 1e9, 5, "1 100 10k 1M 100M");
  expect(QN_SCALE_LOG10, 1e-6, 1e-2, 6, "1e-06 1e-05 0.0001 0.001 0.01");
  expect(QN_SCALE_LOG10, 31, 38, 5, "32 34 36 38");
}

static double uniform(qn_rng *rng, double low, double high) {
  return low + (high - low) * qn_rng_next(rng);
}

/* Whatever the range: in order, inside, no more than asked, distinct words that say the value. */
static void properties(void **unused) {
  (void)unused;
  qn_rng rng = qn_rng_make(5);
  for (int trial = 0; trial < 30000; trial++) {
    qn_chart_scale scale = (qn_chart_scale)(trial % 3);
    double low, high;
    if (scale == QN_SCALE_LINEAR) {
      double size = pow(10.0, uniform(&rng, -2, 5));
      low = uniform(&rng, -size, size);
      high = low + size * uniform(&rng, 0.01, 2);
    } else {
      low = pow(10.0, uniform(&rng, -3, 8));
      high = low * pow(10.0, uniform(&rng, 0.7, 9));
    }
    int most = 2 + (int)uniform(&rng, 0, 18);
    qn_tick ticks[QN_TICKS_MAX];
    int count = qn_axis_ticks(scale, low, high, most, ticks);
    assert_true(count >= 1 && count <= most);
    for (int i = 0; i < count; i++) {
      double slack = 1e-6 * fabs(high - low);
      assert_true(ticks[i].value >= low - slack && ticks[i].value <= high + slack);
      if (i == 0) continue;
      assert_true(ticks[i].value > ticks[i - 1].value);
      assert_string_not_equal(ticks[i].text, ticks[i - 1].text);
      if (!strpbrk(ticks[i].text, "kMGTPEi"))
        assert_true(fabs(strtod(ticks[i].text, NULL) - ticks[i].value) <=
                    1e-6 * fabs(ticks[i].value) + slack);
    }
  }
}

static void ranges(void **unused) {
  (void)unused;
  double low = 3, high = 100;
  qn_axis_range(QN_SCALE_LINEAR, &low, &high);
  assert_true(low == 0 && high > 100 && high < 110);
  low = 315, high = 425;
  qn_axis_range(QN_SCALE_LINEAR, &low, &high);
  assert_true(low < 315 && low > 300 && high > 425);
  low = high = 0; /* no extent: still a range */
  qn_axis_range(QN_SCALE_LINEAR, &low, &high);
  assert_true(low <= 0 && high > 0);
  low = high = 64;
  qn_axis_range(QN_SCALE_LOG2, &low, &high);
  assert_true(low > 0 && low < 64 && high > 64);
  low = -5, high = -1;
  qn_axis_range(QN_SCALE_LINEAR, &low, &high);
  assert_true(low < -5 && high >= -1);
}

static void places(void **unused) {
  (void)unused;
  assert_true(qn_axis_place(QN_SCALE_LINEAR, 10, 20, 15) == 0.5);
  assert_true(fabs(qn_axis_place(QN_SCALE_LOG10, 1, 10000, 100) - 0.5) < 1e-12);
  assert_true(fabs(qn_axis_place(QN_SCALE_LOG2, 1, 16, 8) - 0.75) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_cases),
      cmocka_unit_test(properties),
      cmocka_unit_test(ranges),
      cmocka_unit_test(places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
