/* cast and scale: every f16 and bf16 value, ties and double roundings against arithmetic in double,
 * NaN, gaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gemm_check.h"
#include "skip.h"
#include "backends/cpu/cpu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HALVES = 65536 };

typedef struct half_format {
  qn_dtype dtype;
  int fraction, least; /* bits of fraction; exponent of the least normal value */
  double most;         /* the largest finite value */
} half_format;

static const half_format formats[] = {{QN_F16, 10, -14, 65504}, {QN_BF16, 7, -126, 0x1.fep127}};

/* The value of the bits, by the definition of the format. */
static double value_of(const half_format *f, uint16_t bits) {
  int exponent_bits = 15 - f->fraction, top = (1 << exponent_bits) - 1;
  int exponent = bits >> f->fraction & top, fraction = bits & ((1 << f->fraction) - 1);
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == top) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * ldexp(fraction, f->least - f->fraction);
  return sign * ldexp(fraction + (1 << f->fraction), exponent - 1 + f->least - f->fraction);
}

/* x rounded to the format, ties to even, in double. */
static double rounded(const half_format *f, double x) {
  if (isnan(x) || isinf(x) || x == 0) return x;
  int exponent;
  frexp(x, &exponent);
  exponent = (exponent - 1 < f->least ? f->least : exponent - 1) - f->fraction;
  double r = ldexp(nearbyint(ldexp(x, -exponent)), exponent);
  return fabs(r) > f->most ? copysign(INFINITY, r) : r;
}

static void cast_run(qn_dtype to, void *dst, qn_dtype from, const void *src, int64_t n) {
  qn_cpu_matrix d = {dst, n, 1, n}, s = {(void *)src, n, 1, n};
  qn_cpu_ops_get()->cast(to, d, from, s);
}

static void every_half_widens(void **unused) {
  (void)unused;
  uint16_t *halves = malloc(HALVES * sizeof *halves);
  float *f32 = malloc(HALVES * sizeof *f32);
  double *f64 = malloc(HALVES * sizeof *f64);
  uint16_t *back = malloc(HALVES * sizeof *back);
  for (int i = 0; i < HALVES; i++) halves[i] = (uint16_t)i;
  for (int f = 0; f < 2; f++) {
    cast_run(QN_F32, f32, formats[f].dtype, halves, HALVES);
    cast_run(QN_F64, f64, formats[f].dtype, halves, HALVES);
    cast_run(formats[f].dtype, back, QN_F32, f32, HALVES);
    for (int i = 0; i < HALVES; i++) {
      double want = value_of(&formats[f], (uint16_t)i);
      if (isnan(want)) {
        assert_true(isnan(f32[i]) && isnan(f64[i]) && isnan(value_of(&formats[f], back[i])));
      } else {
        assert_true(f32[i] == want && f64[i] == want);
        assert_int_equal(back[i], i);
      }
    }
  }
  free(halves);
  free(f32);
  free(f64);
  free(back);
}

/* A value of the format, moved by part of a place; so that ties and near ties are common. */
static double near_a_half(const half_format *f, int i) {
  static const double parts[] = {0, 0.5, 0.5 + 0x1p-30, 0.5 - 0x1p-30, 0.25, 0.75, 0x1p-40};
  uint16_t bits = (uint16_t)((i * 40503u) & 0xffff);
  double x = value_of(f, bits);
  if (!isfinite(x)) return i % 2 ? x : f->most * (1 + 0x1p-20 * (i % 4000));
  int exponent = 0;
  frexp(x, &exponent);
  exponent = x == 0 || exponent - 1 < f->least ? f->least : exponent - 1;
  return x + copysign(ldexp(parts[i % 7], exponent - f->fraction), x);
}

