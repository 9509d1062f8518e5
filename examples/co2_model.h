/* What the forecast assumes: the record, the covariance of its curve, the trend under it. */
#ifndef CO2_MODEL_H
#define CO2_MODEL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  CO2_TRENDS = 3,       /* the trend is a quadratic in time */
  CO2_END = 2034,       /* the forecast ends with December of this year */
  CO2_MAX_MONTHS = 2400 /* of a record */
};

/* A run of consecutive months; month i is number first + i, counted from January of year 0. */
typedef struct co2_record {
  int first, count;
  double ppm[CO2_MAX_MONTHS];
} co2_record;

/* Reads lines of "year,month,ppm"; lines that begin with no digit are skipped. False, with a line
 * on stderr, when the file cannot be read or a month is missing. */
bool co2_read(const char *path, co2_record *record);

/* The middle of a month, in years. */
double co2_time(int month);

/* k[i + j ldk] := covariance of months rows + i and columns + j, with the noise of measurement
 * where they are one and the same. */
void co2_covariance(int rows, int row_count, int columns, int column_count, double *k, size_t ldk);

/* h[i + j ldh] := trend function j at month first + i: 1, s, s^2. */
void co2_trend(int first, int count, double *h, size_t ldh);

#endif
