/* dst := src with conversion, column by column, by way of f32 where a half takes part. */
#include "backends/cpu/cpu.h"
#include "backends/cpu/half.h"
#include "backends/cpu/kernels.h"
#include <math.h>

enum { CHUNK = 512 };

/* f64 to f32, rounded to odd: truncated, and an inexact result made odd. A second rounding, to f16
 * or bf16, then gives what one rounding of the f64 would. */
static float to_odd(double x) {
  float f = (float)x;
  if ((double)f == x || isnan(x)) return f;
  uint32_t bits = qn_bits_of_float(f);
  if (fabs((double)f) > fabs(x)) bits--;
  return qn_float_of_bits(bits | 1u);
}

static void load(qn_dtype type, int64_t n, const void *src, bool narrow, float *f32) {
  const qn_cpu_isa *isa = qn_cpu_isa_get();
  switch (type) {
  case QN_F16:
    isa->f16_to_f32(n, src, f32);
    break;
  case QN_BF16:
    isa->bf16_to_f32(n, src, f32);
    break;
  case QN_F64:
    for (int64_t i = 0; i < n; i++) {
      double x = ((const double *)src)[i];
      f32[i] = narrow ? to_odd(x) : (float)x;
    }
    break;
  default:
    memcpy(f32, src, (size_t)n * sizeof *f32);
  }
}

static void store(qn_dtype type, int64_t n, const float *f32, void *dst) {
  const qn_cpu_isa *isa = qn_cpu_isa_get();
  switch (type) {
  case QN_F16:
    isa->f32_to_f16(n, f32, dst);
    break;
  case QN_BF16:
    isa->f32_to_bf16(n, f32, dst);
    break;
  case QN_F64:
    for (int64_t i = 0; i < n; i++) ((double *)dst)[i] = (double)f32[i];
    break;
  default:
    memcpy(dst, f32, (size_t)n * sizeof *f32);
  }
}

void qn_cpu_cast(qn_dtype dst_type, qn_cpu_matrix dst, qn_dtype src_type, qn_cpu_matrix src) {
  size_t dst_size = qn_dtype_size(dst_type), src_size = qn_dtype_size(src_type);
  for (int64_t j = 0; j < src.cols; j++) {
    const char *from = (const char *)src.data + (size_t)(j * src.ld) * src_size;
    char *to = (char *)dst.data + (size_t)(j * dst.ld) * dst_size;
    if (dst_type == src_type) {
      memcpy(to, from, (size_t)src.rows * src_size);
      continue;
    }
    for (int64_t i = 0; i < src.rows; i += CHUNK) {
      int64_t n = qn_min64(CHUNK, src.rows - i);
      float f32[CHUNK];
      load(src_type, n, from + (size_t)i * src_size, qn_dtype_is_half(dst_type), f32);
      store(dst_type, n, f32, to + (size_t)i * dst_size);
    }
  }
}
