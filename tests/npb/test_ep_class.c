/* EP's classes and its verification: right results pass, wrong ones do not. */
#include "npb/ep.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>

/* A result that agrees with all that is known of the class. */
static ep_sums right_sums(const ep_class *class) {
  ep_sums s = {class->x, class->y, class->abs_x, class->abs_y, {0}};
  memcpy(s.count, class->count, sizeof s.count);
  if (!s.count[0]) s.count[0] = class->pairs;
  return s;
}

static void letters(void **state) {
  (void)state;
  assert_ptr_equal(ep_find_class('s'), ep_find_class('S'));
  assert_ptr_equal(ep_find_class('f'), ep_find_class('F'));
  assert_int_equal(ep_find_class('D')->m, 36);
  for (const char *c = "GXTsw"; *c != 's'; c++) assert_null(ep_find_class(*c));
  assert_null(ep_find_class('\0'));
}

static void counts_agree_with_pairs(void **state) {
  (void)state;
  for (const char *c = "SWABCD"; *c; c++) {
    const ep_class *class = ep_find_class(*c);
    const ep_sums s = right_sums(class);
    assert_true(ep_pairs_taken(&s) == class->pairs);
  }
}

static void right(void **state) {
  (void)state;
  for (const char *c = "SWABCDEF"; *c; c++) {
    const ep_class *class = ep_find_class(*c);
    ep_sums s = right_sums(class);
    s.abs_x *= 1.0 + 9e-9;
    const ep_check check = ep_verify(class, &s);
    assert_true(check.passed);
    assert_int_equal(check.absolute, EP_RIGHT);
    assert_int_equal(check.pairs, EP_RIGHT);
    assert_int_equal(check.signs, *c == 'F' ? EP_UNKNOWN : EP_RIGHT);
    assert_int_equal(check.counts, *c == 'E' || *c == 'F' ? EP_UNKNOWN : EP_RIGHT);
  }
}

/* One thing wrong at a time, by a little more than is allowed, or not a number. */
static void wrong(void **state) {
  (void)state;
  for (const char *c = "SWABCDEF"; *c; c++) {
    const ep_class *class = ep_find_class(*c);
    for (int what = 0; what < 10; what++) {
      ep_sums s = right_sums(class);
      double *sums[] = {&s.x, &s.y, &s.abs_x, &s.abs_y};
      const bool known = *c != 'F' || what % 4 >= 2 || what >= 8;
      if (what < 4) *sums[what] *= 1.0 + 1.1e-8;
      if (what >= 4 && what < 8) *sums[what - 4] = NAN;
      if (what == 8) s.count[1]++;
      if (what == 9) s.count[0]--;
      assert_int_equal(ep_verify(class, &s).passed, !known);
    }
  }
  /* pairs in the wrong bin, their number right */
  ep_sums s = right_sums(ep_find_class('A'));
  s.count[1]++;
  s.count[2]--;
  const ep_check check = ep_verify(ep_find_class('A'), &s);
  assert_int_equal(check.pairs, EP_RIGHT);
  assert_int_equal(check.counts, EP_WRONG);
  assert_false(check.passed);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(letters),
                                     cmocka_unit_test(counts_agree_with_pairs),
                                     cmocka_unit_test(right), cmocka_unit_test(wrong)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
