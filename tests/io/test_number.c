/* Decimal numbers: read to the nearest f64, written with the fewest digits. */
#include "io/files.h"
#include "io/number.h"
#include "io/pow10.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = UINT64_C(88172645463325252);
static uint64_t random_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static void assert_reads(const char *text, double expected) {
  double value = 12345;
  const char *end = text + strlen(text);
  if (qn_io_scan_real(text, end, &value) != end) fail_msg("'%s' is not read", text);
  if (!same(value, expected)) fail_msg("'%s' gave %a, not %a", text, value, expected);
}

static void plain_numbers(void **state) {
  (void)state;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"0", 0.0},
      {"-0", -0.0},
      {"+1", 1},
      {"1.", 1},
      {".5", .5},
      {"-.5e1", -5},
      {"007", 7},
      {"1e5", 1e5},
      {"1E+05", 1e5},
      {"1.0D+03", 1e3},
      {"1d-3", 1e-3},
      {"1q2", 100},
      {"2.5Q-1", .25},
      {"1.5+100", 1.5e100},
      {"1.5-100", 1.5e-100},
      {"1e400", HUGE_VAL},
      {"-1e400", -HUGE_VAL},
      {"1e-400", 0.0},
      {"0e999999999999", 0.0},
      {"1e99999999999", HUGE_VAL},
      {"9007199254740993", 9007199254740992.0},
      {"9007199254740993.0000000000000000000000001", 9007199254740994.0},
      {"2.2250738585072011e-308", 2.2250738585072011e-308},
      {"4.9406564584124654e-324", 4.9406564584124654e-324},
      {"2.4703282292062327e-324", 0.0},
      {"2.4703282292062328e-324", 4.9406564584124654e-324},
      {"1.7976931348623157e308", DBL_MAX},
      {"1.7976931348623158e308", DBL_MAX},
      {"1.7976931348623159e308", HUGE_VAL},
      {"0.000000000000000000000000000000000000000000000000000000000000001e63", 1},
      {"100000000000000000000000000000000000000000000000000000000000000000e-65", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_reads(cases[i].text, cases[i].value);
}

static void words(void **state) {
  (void)state;
  const char *infinite[] = {"inf", "Inf", "INF", "+inf", "infinity", "Infinity", "INFINITY"};
  for (size_t i = 0; i < sizeof infinite / sizeof *infinite; i++)
    assert_reads(infinite[i], HUGE_VAL);
  assert_reads("-Infinity", -HUGE_VAL);
  const char *nans[] = {"nan", "NaN", "-nan", "+NAN", "nan(0x7ff)", "NaN()"};
  for (size_t i = 0; i < sizeof nans / sizeof *nans; i++) {
    double value = 0;
    assert_non_null(qn_io_scan_real(nans[i], nans[i] + strlen(nans[i]), &value));
    assert_true(isnan(value));
  }
}

static void other_text_is_no_number(void **state) {
  (void)state;
  const char *bad[] = {"",     "+",    "-",   ".",     "e5",       "1e",    "1e+",      "1x",
                       "x",    "--1",  "+-1", "1.2.3", "1,5",      "0x10",  "1e5.0",    "1f3",
                       "nanx", "infi", "in",  "na",    "nan(",     "nan(1", "1+5",      "1-2",
                       "1e5x", "1..",  "_1",  "1_0",   "\xd9\xa1", "1%",    "infinityx"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double value;
    if (qn_io_scan_real(bad[i], bad[i] + strlen(bad[i]), &value)) fail_msg("'%s' is read", bad[i]);
  }
  double value;
  const char nul[] = {'1', '\0', '5'};
  assert_null(qn_io_scan_real(nul, nul + 3, &value));
  assert_null(qn_io_scan_integer("1.5", &"1.5"[3], &value));
  assert_null(qn_io_scan_integer("nan", &"nan"[3], &value));
  assert_null(qn_io_scan_integer("-", &"-"[1], &value));
}

