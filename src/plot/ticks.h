/* Ranges and ticks of axes: arithmetic alone, no drawing. */
#ifndef QN_TICKS_H
#define QN_TICKS_H

#include "chart.h"

enum { QN_TICKS_MAX = 64, QN_TICK_TEXT = 16 };

typedef struct qn_tick {
  double value;
  char text[QN_TICK_TEXT];
} qn_tick;

/* Widens [low, high], the extent of the data, to a range that is pleasant to draw: some room at
 * both ends, zero included when it is near, never empty; positive on logarithmic scales. */
void qn_axis_range(qn_chart_scale scale, double *low, double *high);

/* Ticks within [low, high]: the finest regular division with at most `most` (>= 2) of them. Returns
 * their number. */
int qn_axis_ticks(qn_chart_scale scale, double low, double high, int most,
                  qn_tick ticks[QN_TICKS_MAX]);

/* Where a value lies between low (0) and high (1). */
double qn_axis_place(qn_chart_scale scale, double low, double high, double value);

#endif
