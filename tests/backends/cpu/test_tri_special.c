/* trsm and trmm of the cpu backend where arithmetic is hard: NaN and Inf, ends of the exponent's
 * range, ill-conditioned families; and where the machine is: no memory, many threads. */
#include "backends/cpu/cpu.h"
#include "tri_check.h"
#include "skip.h"
#include <quern/device.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const qn_dtype reals[] = {QN_F32, QN_F64};
static const char *const some_letters[] = {"LLNN", "LUNN", "LLTN", "LUTN", "LLNU",
                                           "RLNN", "RUNN", "RLTN", "RUTN", "RUTU"};
enum { LETTERS = sizeof some_letters / sizeof *some_letters };

typedef void (*visit_fn)(problem *p);

static void each_real(int64_t n, int64_t m, visit_fn visit) {
  for (size_t d = 0; d < 2; d++)
    for (size_t i = 0; i < LETTERS; i++) {
      problem p;
      bool left = some_letters[i][0] == 'L';
      problem_init(&p, reals[d], some_letters[i], left ? n : m, left ? m : n, 1);
      random_seed((uint64_t)n);
      problem_random(&p);
      visit(&p);
      problem_free(&p);
    }
}

/* Stored element (i, j) := value, of the triangle or B. */
static void set_a(problem *p, int64_t i, int64_t j, long double value) {
  set_element(p->call.dtype, p->a, p->call.a.ld, i, j, (wide){value, 0});
}
static void set_b(problem *p, int64_t i, int64_t j, long double value) {
  set_element(p->call.dtype, p->b, p->call.b.ld, i, j, (wide){value, 0});
}
static long double get_b(const problem *p, const void *b, int64_t q, int64_t v) {
  bool left = p->call.side == QN_LEFT;
  return element(p->call.dtype, b, p->call.b.ld, left ? q : v, left ? v : q).re;
}
static long double acting(const problem *p, int64_t i, int64_t k) {
  return (p->call.side == QN_LEFT ? triangle_element(p, i, k) : triangle_element(p, k, i)).re;
}

/* The loops of the reference, without its tests for zero, on one right-hand side. */
static void reference(const problem *p, bool solve, int64_t v, long double *x) {
  int64_t n = p->n;
  bool lower = (p->call.uplo == QN_LOWER) == (p->call.trans == QN_NOTRANS);
  if (p->call.side == QN_RIGHT) lower = !lower;
  for (int64_t i = 0; i < n; i++) x[i] = get_b(p, p->b0, i, v);
  for (int64_t s = 0; s < n; s++) {
    int64_t i = lower == solve ? s : n - 1 - s;
    long double sum = solve ? x[i] : x[i] * acting(p, i, i);
    for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); k++)
      sum += (solve ? -x[k] : x[k]) * acting(p, i, k);
    x[i] = solve ? sum / acting(p, i, i) : sum;
  }
}

static void same_pattern(problem *p) {
  for (int op = 0; op < 2; op++) {
    memcpy(p->a, p->a0, p->a_size);
    memcpy(p->b, p->b0, p->b_size);
    assert_int_equal(op ? qn_cpu_trmm(&p->call) : qn_cpu_trsm(&p->call), QN_OK);
    int64_t others = p->call.side == QN_LEFT ? p->call.b.cols : p->call.b.rows;
    long double *x = malloc((size_t)p->n * sizeof *x);
    for (int64_t v = 0; v < others; v++) {
      reference(p, op == 0, v, x);
      for (int64_t i = 0; i < p->n; i++) {
        long double got = get_b(p, p->b, i, v);
        bool same = isnan(x[i]) ? isnan(got) : isinf(x[i]) ? got == x[i] : isfinite(got);
        if (!same)
          fail_msg("%s %s %c%c%c%c unknown %d of %d: %Lg, not %Lg", op ? "trmm" : "trsm",
                   qn_dtype_name(p->call.dtype), p->call.side, p->call.uplo, p->call.trans,
                   p->call.diag, (int)i, (int)v, got, x[i]);
      }
    }
    free(x);
  }
}

/* One bad value at a time: on the diagonal, beside it, far from it, and in B. */
static void bad_values(problem *p) {
  static const long double values[] = {NAN, INFINITY, -INFINITY, 0};
  bool lower = p->call.uplo == QN_LOWER;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    for (int64_t at = 0; at < p->n; at += 5) {
      int64_t far = lower ? p->n - 1 : 0;
      problem_random(p);
      if (p->call.diag == QN_NONUNIT) set_a(p, at, at, values[i]);
      problem_keep(p);
      same_pattern(p);
      problem_random(p);
      if (far != at) set_a(p, far, at, values[i]);
      set_b(p, at % p->call.b.rows, 1, values[(i + 1) % 3]);
      problem_keep(p);
      same_pattern(p);
    }
}

static void test_bad_values(void **state) {
  (void)state;
  each_real(29, 19, bad_values);
}

static void check_solve(problem *p, const char *what) {
  problem_keep(p);
  assert_int_equal(qn_cpu_trsm(&p->call), QN_OK);
  long double error = solve_error(p);
  if (!(error <= 1))
    fail_msg("%s, %s %c%c%c%c: %Lg of the bound", what, qn_dtype_name(p->call.dtype), p->call.side,
             p->call.uplo, p->call.trans, p->call.diag, error);
}