static void a_number_ends_at_a_blank_or_the_end(void **state) {
  (void)state;
  const char text[] = "12 34\t-5\r\n6";
  double value;
  const char *at = qn_io_scan_real(text, text + sizeof text - 1, &value);
  assert_ptr_equal(at, text + 2);
  assert_true(value == 12);
  assert_ptr_equal(qn_io_scan_real(text, text + 1, &value), text + 1);
  assert_true(value == 1);
}

static void indices(void **state) {
  (void)state;
  const char *bad[] = {"", "-1", "+1", "1.0", "x", "9223372036854775808", "99999999999999999999"};
  int64_t value;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_null(qn_io_scan_index(bad[i], bad[i] + strlen(bad[i]), &value));
  const char largest[] = "9223372036854775807";
  assert_non_null(qn_io_scan_index(largest, largest + sizeof largest - 1, &value));
  assert_true(value == INT64_MAX);
}

/* strtod rounds correctly: all digits from 1 to 19, all exponents, and far beyond. */
static void random_text_reads_as_strtod_reads_it(void **state) {
  (void)state;
  for (int i = 0; i < 300000; i++) {
    char text[128];
    int used = snprintf(text, sizeof text, "%s%llu", i % 2 ? "-" : "",
                        (unsigned long long)(random_bits() >> random_bits() % 64));
    if (i % 5 == 0)
      used += snprintf(text + used, sizeof text - (size_t)used, ".%020llu",
                       (unsigned long long)random_bits());
    snprintf(text + used, sizeof text - (size_t)used, "e%d", (int)(random_bits() % 700) - 360);
    assert_reads(text, strtod(text, NULL));
  }
}

/* The points halfway between neighbours, exactly, and a hair to either side of them. */
static void halfway_points_round_to_even(void **state) {
  (void)state;
  for (int i = 0; i < 20000; i++) {
    uint64_t m = (UINT64_C(1) << 53 | random_bits() >> 11) | 1; /* 54 bits, the last one set */
    int exponent = (int)(random_bits() % 180) - 60;
    char text[1200];
    long double halfway = ldexpl((long double)m, exponent);
    snprintf(text, sizeof text - 8, "%.*Lf", exponent < 0 ? -exponent : 0, halfway);
    double below = ldexp((double)(m >> 1), exponent + 1);
    double above = ldexp((double)((m >> 1) + 1), exponent + 1);
    assert_reads(text, m >> 1 & 1 ? above : below);
    strcat(text, strchr(text, '.') ? "0001" : ".0001");
    assert_reads(text, above);
  }
}

static void digits_far_behind_still_count(void **state) {
  (void)state;
  static char text[5000];
  size_t used = (size_t)snprintf(text, sizeof text, "9007199254740993.");
  memset(text + used, '0', 4000);
  assert_reads(text, 9007199254740992.0);
  text[used + 4000] = '1';
  assert_reads(text, 9007199254740994.0);
}

static void powers_of_ten_bracket_the_truth(void **state) {
  (void)state;
  for (int q = -290; q <= 290; q++) {
    const qn_pow10 *power = qn_pow10_get(q);
    assert_true(power->high >> 63);
    char text[16];
    snprintf(text, sizeof text, "1e%d", q);
    double leading = ldexp((double)(power->high >> 11), power->exponent - 52);
    double next = ldexp((double)((power->high >> 11) + 1), power->exponent - 52);
    assert_true(leading <= strtod(text, NULL) && strtod(text, NULL) <= next);
    assert_int_equal(power->exact, q >= 0 && q <= 55);
  }
}

static int significant_digits(const char *text) {
  int count = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
    count++;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return count - zeros;
}

