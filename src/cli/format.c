/* Figures as people read them. */
#include "cli/format.h"
#include <stdio.h>

cli_text cli_format_time(double seconds) {
  static const struct {
    double unit;
    const char *name;
  } units[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  cli_text t;
  int i = 0;
  while (i < 2 && seconds < units[i].unit) i++;
  const double value = seconds / units[i].unit;
  snprintf(t.text, sizeof t.text, "%.*f %s",
           value < 10.0    ? 2
           : value < 100.0 ? 1
                           : 0,
           value, units[i].name);
  return t;
}

cli_text cli_format_figure(double value) {
  cli_text t;
  if (value >= 1000.0 && value < 1e9) {
    snprintf(t.text, sizeof t.text, "%.0f", value);
  } else {
    snprintf(t.text, sizeof t.text, "%.4g", value);
  }
  return t;
}

int cli_rate_digits(double rate) {
  return rate < 10.0 ? 2 : 1;
}