static void narrowing_rounds_once(void **unused) {
  (void)unused;
  enum { N = 200000 };
  double *f64 = malloc(N * sizeof *f64);
  float *f32 = malloc(N * sizeof *f32);
  uint16_t *from64 = malloc(N * sizeof *from64), *from32 = malloc(N * sizeof *from32);
  for (int f = 0; f < 2; f++) {
    for (int i = 0; i < N; i++) {
      f64[i] = near_a_half(&formats[f], i);
      f32[i] = (float)f64[i];
    }
    cast_run(formats[f].dtype, from64, QN_F64, f64, N);
    cast_run(formats[f].dtype, from32, QN_F32, f32, N);
    for (int i = 0; i < N; i++) {
      double got64 = value_of(&formats[f], from64[i]), got32 = value_of(&formats[f], from32[i]);
      double want64 = rounded(&formats[f], f64[i]), want32 = rounded(&formats[f], (double)f32[i]);
      if (isnan(want64)) {
        assert_true(isnan(got64) && isnan(got32));
      } else if (got64 != want64 || got32 != want32 || signbit(got64) != signbit(want64)) {
        fail_msg("%s of %a: %a, not %a; of f32 %a: %a, not %a", qn_dtype_name(formats[f].dtype),
                 f64[i], got64, want64, (double)f32[i], got32, want32);
      }
    }
  }
  free(f64);
  free(f32);
  free(from64);
  free(from32);
}

static void between_the_halves_and_singles(void **unused) {
  (void)unused;
  const double x[] = {1, -2.5, 0x1.000001p0, 1e300, -1e-300, INFINITY, NAN, 65520, 0x1.01p-15};
  enum { N = sizeof x / sizeof *x };
  float single[N];
  cast_run(QN_F32, single, QN_F64, x, N);
  for (int i = 0; i < N; i++)
    assert_true(isnan(x[i]) ? isnan(single[i]) : single[i] == (float)x[i]);
  uint16_t bf16[N], f16[N];
  cast_run(QN_BF16, bf16, QN_F64, x, N);
  cast_run(QN_F16, f16, QN_BF16, bf16, N);
  for (int i = 0; i < N; i++) {
    double want = rounded(&formats[0], rounded(&formats[1], x[i]));
    double got = value_of(&formats[0], f16[i]);
    assert_true(isnan(want) ? isnan(got) : got == want);
  }
}

static void gaps_stay(void **unused) {
  (void)unused;
  enum { ROWS = 5, COLS = 3, LD_S = 7, LD_D = 9 };
  float src[LD_S * COLS];
  uint16_t dst[LD_D * COLS];
  memset(dst, 0xab, sizeof dst);
  for (int i = 0; i < LD_S * COLS; i++) src[i] = (float)i;
  qn_cpu_ops_get()->cast(QN_BF16, (qn_cpu_matrix){dst, ROWS, COLS, LD_D}, QN_F32,
                         (qn_cpu_matrix){src, ROWS, COLS, LD_S});
  for (int j = 0; j < COLS; j++) {
    for (int i = 0; i < LD_D; i++) {
      if (i < ROWS) {
        assert_true(value_of(&formats[1], dst[i + j * LD_D]) == i + j * LD_S);
      } else {
        assert_int_equal(dst[i + j * LD_D], 0xabab);
      }
    }
  }
}

static void scale_reads_only_what_it_must(void **unused) {
  (void)unused;
  for (int type = QN_F16; type <= QN_C128; type++) {
    size_t size = qn_dtype_size((qn_dtype)type);
    unsigned char x[4 * 3 * 16], zero[16] = {0};
    memset(x, 0xff, sizeof x);
    qn_cpu_ops_get()->scale((qn_dtype)type, qn_real(0), (qn_cpu_matrix){x, 3, 3, 4});
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < 4; i++) {
        unsigned char *at = x + (size_t)(i + 4 * j) * size;
        if (i < 3) {
          assert_memory_equal(at, zero, size);
        } else {
          assert_int_equal(at[0], 0xff);
        }
      }
    }
  }
  double c[4] = {1, 2, 3, -1};
  qn_cpu_ops_get()->scale(QN_C128, qn_complex(2, 1), (qn_cpu_matrix){c, 2, 1, 2});
  assert_true(c[0] == 0 && c[1] == 5 && c[2] == 7 && c[3] == 1);
  float s[2] = {3, INFINITY};
  qn_cpu_ops_get()->scale(QN_F32, qn_real(-0.5), (qn_cpu_matrix){s, 2, 1, 2});
  assert_true(s[0] == -1.5f && isinf(s[1]) && s[1] < 0);
}

int main(void) {
  skip_unless_isa();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_half_widens), cmocka_unit_test(narrowing_rounds_once),
      cmocka_unit_test(between_the_halves_and_singles), cmocka_unit_test(gaps_stay),
      cmocka_unit_test(scale_reads_only_what_it_must)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
