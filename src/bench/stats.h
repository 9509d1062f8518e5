/* Medians, quartiles and geometric means. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* What is told of a sample of at least one value. */
typedef struct bench_summary {
  double median, low, high; /* low and high are the quartiles */
  double least;
  size_t count;
} bench_summary;

/* A figure is marked when its spread goes beyond this. */
#define BENCH_SPREAD_LIMIT 0.10

/* Sorts `values` in place. Quartiles lie at 1/4 and 3/4 of the sorted values, between two of them
 * by linear interpolation. */
bench_summary bench_summarise(double *values, size_t count);

/* (high - low) / median, 0 where the median is 0. */
double bench_spread(const bench_summary *summary);

/* exp(mean(log x)) of positive values; 0 of none. */
double bench_geometric_mean(const double *values, size_t count);

#endif