/* Rows scaled so that the diagonal has no reciprocal (below) or a denormal one (above). */
static void extreme_diagonal(problem *p, int exponent, int rhs_exponent) {
  problem_random(p);
  for (int64_t j = 0; j < p->n; j++)
    for (int64_t i = 0; i < p->n; i++) {
      bool stored = i == j ? p->call.diag == QN_NONUNIT : (i > j) == (p->call.uplo == QN_LOWER);
      if (!stored) continue;
      long double value = element(p->call.dtype, p->a, p->call.a.ld, i, j).re;
      set_a(p, i, j, ldexpl(value, exponent));
    }
  for (int64_t j = 0; j < p->call.b.cols; j++)
    for (int64_t i = 0; i < p->call.b.rows; i++)
      set_b(p, i, j,
            ldexpl(1 + element(p->call.dtype, p->b, p->call.b.ld, i, j).re / 2, rhs_exponent));
}

static void extreme_diagonals(problem *p) {
  if (p->call.diag == QN_UNIT) return;
  bool single = p->call.dtype == QN_F32;
  extreme_diagonal(p, single ? -132 : -1030, single ? -60 : -500);
  check_solve(p, "denormal diagonal");
  extreme_diagonal(p, single ? 126 : 1022, single ? 90 : 900);
  check_solve(p, "huge diagonal");
}

static void test_extreme_diagonals(void **state) {
  (void)state;
  each_real(45, 21, extreme_diagonals);
}

/* Kahan's matrix, a random triangle (its condition grows as 2^n) and one graded by rows. */
static void families(problem *p) {
  if (p->call.diag == QN_UNIT) return;
  long double s = sinl(1.2L), c = cosl(1.2L);
  int span = p->call.dtype == QN_F32 ? 20 : 60;
  static const char *const names[] = {"Kahan", "random triangular", "graded"};
  for (int family = 0; family < 3; family++) {
    problem_random(p);
    for (int64_t j = 0; j < p->n; j++)
      for (int64_t i = 0; i < p->n; i++) {
        if (i != j && (i > j) != (p->call.uplo == QN_LOWER)) continue;
        int64_t row = i < j ? i : j;
        long double value = random_number();
        if (family == 0) value = powl(s, (long double)row) * (i == j ? 1 : -c);
        if (family == 2)
          value = ldexpl(i == j ? 1.5L + value / 2 : value, (int)(i * 37 % (2 * span)) - span);
        set_a(p, i, j, value);
      }
    check_solve(p, names[family]);
  }
}

static void test_families(void **state) {
  (void)state;
  each_real(90, 18, families);
}

static void *no_memory(void *user, size_t size, size_t alignment) {
  (void)user;
  (void)size;
  (void)alignment;
  return NULL;
}
static void no_free(void *user, void *pointer, size_t size) {
  (void)user;
  (void)pointer;
  (void)size;
}

static void out_of_memory(problem *p) {
  static const qn_allocator none = {no_memory, no_free, NULL};
  qn_set_allocator(&none);
  qn_status solve = qn_cpu_trsm(&p->call), multiply = qn_cpu_trmm(&p->call);
  qn_set_allocator(NULL);
  assert_int_equal(solve, QN_ENOMEM);
  assert_int_equal(multiply, QN_ENOMEM);
  assert_non_null(strstr(qn_last_error(), "qn_trmm"));
  assert_memory_equal(p->b, p->b0, p->b_size);
}

static void test_out_of_memory(void **state) {
  (void)state;
  each_real(40, 40, out_of_memory);
}

/* The same bits from one thread, from three, and from sixteen callers at once. */
static void thread_bits(problem *p) {
  assert_int_equal(qn_set_num_threads(1), QN_OK);
  assert_int_equal(qn_cpu_trsm(&p->call), QN_OK);
  void *alone = malloc(p->b_size);
  memcpy(alone, p->b, p->b_size);
  memcpy(p->b, p->b0, p->b_size);
  assert_int_equal(qn_set_num_threads(3), QN_OK);
  assert_int_equal(qn_cpu_trsm(&p->call), QN_OK);
  assert_memory_equal(p->b, alone, p->b_size);
  free(alone);
}

static void test_thread_bits(void **state) {
  (void)state;
  each_real(300, 130, thread_bits);
  assert_int_equal(qn_set_num_threads(0), QN_OK);
}

typedef struct caller {
  problem p;
  qn_status status;
} caller;

static void *call_often(void *arg) {
  caller *c = arg;
  for (int i = 0; i < 4 && c->status == QN_OK; i++) {
    memcpy(c->p.b, c->p.b0, c->p.b_size);
    c->status = qn_cpu_trsm(&c->p.call);
  }
  return NULL;
}

static void test_many_callers(void **state) {
  (void)state;
  enum { CALLERS = 16 };
  static caller callers[CALLERS];
  pthread_t threads[CALLERS];
  assert_int_equal(qn_set_num_threads(4), QN_OK);
  for (int i = 0; i < CALLERS; i++) {
    problem_init(&callers[i].p, QN_F64, "LLNN", 200, 150, 0);
    random_seed(7);
    problem_random(&callers[i].p);
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
  }
  for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < CALLERS; i++) {
    assert_int_equal(callers[i].status, QN_OK);
    assert_memory_equal(callers[i].p.b, callers[0].p.b, callers[0].p.b_size);
  }
  assert_true(solve_error(&callers[0].p) <= 1);
  for (int i = 0; i < CALLERS; i++) problem_free(&callers[i].p);
  assert_int_equal(qn_set_num_threads(0), QN_OK);
}

int main(void) {
  skip_unless_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_values),  cmocka_unit_test(test_extreme_diagonals),
      cmocka_unit_test(test_families),    cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_thread_bits), cmocka_unit_test(test_many_callers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
