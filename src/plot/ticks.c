/* Ranges and ticks of axes. */
#include "ticks.h"
#include <math.h>
#include <stdio.h>

/* ---- ranges ---- */

static void linear_range(double *low, double *high) {
  double span = *high - *low;
  if (!(span > 0.0)) span = *low != 0.0 ? fabs(*low) : 1.0;
  bool from_zero = *low >= 0.0 && *low < 0.3 * *high;
  bool to_zero = *high <= 0.0 && *high > 0.3 * *low;
  *low = from_zero ? 0.0 : *low - 0.04 * span;
  *high = to_zero ? 0.0 : *high + 0.06 * span;
}

void qn_axis_range(qn_chart_scale scale, double *low, double *high) {
  if (scale == QN_SCALE_LINEAR) {
    linear_range(low, high);
    return;
  }
  double room = pow(*high / *low, 0.04);
  if (!(room > 1.05)) room = *high / *low < 1.5 ? 1.5 : 1.05;
  *low /= room;
  *high *= room;
}

double qn_axis_place(qn_chart_scale scale, double low, double high, double value) {
  if (scale == QN_SCALE_LINEAR) return (value - low) / (high - low);
  return log(value / low) / log(high / low);
}

/* ---- labels ---- */

/* 2500000 as 2.5M, 65536 as 64Ki: the letter of the largest power of 1000 or 1024 that fits. */
static void text_with_letter(char *text, double value, bool binary) {
  static const char *const decimals[] = {"", "k", "M", "G", "T", "P", "E"};
  static const char *const binaries[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const double thousand = binary ? 1024.0 : 1000.0;
  int power = 0;
  while (power < 6 && fabs(value) >= thousand) {
    value /= thousand;
    power++;
  }
  snprintf(text, QN_TICK_TEXT, "%.5g%s", value, (binary ? binaries : decimals)[power]);
}

static void log_text(qn_chart_scale scale, double value, char *text) {
  const double letters_from = scale == QN_SCALE_BYTES ? 1024.0 : 32768.0;
  if (scale != QN_SCALE_LOG10 && value >= letters_from)
    text_with_letter(text, value, true);
  else if (scale == QN_SCALE_LOG10 && value >= 10000.0)
    text_with_letter(text, value, false);
  else
    snprintf(text, QN_TICK_TEXT, "%.7g", value);
}

/* All labels of a linear axis show the decimals that its step needs. */
static void linear_text(double value, double step, double largest, char *text) {
  if (largest >= 100000.0 && step >= 1000.0) {
    text_with_letter(text, value, false);
    return;
  }
  if (largest >= 1e9 || largest < 1e-3) {
    snprintf(text, QN_TICK_TEXT, "%.7g", value);
    return;
  }
  int decimals = step < 1.0 ? (int)ceil(-log10(step) - 1e-9) : 0;
  snprintf(text, QN_TICK_TEXT, "%.*f", decimals, value);
}

/* ---- ticks ---- */

/* The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
static double nice_step(double least) {
  double unit = pow(10.0, floor(log10(least)));
  static const double steps[] = {1.0, 2.0, 5.0, 10.0};
  for (int i = 0; i < 4; i++)
    if (steps[i] * unit >= least * (1.0 - 1e-9)) return steps[i] * unit;
  return 10.0 * unit;
}

/* From a step that is surely too fine to the first that is not. */
static int linear_ticks(double low, double high, int most, qn_tick *ticks) {
  const double slack = 1e-9 * (high - low);
  double step = 0.3 * (high - low) / most, first, last;
  do {
    step = nice_step(step * 1.01);
    first = ceil((low - slack) / step);
    last = floor((high + slack) / step);
  } while (last - first + 1.0 > most);
  int count = (int)(last - first) + 1;
  double largest = fmax(fabs(low), fabs(high));
  for (int i = 0; i < count; i++) {
    ticks[i].value = (first + i) * step + 0.0; /* no negative zero */
    linear_text(ticks[i].value, step, largest, ticks[i].text);
  }
  return count;
}

/* Ticks at base^(every i) times each of `factors`. */
static int power_ticks(qn_chart_scale scale, double low, double high, int every,
                       const double *factors, int factor_count, qn_tick *ticks) {
  const double base = scale == QN_SCALE_LOG10 ? 10.0 : 2.0;
  int first = (int)floor(log(low) / log(base) / every - 1e-9);
  int last = (int)ceil(log(high) / log(base) / every + 1e-9), count = 0;
  for (int i = first; i <= last; i++) {
    for (int f = 0; f < factor_count; f++) {
      double value = factors[f] * pow(base, (double)i * every);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      if (count == QN_TICKS_MAX) return count + 1; /* too many: a coarser division is wanted */
      ticks[count].value = value;
      log_text(scale, value, ticks[count++].text);
    }
  }
  return count;
}

/* Within a decade 1 2 5, then 1 3, then whole powers, then every second, third ... */
static int log_ticks(qn_chart_scale scale, double low, double high, int most, qn_tick *ticks) {
  static const double one_two_five[] = {1, 2, 5}, one_three[] = {1, 3}, one[] = {1};
  int count;
  if (scale == QN_SCALE_LOG10) {
    count = power_ticks(scale, low, high, 1, one_two_five, 3, ticks);
    if (count <= most && count >= 2) return count;
    if (count < 2) return linear_ticks(low, high, most, ticks);
    count = power_ticks(scale, low, high, 1, one_three, 2, ticks);
    if (count <= most) return count;
  }
  for (int every = 1;; every++) {
    count = power_ticks(scale, low, high, every, one, 1, ticks);
    if (count <= most) return count;
  }
}

int qn_axis_ticks(qn_chart_scale scale, double low, double high, int most,
                  qn_tick ticks[QN_TICKS_MAX]) {
  if (most > QN_TICKS_MAX) most = QN_TICKS_MAX;
  if (scale == QN_SCALE_LINEAR) return linear_ticks(low, high, most, ticks);
  return log_ticks(scale, low, high, most, ticks);
}
