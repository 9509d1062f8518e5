/* Does the answer hold? Residuals of the solves, and the futures against the forecast they were
 * drawn from. Computed here from scratch, without the library. */
#include "co2_forecast.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Largest column sum of the lower triangle of an n x n matrix. */
static double norm1_lower(const double *a, int n) {
  double norm = 0.0;
  for (int j = 0; j < n; j++) {
    double sum = 0.0;
    for (int i = j; i < n; i++) sum += fabs(a[i + (size_t)j * (size_t)n]);
    norm = fmax(norm, sum);
  }
  return norm;
}

/* r -= L x, down to the rows that x's first nonzero reaches. */
static void subtract_product(int n, const double *l, const double *x, double *r) {
  for (int j = 0; j < n; j++) {
    const double *column = l + (size_t)j * (size_t)n, factor = x[j];
    for (int i = j; factor != 0.0 && i < n; i++) r[i] -= column[i] * factor;
  }
}

static double norm1(const double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return sum;
}

/* norm1(K - L L') / (n u norm1(K)) */
static double factor_residual(const co2_forecast *f) {
  const int n = f->record.count;
  double *row = co2_room((size_t)n), *r = co2_room((size_t)n), worst = 0.0, norm = 0.0;
  for (int j = 0; j < n; j++) {
    const double *column = f->k + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) {
      row[i] = i <= j ? f->l[j + (size_t)i * (size_t)n] : 0.0; /* row j of L is column j of L' */
      r[i] = column[i];
    }
    subtract_product(n, f->l, row, r);
    worst = fmax(worst, norm1(r, n));
    norm = fmax(norm, norm1(column, n));
  }
  free(row);
  free(r);
  return worst / (n * DBL_EPSILON / 2 * norm);
}

/* The worst column of norm1(w - L x) / (u norm1(L) norm1(x)). */
static double solve_residual(const co2_forecast *f) {
  const int n = f->record.count;
  const double norm = norm1_lower(f->l, n);
  double *r = co2_room((size_t)n), worst = 0.0;
  for (int j = 0; j < f->unknowns; j++) {
    const double *x = f->solved + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) r[i] = f->w[i + (size_t)j * (size_t)n];
    subtract_product(n, f->l, x, r);
    worst = fmax(worst, norm1(r, n) / (DBL_EPSILON / 2 * norm * norm1(x, n)));
  }
  free(r);
  return worst;
}

/* The first futures: the largest error of an element over u |L| |z|. */
static double colour_residual(const co2_forecast *f) {
  const int m = f->months;
  const double unit = f->dtype == QN_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
  double worst = 0.0;
  for (int s = 0; s < CO2_SHOWN; s++) {
    for (int i = 0; i < m; i++) {
      double sum = 0.0, size = 0.0;
      for (int j = 0; j <= i; j++) {
        double l = f->factor[i + j * m];
        if (f->dtype == QN_F32) l = (float)l; /* as it went to the device */
        sum += l * f->normals[j + s * m];
        size += fabs(l * f->normals[j + s * m]);
      }
      worst = fmax(worst, fabs(f->coloured[i + s * m] - sum) / (unit * size));
    }
  }
  return worst;
}

/* The forecast's covariance against L L' of its factor, in n u norm1. */
static double covariance_residual(const co2_forecast *f) {
  co2_forecast small = {.record = {.count = f->months}, .k = f->covariance, .l = f->factor};
  return factor_residual(&small);
}

/* The sample's mean and covariance, each entry in standard errors of a sample of this size. */
static double mean_error(const co2_forecast *f) {
  double worst = 0.0;
  for (int i = 0; i < f->months; i++) {
    double variance = f->covariance[i + i * f->months];
    worst = fmax(worst, fabs(f->sample_mean[i]) / sqrt(variance / (double)f->futures));
  }
  return worst;
}

static double covariance_error(const co2_forecast *f) {
  const int m = f->months;
  const double *c = f->covariance;
  double worst = 0.0;
  for (int j = 0; j < m; j++) {
    for (int i = j; i < m; i++) {
      double variance = (c[i + i * m] * c[j + j * m] + c[i + j * m] * c[i + j * m]);
      double error = fabs(f->sample_covariance[i + j * m] - c[i + j * m]);
      worst = fmax(worst, error / sqrt(variance / (double)f->futures));
    }
  }
  return worst;
}

/* The shares above the threshold against the normal distribution's. */
static double share_error(const co2_forecast *f) {
  double worst = 0.0, n = (double)f->futures;
  for (int i = 0; i < f->months; i++) {
    double z = (f->threshold - f->mean[i]) / sqrt(f->covariance[i + i * f->months]);
    double p = 0.5 * erfc(z / sqrt(2.0));
    /* where hardly any future is expected the count is no longer near a normal one */
    if (p * n < 10.0 || (1.0 - p) * n < 10.0) continue;
    worst = fmax(worst, fabs(f->above[i] - p) / sqrt(p * (1.0 - p) / n));
  }
  return worst;
}

static bool line(const char *what, double value, double bound, const char *unit) {
  bool good = value <= bound; /* false for NaN */
  printf("  %-62s %9.2g of %3.0f %-3s %s\n", what, value, bound, unit, good ? "ok" : "FAILED");
  return good;
}

bool co2_check(const co2_forecast *f) {
  bool good = true;
  printf("\nChecks                                                               worst  allowed\n");
  good &= line("K - L L', in norm, over n norm K", factor_residual(f), 30, "u");
  good &= line("W L^-1: residual of a column over norm L norm x", solve_residual(f), 30, "u");
  good &=
      line("covariance of the forecast less its factor squared", covariance_residual(f), 30, "u");
  good &= line("colouring: error of an element over |factor| |z|", colour_residual(f),
               8 + 2 * sqrt(f->months), "u");
  good &= line("mean of the futures less the forecast", mean_error(f), 5, "SE");
  good &= line("covariance of the futures less the forecast's", covariance_error(f), 6, "SE");
  good &= line("share of futures above the threshold, by month", share_error(f), 5, "SE");
  return good;
}
