/* What stands in for output.c in a build without cairo. */
#include "chart.h"
#include <stdio.h>

bool qn_chart_available(void) {
  return false;
}

bool qn_chart_write(const qn_chart_figure *figure, const char *path, char error[QN_CHART_ERROR]) {
  (void)figure;
  snprintf(error, QN_CHART_ERROR,
           "%s: this build draws no charts: cairo was missing (Debian: libcairo2-dev)", path);
  return false;
}
