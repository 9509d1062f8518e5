/* Random numbers of the tests: splitmix64, so that a seed repeats everything. */
#include "oracle/oracle.h"
#include <math.h>

static uint64_t next(dice *d) {
  uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

double dice_uniform(dice *d) {
  return ((double)(next(d) >> 11) + 0.5) * 0x1p-52 - 1.0;
}

double dice_normal(dice *d) {
  double radius = sqrt(-2.0 * log(0.5 * (1.0 + dice_uniform(d))));
  return radius * cos(3.14159265358979323846 * dice_uniform(d));
}

int64_t dice_below(dice *d, int64_t n) {
  return (int64_t)(next(d) % (uint64_t)n);
}
