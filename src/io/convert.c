/* Between dtypes, by way of f64, in which all values of the narrower ones are exact. */
#include "io/convert.h"
#include "io/memory.h"
#include "core/core.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A binary format of 16 bits: sign, exponent, fraction. */
typedef struct half_format {
  int exponent, fraction;
} half_format;

static const half_format f16 = {5, 10}, bf16 = {8, 7};

static double widen(uint16_t half, half_format format) {
  int bias = (1 << (format.exponent - 1)) - 1, top = (1 << format.exponent) - 1;
  int exponent = half >> format.fraction & top;
  int fraction = half & ((1 << format.fraction) - 1);
  double value;
  if (exponent == top) {
    uint64_t bits = UINT64_C(0x7ff) << 52 | (uint64_t)fraction << (52 - format.fraction);
    memcpy(&value, &bits, sizeof value);
  } else if (exponent == 0) {
    value = ldexp(fraction, 1 - bias - format.fraction);
  } else {
    value = ldexp(fraction | 1 << format.fraction, exponent - bias - format.fraction);
  }
  return half >> 15 ? -value : value;
}

static uint16_t narrow(double value, half_format format) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
  int top = (1 << format.exponent) - 1, bias = top >> 1;
  int stored = (int)(bits >> 52 & 0x7ff), exponent = stored - 1023 + bias;
  uint64_t fraction = bits & (UINT64_MAX >> 12), significand = fraction | UINT64_C(1) << 52;
  uint16_t infinity = (uint16_t)(top << format.fraction);
  if (stored == 0x7ff && fraction) /* a quiet NaN, its first bits kept */
    return (uint16_t)(sign | infinity | 1 << (format.fraction - 1) |
                      (int)(fraction >> (52 - format.fraction)));
  if (exponent >= top) return sign | infinity;
  int shift = 52 - format.fraction;
  if (exponent <= 0) { /* below the normal range: fewer bits remain */
    shift += 1 - exponent;
    exponent = 1;
    if (shift > 53) return sign; /* less than half of the smallest */
    if (stored == 0) significand = fraction;
  }
  uint64_t kept = significand >> shift, rest = significand & ((UINT64_C(1) << shift) - 1);
  uint64_t middle = UINT64_C(1) << (shift - 1);
  kept += rest > middle || (rest == middle && (kept & 1));
  /* the leading bit of `kept` adds one to the exponent, as does a carry out of the rounding */
  return sign | (uint16_t)(((exponent - 1) << format.fraction) + (int)kept);
}

/* `count` real numbers as f64; a complex element is two. */
static void load(double *out, const void *src, qn_dtype from, size_t count) {
  switch (from) {
  case QN_F16:
  case QN_BF16:
    for (size_t e = 0; e < count; e++)
      out[e] = widen(((const uint16_t *)src)[e], from == QN_F16 ? f16 : bf16);
    break;
  case QN_F32:
  case QN_C64:
    for (size_t e = 0; e < count; e++) out[e] = (double)((const float *)src)[e];
    break;
  default:
    memcpy(out, src, count * sizeof *out);
    break;
  }
}

static void store(void *dst, qn_dtype to, const double *in, size_t count) {
  switch (to) {
  case QN_F16:
  case QN_BF16:
    for (size_t e = 0; e < count; e++)
      ((uint16_t *)dst)[e] = narrow(in[e], to == QN_F16 ? f16 : bf16);
    break;
  case QN_F32:
  case QN_C64:
    for (size_t e = 0; e < count; e++) ((float *)dst)[e] = (float)in[e];
    break;
  default:
    memcpy(dst, in, count * sizeof *in);
    break;
  }
}

void qn_io_convert(void *dst, qn_dtype to, const void *src, qn_dtype from, size_t count) {
  enum { STEP = 256 };
  double numbers[2 * STEP];
  size_t parts = qn_dtype_is_complex(from) ? 2 : 1;
  bool spread = qn_dtype_is_complex(to) && parts == 1;
  for (size_t done = 0; done < count; done += STEP) {
    size_t step = count - done < STEP ? count - done : STEP;
    load(numbers, (const char *)src + done * qn_dtype_size(from), from, step * parts);
    for (size_t e = step; spread && e-- > 0;) {
      numbers[2 * e] = numbers[e];
      numbers[2 * e + 1] = 0;
    }
    store((char *)dst + done * qn_dtype_size(to), to, numbers, spread ? 2 * step : step * parts);
  }
}

qn_status qn_io_convert_matrix(const char *file, qn_dtype dtype, qn_file_matrix *m) {
  if (m->dtype == dtype) return QN_OK;
  if (qn_dtype_is_complex(m->dtype) && !qn_dtype_is_complex(dtype))
    return qn_fail(QN_EFORMAT, file, "holds complex numbers (%s), which %s cannot",
                   qn_dtype_name(m->dtype), qn_dtype_name(dtype));
  size_t count = (size_t)m->rows * (size_t)m->cols, size;
  if (!qn_mul_size(count, qn_dtype_size(dtype), &size)) size = SIZE_MAX;
  qn_file_matrix converted = {dtype,           m->rows, m->cols, m->ld,    NULL,
                              QN_IO_ALLOCATED, NULL,    size,    m->beyond};
  if (count > 0) {
    uint64_t available = qn_io_memory_available();
    converted.data = converted.base = size <= available ? qn_host_alloc(size) : NULL;
    if (!converted.base)
      return qn_fail(QN_ENOMEM, file, "%" PRId64 " x %" PRId64 " as %s is %s and %s are available",
                     m->rows, m->cols, qn_dtype_name(dtype), qn_io_size(size).text,
                     qn_io_size(available).text);
    qn_io_convert(converted.data, dtype, m->data, m->dtype, count);
  }
  qn_io_close(m);
  *m = converted;
  return QN_OK;
}
