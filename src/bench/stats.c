/* Medians, quartiles and geometric means. */
#include "bench/stats.h"
#include <math.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The value at fraction f of sorted values, f in [0, 1]. */
static double quantile(const double *sorted, size_t count, double f) {
  const double place = f * (double)(count - 1);
  const size_t below = (size_t)place;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

bench_summary bench_summarise(double *values, size_t count) {
  bench_summary s = {.count = count};
  if (count == 0) return s;
  qsort(values, count, sizeof *values, ascending);
  s.median = quantile(values, count, 0.5);
  s.low = quantile(values, count, 0.25);
  s.high = quantile(values, count, 0.75);
  s.least = values[0];
  return s;
}

double bench_spread(const bench_summary *summary) {
  return summary->median == 0.0 ? 0.0 : (summary->high - summary->low) / summary->median;
}

double bench_geometric_mean(const double *values, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += log(values[i]);
  return count ? exp(sum / (double)count) : 0.0;
}
