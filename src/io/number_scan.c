/* Reading decimal numbers: one multiplication where that is exact, else a product of 192 bits whose
 * error is known, else, where that leaves the rounding open, strtod. */
#include "io/number.h"
#include "io/pow10.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  DIGITS_IN_WORD = 19,      /* as many fit 64 bits */
  DIGITS_MAX = 800,         /* beyond the 767th a digit matters only by being there */
  EXPONENT_MAX = 100000000, /* larger ones are cut near this: zero or infinity either way, as */
  TEXT_MAX = EXPONENT_MAX,  /* no number is longer */
};

/* (-1)^negative digits 10^exponent, and more digits below where `cut`. */
typedef struct decimal {
  uint64_t digits;
  int exponent;
  bool negative, cut;
  const char *start, *end; /* of the digits in the text, the point among them */
} decimal;

static bool is_digit(char byte) {
  return (unsigned char)(byte - '0') < 10;
}

/* Digits with at most one point; false if there is no digit. */
static bool scan_digits(const char *at, const char *end, decimal *d) {
  uint64_t digits = 0;
  int kept = 0, any = 0, exponent = 0;
  bool point = false;
  d->start = at;
  if (end - at > TEXT_MAX) end = at + TEXT_MAX; /* more digits than that are no number */
  for (; at < end; at++) {
    if (is_digit(*at)) {
      any = 1;
      if (kept < DIGITS_IN_WORD) {
        digits = 10 * digits + (uint64_t)(*at - '0');
        kept += digits != 0;
        exponent -= point;
      } else {
        d->cut |= *at != '0';
        exponent += !point;
      }
    } else if (*at == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  d->digits = digits;
  d->exponent = exponent;
  d->end = at;
  return any;
}

/* What follows the digits: nothing, e+12, D-3, or +123 alone. NULL if it is none of these. */
static const char *scan_exponent(const char *at, const char *end, int *exponent) {
  if (at == end || qn_io_is_blank(*at)) return at;
  char lower = (char)(*at | 0x20);
  bool letter = lower == 'e' || lower == 'd' || lower == 'q';
  if (letter) at++;
  bool negative = at < end && *at == '-', sign = negative || (at < end && *at == '+');
  if (!letter && !sign) return NULL;
  at += sign;
  const char *digits = at;
  int value = 0;
  for (; at < end && is_digit(*at); at++)
    if (value < EXPONENT_MAX) value = 10 * value + (*at - '0');
  if (at == digits || (at < end && !qn_io_is_blank(*at))) return NULL;
  if (!letter && at - digits != 3) return NULL; /* Fortran drops the letter for three digits */
  *exponent += negative ? -value : value;
  return at;
}

/* Both factors and so the one rounding are exact: up to 2^53 and 10^22. */
static bool multiply_exactly(const decimal *d, double *value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (FLT_EVAL_METHOD != 0 || d->digits > UINT64_C(1) << 53) return false;
  if (d->exponent < -22 || d->exponent > 22) return false;
  double digits = (double)d->digits;
  *value = d->exponent < 0 ? digits / powers[-d->exponent] : digits * powers[d->exponent];
  return true;
}

/* The leading 53 bits of a product whose top bit is set, rounded to nearest and ties to even: up to
 * 2^53, which the caller carries. */
static uint64_t round_product(qn_product p) {
  uint64_t kept = p.high >> 11, rest = p.high & 0x7ff, middle = 0x400;
  bool below = p.middle | p.low;
  return kept + (rest > middle || (rest == middle && (below || (kept & 1))));
}

/* The product with the power's 128 bits lies within one unit in each of its factors of the truth;
 * where both ends of that range round alike, so does the truth. Only for the normal range. */
static bool multiply_wide(const decimal *d, double *value) {
  if (d->exponent < QN_POW10_MIN || d->exponent > QN_POW10_MAX || d->digits == 0) return false;
  const qn_pow10 *power = qn_pow10_get(d->exponent);
  int shift = __builtin_clzll(d->digits);
  uint64_t w = d->digits << shift;
  qn_product least = qn_pow10_times(power, w), most = least;
  if (!power->exact) {
    most.low += w;
    most.middle += most.low < w;
    most.high += most.low < w && most.middle == 0;
  }
  int exponent = power->exponent + 64 - shift; /* of the leading bit */
  if (!(least.high >> 63)) {
    if (most.high >> 63) return false;
    exponent--;
    least.high = least.high << 1 | least.middle >> 63;
    least.middle = least.middle << 1 | least.low >> 63;
    least.low <<= 1;
    most.high = most.high << 1 | most.middle >> 63;
    most.middle = most.middle << 1 | most.low >> 63;
    most.low <<= 1;
  }
  uint64_t bits = round_product(least);
  if (bits != round_product(most) || exponent < DBL_MIN_EXP - 1 || exponent >= DBL_MAX_EXP - 1)
    return false;
  /* the leading bit of `bits` adds one to the exponent, as does a carry out of the rounding */
  uint64_t image = ((uint64_t)(exponent + 1022) << 52) + bits;
  memcpy(value, &image, sizeof *value);
  return true;
}

/* The digits without their point, so that no locale matters, and at the end a 1 for all those that
 * are left out. */
static double by_strtod(const decimal *d, int shift) {
  char text[DIGITS_MAX + 32];
  size_t used = 0;
  bool cut = false, point = false;
  int exponent = shift;
  for (const char *at = d->start; at < d->end; at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    bool keep = used < DIGITS_MAX;
    if (keep && (used > 0 || *at != '0')) text[used++] = *at;
    cut |= !keep && *at != '0';
    if (keep)
      exponent -= point;
    else
      exponent += !point;
  }
  if (cut) {
    text[used++] = '1';
    exponent--;
  }
  snprintf(text + used, sizeof text - used, "%se%d", used ? "" : "0", exponent);
  return strtod(text, NULL);
}

static bool matches(const char *at, const char *end, const char *word) {
  return (size_t)(end - at) >= strlen(word) && strncasecmp(at, word, strlen(word)) == 0;
}

/* nan, nan(...), inf, infinity. */
static const char *scan_word(const char *at, const char *end, double *value) {
  if (matches(at, end, "nan")) {
    *value = (double)NAN;
    at += 3;
    if (at < end && *at == '(') {
      while (at < end && *at != ')' && !qn_io_is_blank(*at)) at++;
      if (at == end || *at != ')') return NULL;
      at++;
    }
  } else if (matches(at, end, "inf")) {
    *value = (double)INFINITY;
    at += matches(at, end, "infinity") ? 8 : 3;
  } else {
    return NULL;
  }
  return at == end || qn_io_is_blank(*at) ? at : NULL;
}

static double value_of(const decimal *d, int shift) {
  double value = 0;
  if (d->cut || (!multiply_exactly(d, &value) && !multiply_wide(d, &value)))
    value = by_strtod(d, shift);
  return d->negative ? -value : value;
}

const char *qn_io_scan_real(const char *at, const char *end, double *value) {
  decimal d = {0};
  d.negative = at < end && *at == '-';
  at += d.negative || (at < end && *at == '+');
  if (!scan_digits(at, end, &d)) {
    at = scan_word(at, end, value);
    if (at && d.negative) *value = -*value;
    return at;
  }
  int shift = 0;
  const char *after = scan_exponent(d.end, end, &shift);
  if (!after) return NULL;
  d.exponent += shift;
  *value = value_of(&d, shift);
  return after;
}

const char *qn_io_scan_integer(const char *at, const char *end, double *value) {
  const char *digits = at + (at < end && (*at == '-' || *at == '+'));
  const char *after = digits;
  while (after < end && is_digit(*after)) after++;
  if (after == digits || (after < end && !qn_io_is_blank(*after))) return NULL;
  return qn_io_scan_real(at, after, value);
}

const char *qn_io_scan_index(const char *at, const char *end, int64_t *value) {
  const char *start = at;
  uint64_t digits = 0;
  for (; at < end && is_digit(*at); at++) {
    if (digits > INT64_MAX / 10) return NULL;
    digits = 10 * digits + (uint64_t)(*at - '0');
  }
  if (at == start || digits > INT64_MAX || (at < end && !qn_io_is_blank(*at))) return NULL;
  *value = (int64_t)digits;
  return at;
}