static double random_real(int kind) {
  uint64_t bits = random_bits();
  double value;
  if (kind == 1) bits &= UINT64_MAX << random_bits() % 53; /* few bits set */
  if (kind == 2) bits &= UINT64_C(0x800fffffffffffff);     /* denormal */
  memcpy(&value, &bits, sizeof value);
  if (kind == 3) value = (double)(int64_t)(bits >> bits % 60) / pow(10, (double)(bits % 12));
  return isfinite(value) ? value : 1;
}

static void f64_is_written_shortest(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    double value = random_real(i % 4);
    char text[QN_IO_REAL_BYTES + 1], trial[64];
    text[qn_io_format_real(text, value, QN_F64)] = '\0';
    if (!same(strtod(text, NULL), value)) fail_msg("%a is written %s", value, text);
    assert_reads(text, value);
    int digits = significant_digits(text);
    if (digits < 2) continue;
    snprintf(trial, sizeof trial, "%.*e", digits - 2, value);
    if (same(strtod(trial, NULL), value)) fail_msg("%a is written %s, not %s", value, text, trial);
  }
}

static void narrower_types_are_written_shorter(void **state) {
  (void)state;
  char text[QN_IO_REAL_BYTES + 1];
  for (int i = 0; i < 200000; i++) {
    uint32_t bits = (uint32_t)random_bits();
    if (i % 4 == 0) bits &= 0x807fffff;
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    text[qn_io_format_real(text, (double)value, i % 2 ? QN_F32 : QN_C64)] = '\0';
    assert_true(strtof(text, NULL) == value && (float)strtod(text, NULL) == value);
    assert_true(significant_digits(text) <= 9);
  }
  const struct {
    double value;
    qn_dtype dtype;
    const char *text;
  } cases[] = {
      {(double)0.1f, QN_F32, "0.1"},
      {0.0999755859375, QN_F16, "0.1"},
      {0.10009765625, QN_BF16, "0.1"},
      {65504, QN_F16, "65500"},
      {(double)FLT_MAX, QN_F32, "3.4028235e+38"},
      {0x1p-24, QN_F16, "6e-08"},
      {0x1p-133, QN_BF16, "9e-41"},
      {(double)FLT_MIN, QN_C64, "1.1754944e-38"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    text[qn_io_format_real(text, cases[i].value, cases[i].dtype)] = '\0';
    assert_string_equal(text, cases[i].text);
  }
}

static void layouts(void **state) {
  (void)state;
  const struct {
    double value;
    const char *text;
  } cases[] = {
      {0.0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {-1.5, "-1.5"},
      {1200, "1200"},
      {0.00001, "0.00001"},
      {0.000001, "1e-06"},
      {0.1, "0.1"},
      {1e16, "10000000000000000"},
      {1e17, "1e+17"},
      {1e300, "1e+300"},
      {5e-324, "5e-324"},
      {DBL_MAX, "1.7976931348623157e+308"},
      {DBL_MIN, "2.2250738585072014e-308"},
      {(double)INFINITY, "inf"},
      {-(double)INFINITY, "-inf"},
      {(double)NAN, "nan"},
      {1.0 / 3, "0.3333333333333333"},
      {123456.789, "123456.789"},
      {0x1p53, "9007199254740992"},
      {-0x1p-1022, "-2.2250738585072014e-308"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[QN_IO_REAL_BYTES + 1];
    text[qn_io_format_real(text, cases[i].value, QN_F64)] = '\0';
    assert_string_equal(text, cases[i].text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_numbers),
      cmocka_unit_test(words),
      cmocka_unit_test(other_text_is_no_number),
      cmocka_unit_test(a_number_ends_at_a_blank_or_the_end),
      cmocka_unit_test(indices),
      cmocka_unit_test(random_text_reads_as_strtod_reads_it),
      cmocka_unit_test(halfway_points_round_to_even),
      cmocka_unit_test(digits_far_behind_still_count),
      cmocka_unit_test(powers_of_ten_bracket_the_truth),
      cmocka_unit_test(f64_is_written_shortest),
      cmocka_unit_test(narrower_types_are_written_shorter),
      cmocka_unit_test(layouts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
