/* What the parts of the demonstration hand to one another: the task and host copies of results. */
#ifndef CO2_FORECAST_H
#define CO2_FORECAST_H

#include "co2_model.h"
#include <quern/quern.h>

enum {
  CO2_YEAR = 12,
  CO2_SHOWN = 8,       /* futures drawn in the chart and checked one by one */
  CO2_LEVELS = 3,      /* levels of ppm that the futures are counted above, */
  CO2_LEVEL_STEP = 10, /* so far apart; the last is the threshold */
  CO2_SEED = 19580329  /* Charles David Keeling began his record on 29 March 1958 */
};

typedef struct co2_forecast {
  /* The task. */
  co2_record record; /* what the forecast rests on */
  co2_record later;  /* what was recorded after that, where it is kept back */
  int months, first; /* of the forecast: how many, and the number of the first */
  double threshold;  /* ppm */
  int64_t futures;
  qn_dtype dtype; /* that the futures are computed in */

  /* The forecast, column-major, months x months or months long. */
  double *mean, *covariance, *factor; /* factor: lower Cholesky factor */

  /* From the futures. */
  double *sample_mean, *sample_covariance; /* of what departs from `mean` */
  double *above;                           /* the share above the threshold in each month */
  double *year_above[CO2_LEVELS]; /* whose mean of the twelve months up to this one is above */
  double *passed;                 /* whose twelve-month mean has been above the threshold by now */
  double shown[CO2_SHOWN][CO2_MAX_MONTHS]; /* some of them, ppm */

  /* For the checks: K, its factor, W = [H y K*] with `unknowns` columns before and after the solve,
   * and CO2_SHOWN columns of normals before and after they are coloured. */
  int unknowns;
  double *k, *l, *w, *solved, *normals, *coloured;
} co2_forecast;

static inline double co2_level(const co2_forecast *f, int level) {
  return f->threshold - CO2_LEVEL_STEP * (CO2_LEVELS - 1 - level);
}

/* Room for `count` doubles, zeroed; ends the program where there is none (co2_forecast.c). */
void *co2_room(size_t count);

/* The work, on the stream's device; prints a line a step (co2_steps.c). */
void co2_regress(qn_stream *stream, co2_forecast *f);
void co2_simulate(qn_stream *stream, co2_forecast *f);

/* Prints a line a check; false when one failed (co2_check.c). */
bool co2_check(const co2_forecast *f);

/* Writes co2_forecast.svg and .png to `directory` (co2_chart.c). */
bool co2_draw(const co2_forecast *f, const char *directory);

#endif
