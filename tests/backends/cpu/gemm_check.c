/* See gemm_check.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "gemm_check.h"
#include "backends/cpu/half.h"
#include <math.h>
#include <stdlib.h>

typedef struct wide {
  long double re, im;
} wide;

static uint64_t state = 1;

void check_random_seed(uint64_t seed) {
  state = seed * 2 + 1;
}

double check_random(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(state >> 11) + 0.5) * 0x1p-52 - 1;
}

static double sample(enum gemm_family family) {
  double x = check_random();
  if (family == FAMILY_POSITIVE) return fabs(x);
  if (family == FAMILY_SPREAD) return x * exp2(12 * check_random());
  return x;
}

static wide get(qn_dtype t, const void *data, int64_t index) {
  switch (t) {
  case QN_F16:
    return (wide){qn_f16_to_f32(((const uint16_t *)data)[index]), 0};
  case QN_BF16:
    return (wide){qn_bf16_to_f32(((const uint16_t *)data)[index]), 0};
  case QN_F32:
    return (wide){((const float *)data)[index], 0};
  case QN_F64:
    return (wide){((const double *)data)[index], 0};
  case QN_C64:
    return (wide){((const float *)data)[2 * index], ((const float *)data)[2 * index + 1]};
  case QN_C128:
    return (wide){((const double *)data)[2 * index], ((const double *)data)[2 * index + 1]};
  }
  return (wide){0, 0};
}

static void set(qn_dtype t, void *data, int64_t index, double re, double im) {
  switch (t) {
  case QN_F16:
    ((uint16_t *)data)[index] = qn_f32_to_f16((float)re);
    break;
  case QN_BF16:
    ((uint16_t *)data)[index] = qn_f32_to_bf16((float)re);
    break;
  case QN_F32:
    ((float *)data)[index] = (float)re;
    break;
  case QN_F64:
    ((double *)data)[index] = re;
    break;
  case QN_C64:
    ((float *)data)[2 * index] = (float)re;
    ((float *)data)[2 * index + 1] = (float)im;
    break;
  case QN_C128:
    ((double *)data)[2 * index] = re;
    ((double *)data)[2 * index + 1] = im;
    break;
  }
}

static qn_cpu_matrix matrix_new(qn_dtype t, int64_t rows, int64_t cols, int64_t gap, bool fill,
                                enum gemm_family family) {
  qn_cpu_matrix x = {NULL, rows, cols, qn_max64(rows + gap, 1)};
  size_t bytes = (size_t)(x.ld * qn_max64(cols, 1)) * qn_dtype_size(t);
  x.data = malloc(bytes);
  assert_non_null(x.data);
  memset(x.data, 0xff, bytes); /* a NaN in every dtype */
  for (int64_t j = 0; j < cols && fill; j++) {
    for (int64_t i = 0; i < rows; i++) set(t, x.data, i + j * x.ld, sample(family), sample(family));
  }
  return x;
}

void gemm_problem_init(gemm_problem *p, const gemm_shape *s, enum gemm_family family) {
  bool na = s->transa == 'N', nb = s->transb == 'N';
  bool beta = s->beta.re != 0 || s->beta.im != 0;
  p->shape = *s;
  p->call = (qn_cpu_gemm){
      .dtype = s->dtype,
      .ctype = s->ctype,
      .transa = (qn_trans)s->transa,
      .transb = (qn_trans)s->transb,
      .alpha = s->alpha,
      .beta = s->beta,
      .a = matrix_new(s->dtype, na ? s->m : s->k, na ? s->k : s->m, s->gap, true, family),
      .b = matrix_new(s->dtype, nb ? s->k : s->n, nb ? s->n : s->k, s->gap, true, family),
      .c = matrix_new(s->ctype, s->m, s->n, s->gap, beta, family),
      .region = s->region,
  };
  p->c_bytes = (size_t)(p->call.c.ld * qn_max64(s->n, 1)) * qn_dtype_size(s->ctype);
  p->c0 = malloc(p->c_bytes);
  assert_non_null(p->c0);
  memcpy(p->c0, p->call.c.data, p->c_bytes);
}

