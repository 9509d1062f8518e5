/* What a roofline says of its points. */
#include "cli/roofline.h"
#include <math.h>

/* Clocks move between the measuring of a ceiling and of a point. */
static const double slack = 1.05;

double roof_intensity(const roof_point *point) {
  return point->flops / point->bytes;
}

double roof_rate(const roof_point *point) {
  return 1e-9 * point->flops / point->seconds;
}

int roof_arithmetics(const roof *r, qn_dtype dtype, probe_arithmetic list[2]) {
  static const probe_arithmetic of[QN_DTYPE_COUNT][2] = {
      [QN_F16] = {PROBE_F32, PROBE_F16_TENSOR},  [QN_BF16] = {PROBE_F32, PROBE_F16_TENSOR},
      [QN_F32] = {PROBE_F32, PROBE_TF32_TENSOR}, [QN_F64] = {PROBE_F64, PROBE_F64_TENSOR},
      [QN_C64] = {PROBE_F32, PROBE_TF32_TENSOR}, [QN_C128] = {PROBE_F64, PROBE_F64_TENSOR}};
  int count = 0;
  for (int i = 0; i < 2; i++)
    if (r->ceilings.compute[of[dtype][i]] > 0.0) list[count++] = of[dtype][i];
  return count;
}

double roof_cache(const roof *r) {
  double best = r->ceilings.memory;
  for (size_t i = 0; i < r->curve_count; i++) best = fmax(best, r->curve[i].gbs);
  return best;
}

static double bandwidth_of(const roof *r, double bytes) {
  double best = r->ceilings.memory;
  for (size_t i = 0; i < r->curve_count; i++)
    if (r->curve[i].bytes >= bytes / 2.0) best = fmax(best, r->curve[i].gbs);
  return best;
}

/* The lowest arithmetic that the rate does not exceed: what goes faster than multiply-adds has used
 * tensor cores, and is held to those. */
static double arithmetic_of(const roof *r, const roof_point *point) {
  probe_arithmetic list[2];
  const int count = roof_arithmetics(r, point->dtype, list);
  double arithmetic = 0.0;
  for (int i = 0; i < count; i++) {
    arithmetic = r->ceilings.compute[list[i]];
    if (roof_rate(point) <= slack * arithmetic) break;
  }
  return arithmetic;
}

void roof_judge(const roof *r, roof_point *point) {
  const double memory = roof_intensity(point) * bandwidth_of(r, point->bytes);
  point->ceiling = fmin(arithmetic_of(r, point), memory);
  point->above = roof_rate(point) > slack * point->ceiling;
}
