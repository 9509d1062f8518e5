/* x := alpha x over a matrix or one triangle of it. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/half.h"

static void scale_halves(qn_dtype dtype, float alpha, int64_t n, uint16_t *x) {
  if (dtype == QN_F16) {
    for (int64_t i = 0; i < n; i++) x[i] = qn_f32_to_f16(alpha * qn_f16_to_f32(x[i]));
  } else {
    for (int64_t i = 0; i < n; i++) x[i] = qn_f32_to_bf16(alpha * qn_bf16_to_f32(x[i]));
  }
}

static void scale_c64(float re, float im, int64_t n, float *x) {
  for (int64_t i = 0; i < 2 * n; i += 2) {
    float a = x[i], b = x[i + 1];
    x[i] = re * a - im * b;
    x[i + 1] = re * b + im * a;
  }
}

static void scale_c128(double re, double im, int64_t n, double *x) {
  for (int64_t i = 0; i < 2 * n; i += 2) {
    double a = x[i], b = x[i + 1];
    x[i] = re * a - im * b;
    x[i + 1] = re * b + im * a;
  }
}

static void scale_run(qn_dtype dtype, qn_scalar alpha, int64_t n, void *data) {
  switch (dtype) {
  case QN_F16:
  case QN_BF16:
    scale_halves(dtype, (float)alpha.re, n, data);
    break;
  case QN_F32:
    for (int64_t i = 0; i < n; i++) ((float *)data)[i] *= (float)alpha.re;
    break;
  case QN_F64:
    for (int64_t i = 0; i < n; i++) ((double *)data)[i] *= alpha.re;
    break;
  case QN_C64:
    scale_c64((float)alpha.re, (float)alpha.im, n, data);
    break;
  case QN_C128:
    scale_c128(alpha.re, alpha.im, n, data);
    break;
  }
}

void qn_cpu_scale_region(qn_dtype dtype, qn_scalar alpha, qn_cpu_matrix x, qn_region region) {
  size_t size = qn_dtype_size(dtype);
  if (!qn_dtype_is_complex(dtype)) alpha.im = 0;
  if (alpha.re == 1 && alpha.im == 0) return;
  bool zero = alpha.re == 0 && alpha.im == 0;
  for (int64_t j = 0; j < x.cols; j++) {
    int64_t from = region == QN_REGION_LOWER ? j : 0;
    int64_t to = region == QN_REGION_UPPER ? qn_min64(j + 1, x.rows) : x.rows;
    if (from >= to) continue;
    char *data = (char *)x.data + (size_t)(from + j * x.ld) * size;
    if (zero) {
      memset(data, 0, (size_t)(to - from) * size);
    } else {
      scale_run(dtype, alpha, to - from, data);
    }
  }
}

void qn_cpu_scale(qn_dtype dtype, qn_scalar alpha, qn_cpu_matrix x) {
  qn_cpu_scale_region(dtype, alpha, x, QN_REGION_ALL);
}