void gemm_problem_free(gemm_problem *p) {
  free(p->call.a.data);
  free(p->call.b.data);
  free(p->call.c.data);
  free(p->c0);
}

static wide op_element(qn_dtype t, const qn_cpu_matrix *x, qn_trans trans, int64_t i, int64_t j) {
  wide e = get(t, x->data, trans == QN_NOTRANS ? i + j * x->ld : j + i * x->ld);
  if (trans == QN_CONJTRANS) e.im = -e.im;
  return e;
}

static wide times(wide x, wide y) {
  return (wide){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static long double size_of(wide x) {
  return x.im == 0 ? fabsl(x.re) : sqrtl(x.re * x.re + x.im * x.im);
}

/* The factors as the routine's arithmetic has them. */
static wide factor(qn_dtype compute, qn_scalar x) {
  bool narrow = compute == QN_F32 || compute == QN_C64;
  wide f = {narrow ? (float)x.re : x.re, narrow ? (float)x.im : x.im};
  if (!qn_dtype_is_complex(compute)) f.im = 0;
  return f;
}

static long double bound(const gemm_shape *s, long double g, long double value) {
  long double k = (long double)s->k;
  if (qn_dtype_is_half(s->dtype)) {
    long double u = s->ctype == QN_F16 ? 0x1p-11L : s->ctype == QN_BF16 ? 0x1p-8L : 0x1p-24L;
    long double tiny = s->ctype == QN_F16 ? 0x1p-25L : 0; /* half the spacing of subnormals */
    return u * value + 0x1p-22L * (k / 16 + 4) * g + tiny;
  }
  long double u = qn_dtype_compute(s->dtype) == QN_F32 || s->dtype == QN_C64 ? 0x1p-24L : 0x1p-53L;
  long double growth = k <= 64 ? k + 2 : 8 + 2 * sqrtl(k);
  return growth * u * g * (qn_dtype_is_complex(s->dtype) ? 2 * sqrtl(2) : 1);
}

static long double element_error(const gemm_problem *p, int64_t i, int64_t j) {
  const gemm_shape *s = &p->shape;
  qn_dtype compute = qn_dtype_compute(s->dtype);
  wide sum = {0, 0}, alpha = factor(compute, s->alpha), beta = factor(compute, s->beta);
  long double g = 0;
  for (int64_t l = 0; l < s->k; l++) {
    wide a = op_element(s->dtype, &p->call.a, p->call.transa, i, l);
    wide b = op_element(s->dtype, &p->call.b, p->call.transb, l, j);
    wide ab = times(a, b);
    sum.re += ab.re;
    sum.im += ab.im;
    g += size_of(a) * size_of(b);
  }
  wide want = times(alpha, sum);
  g *= size_of(alpha);
  if (beta.re != 0 || beta.im != 0) {
    wide old = get(s->ctype, p->c0, i + j * p->call.c.ld), part = times(beta, old);
    want.re += part.re;
    want.im += part.im;
    g += size_of(beta) * size_of(old);
  }
  wide got = get(s->ctype, p->call.c.data, i + j * p->call.c.ld);
  wide off = {got.re - want.re, got.im - want.im};
  long double allowed = bound(s, g, size_of(want)), error = size_of(off);
  if (isnan(error)) return INFINITY;
  return error == 0 ? 0 : error / allowed;
}

static bool in_region(qn_region region, int64_t i, int64_t j) {
  return region == QN_REGION_ALL || (region == QN_REGION_LOWER ? i >= j : i <= j);
}

long double gemm_problem_error(const gemm_problem *p, bool all) {
  const gemm_shape *s = &p->shape;
  size_t size = qn_dtype_size(s->ctype);
  long double worst = 0;
  for (int64_t j = 0; j < s->n; j++) {
    bool judged = all || j % 97 == 5 || j == s->n - 1;
    for (int64_t i = 0; i < p->call.c.ld; i++) {
      int64_t at = i + j * p->call.c.ld;
      if (i < s->m && in_region(s->region, i, j)) {
        if (judged) worst = fmaxl(worst, element_error(p, i, j));
      } else {
        assert_memory_equal((char *)p->call.c.data + (size_t)at * size, p->c0 + (size_t)at * size,
                            size);
      }
    }
  }
  return worst;
}
