/* The same product in f32, in f16 with f32 sums, and in f64, by the library. */
#include "probe/families.h"
#include "probe/halves.h"
#include <math.h>
#include <string.h>

enum { DTYPES = 3, SEED_A = 1, SEED_B = 2 };
static const qn_dtype dtypes[DTYPES] = {QN_F32, QN_F16, QN_F64};

typedef struct precision_job {
  qn_matrix a, b, c;
} precision_job;

static qn_status multiply(probe *p, void *user, unsigned turn) {
  (void)turn;
  const precision_job *j = user;
  return qn_gemm(p->stream, QN_NOTRANS, QN_NOTRANS, qn_real(1.0), j->a, j->b, qn_real(0.0), j->c);
}

static qn_matrix operand(probe *p, qn_dtype dtype, int64_t n, uint32_t seed) {
  const size_t count = (size_t)(n * n), size = qn_dtype_size(dtype);
  char *data = probe_host(p, count * size);
  for (size_t i = 0; data && i < count; i++) {
    const double value = probe_coarse((uint32_t)i, seed);
    const float single = (float)value;
    const uint16_t half = probe_half_bits(value);
    memcpy(data + i * size,
           dtype == QN_F64   ? (const void *)&value
           : dtype == QN_F32 ? (const void *)&single
                             : (const void *)&half,
           size);
  }
  return qn_matrix_of(probe_upload(p, data, count * size), dtype, n, n, n);
}

/* C comes in f32 for f16 operands: the sums are f32. Returns the largest error of some columns. */
static double largest_error(probe *p, const qn_matrix *c) {
  const int64_t n = c->rows, step = n > 16 ? n / 16 : 1;
  const void *got = probe_fetch(p, c->buffer, (size_t)(n * n) * qn_dtype_size(c->dtype));
  double largest = 0.0;
  for (int64_t j = 0; got && j < n; j += step) {
    for (int64_t i = 0; i < n; i += step) {
      double want = 0.0;
      for (int64_t k = 0; k < n; k++)
        want += probe_coarse((uint32_t)(i + k * n), SEED_A) *
                probe_coarse((uint32_t)(k + j * n), SEED_B);
      const double value =
          c->dtype == QN_F64 ? ((const double *)got)[i + j * n] : ((const float *)got)[i + j * n];
      largest = fmax(largest, fabs(value - want));
    }
  }
  return largest;
}

/* The lowest ceiling that a product of the dtype may run against here. */
static probe_arithmetic ceiling_of(const probe *p, qn_dtype dtype, double gflops) {
  const double *c = p->ceilings.compute;
  if (dtype == QN_F64) return c[PROBE_F64_TENSOR] > 0.0 ? PROBE_F64_TENSOR : PROBE_F64;
  if (dtype == QN_F16 && c[PROBE_F16_TENSOR] > 0.0) return PROBE_F16_TENSOR;
  return gflops > c[PROBE_F32] && c[PROBE_TF32_TENSOR] > 0.0 ? PROBE_TF32_TENSOR : PROBE_F32;
}

static probe_figure *one(probe *p, qn_dtype dtype, int64_t n) {
  const qn_dtype result = dtype == QN_F16 ? QN_F32 : dtype;
  probe_figure *f = probe_add(p, "gemm", NAN, PROBE_GFLOPS, "%s%s", qn_dtype_name(dtype),
                              dtype == QN_F16 ? ", sums in f32" : "");
  precision_job j = {.a = operand(p, dtype, n, SEED_A), .b = operand(p, dtype, n, SEED_B)};
  if (p->status) return NULL;
  const size_t bytes = (size_t)(n * n) * qn_dtype_size(result);
  j.c = qn_matrix_of(probe_buffer(p, bytes), result, n, n, n);
  f->flops = 2.0 * (double)n * (double)n * (double)n;
  f->bytes = (double)bytes + 2.0 * (double)(n * n) * (double)qn_dtype_size(dtype);
  probe_time_work(p, f, multiply, &j);
  if (p->status) return NULL;
  f->arithmetic = ceiling_of(p, dtype, probe_value(f));
  probe_judge(p, f);
  /* sums of n products below 1: u n / 2 and more is wrong whatever the order of the sum */
  const double u = dtype == QN_F64 ? 0x1p-53 : 0x1p-22;
  probe_check(f, largest_error(p, &j.c) <= u * (double)n);
  return f;
}

void probe_precision(probe *p) {
  /* a card is not filled by what fills a processor */
  const int64_t n = p->info.kind == QN_DEVICE_GPU ? 4 * p->settings.order : p->settings.order;
  const probe_figure *f[DTYPES] = {NULL};
  for (int t = 0; t < DTYPES; t++)
    if (p->info.dtypes & 1u << dtypes[t]) f[t] = one(p, dtypes[t], n);
  if (p->status || !f[1]) return;
  probe_say(p, "f16 with sums in f32 runs at %.3g times the rate of f32, on half the bytes",
            probe_gain(p, f[0], f[1]));
}
