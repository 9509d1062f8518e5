/* The model of the CO2 record: a Gaussian process over a quadratic trend.
 *
 * The covariance is the sum of four terms that Rasmussen and Williams give for this record
 * ("Gaussian Processes for Machine Learning", MIT Press 2006, section 5.4.3). Their trend is a
 * process too, and returns to the mean of the record within a lifetime; here a quadratic with
 * unknown coefficients takes its place (their section 2.7) and the first term holds what departs
 * from it. The parameters are the maximum of the marginal likelihood of this record, under weak
 * priors about the book's values. */
#include "co2_model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double trend_ppm = 1.1612, trend_years = 10.375;
static const double season_ppm = 2.438, season_years = 131.99, season_shape = 1.3307;
static const double medium_ppm = 0.5434, medium_years = 0.9713, medium_shape = 0.9265;
static const double weather_ppm = 0.1988, weather_years = 0.1133;
static const double noise_ppm = 0.2027;

bool co2_read(const char *path, co2_record *record) {
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "%s: cannot be read\n", path);
    return false;
  }
  char line[256];
  record->count = 0;
  bool good = true;
  while (good && fgets(line, sizeof line, file)) {
    int year, month;
    double ppm;
    if (line[0] < '0' || line[0] > '9') continue;
    good = sscanf(line, "%d,%d,%lf", &year, &month, &ppm) == 3 && record->count < CO2_MAX_MONTHS;
    if (!good) break;
    int number = 12 * year + month - 1;
    if (record->count == 0) record->first = number;
    good = number == record->first + record->count && ppm > 0.0;
    record->ppm[record->count++] = ppm;
  }
  fclose(file);
  if (good && record->count >= 24) return true;
  fprintf(stderr,
          "%s: not two years or more of consecutive lines year,month,ppm (line of month %d)\n",
          path, record->count);
  return false;
}

double co2_time(int month) {
  return (month + 0.5) / 12.0;
}

static double square(double x) {
  return x * x;
}

/* Of the curve itself at two times `apart` years from one another. */
static double curve_covariance(double apart) {
  double d2 = square(apart);
  double trend = square(trend_ppm) * exp(-d2 / (2.0 * square(trend_years)));
  double season = square(season_ppm) * exp(-d2 / (2.0 * square(season_years)) -
                                           2.0 * square(sin(M_PI * apart) / season_shape));
  double medium = square(medium_ppm) *
                  pow(1.0 + d2 / (2.0 * medium_shape * square(medium_years)), -medium_shape);
  double weather = square(weather_ppm) * exp(-d2 / (2.0 * square(weather_years)));
  return trend + season + medium + weather;
}

/* The process is stationary and months are evenly spaced: only the distance counts. */
void co2_covariance(int rows, int row_count, int columns, int column_count, double *k, size_t ldk) {
  static double at_distance[2 * CO2_MAX_MONTHS];
  int before = abs(rows + row_count - 1 - columns), after = abs(columns + column_count - 1 - rows);
  for (int d = 0; d <= (before > after ? before : after); d++)
    at_distance[d] = curve_covariance(d / 12.0) + (d == 0 ? square(noise_ppm) : 0.0);
  for (int j = 0; j < column_count; j++)
    for (int i = 0; i < row_count; i++)
      k[(size_t)i + (size_t)j * ldk] = at_distance[abs(rows + i - (columns + j))];
}

void co2_trend(int first, int count, double *h, size_t ldh) {
  for (int i = 0; i < count; i++) {
    double s = (co2_time(first + i) - 1990.0) / 30.0, power = 1.0;
    for (int j = 0; j < CO2_TRENDS; j++, power *= s) h[(size_t)i + (size_t)j * ldh] = power;
  }
}
