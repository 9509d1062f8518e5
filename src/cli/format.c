/* Figures as people read them. */
#include "cli/format.h"
#include <stdio.h>

cli_time_text cli_format_time(double seconds) {
  static const struct {
    double unit;
    const char *name;
  } units[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  cli_time_text t;
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

int cli_rate_digits(double rate) {
  return rate < 10.0 ? 2 : 1;
}
