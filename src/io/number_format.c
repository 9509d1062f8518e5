/* Writing a number with the fewest digits that read back as it.
 *
 *   below             value             above          halfway to the neighbours: between them all
 *     |-----------------+-----------------|            decimals read back as the value
 *        ^ least             most ^                    the 17- or 18-digit integers within, once
 *                                                      scaled by 10^k
 *
 * Of the integers from `least` to `most` the one with the most trailing zeros is taken. The scaled
 * ends are products of 192 bits whose error is known; the few values whose ends fall too near an
 * integer to tell are left to printf and a trial of each length. */
#include "io/number.h"
#include "io/pow10.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A positive value is m 2^exponent, m < 2^53; the neighbour below is half as far where m is a power
 * of two. */
typedef struct binary {
  uint64_t m;
  int exponent;
  bool near_below, f64;
} binary;

typedef struct decimal {
  uint64_t digits;
  int exponent;
} decimal;

/* w 2^twos 10^k, near 10^17: the whole part, and 64 bits of what is below it, at most one unit of
 * them under the truth. 128 < shift < 138, for the product has 191 or 192 bits. */
typedef struct scaled {
  uint64_t whole, broken;
} scaled;

static scaled scale(uint64_t w, int twos, const qn_pow10 *power) {
  int zeros = __builtin_clzll(w);
  qn_product p = qn_pow10_times(power, w << zeros);
  int right = 127 - power->exponent - twos + zeros - 128;
  scaled s = {p.high >> right, p.high << (64 - right) | p.middle >> right};
  return s;
}

static bool near_whole(scaled s) {
  return s.broken == 0 || s.broken >= UINT64_MAX - 1;
}

/* The fraction bits of each type, and the exponent of its smallest step. */
static binary take_apart(double value, qn_dtype dtype) {
  static const struct {
    int digits, smallest;
  } types[QN_DTYPE_COUNT] = {
      [QN_F16] = {11, -24},   [QN_BF16] = {8, -133}, [QN_F32] = {24, -149},
      [QN_F64] = {53, -1074}, [QN_C64] = {24, -149}, [QN_C128] = {53, -1074}};
  int exponent;
  frexp(value, &exponent);
  exponent -= types[dtype].digits;
  if (exponent < types[dtype].smallest) exponent = types[dtype].smallest;
  binary b = {(uint64_t)ldexp(value, -exponent), exponent, false, types[dtype].digits == 53};
  b.near_below =
      b.m == UINT64_C(1) << (types[dtype].digits - 1) && exponent > types[dtype].smallest;
  return b;
}

/* The multiple of the largest power of ten from least to most, the one nearest to `middle`. */
static decimal fewest_digits(uint64_t least, uint64_t most, uint64_t middle, int exponent) {
  uint64_t ten = 1;
  while (ten <= UINT64_C(100000000000000000) && most / (10 * ten) * (10 * ten) >= least) {
    ten *= 10;
    exponent++;
  }
  uint64_t down = middle / ten, rest = middle % ten;
  uint64_t digits = down + (2 * rest >= ten && ten > 1);
  if (digits * ten > most) digits--;
  if (digits * ten < least) digits++;
  /* 9 of the next smaller power has no more digits than 1, and may be nearer */
  uint64_t tenth = ten / 10, finer = tenth ? (middle + tenth / 2) / tenth : 10;
  if (digits == 1 && finer < 10 && finer * tenth >= least) {
    digits = finer;
    exponent--;
  }
  decimal d = {digits, exponent};
  return d;
}

/* For narrower types the ends are drawn in a little, by more than any error: read as f64 and then
 * rounded, a decimal very near a half step could come out wrong. */
static bool shortest(const binary *b, decimal *d) {
  enum { DRAWN_IN = 128 };
  int leading = 63 - __builtin_clzll(b->m) + b->exponent;
  int k = 17 - (int)floor(leading * 0.30102999566398120);
  if (k > QN_POW10_MAX || k < QN_POW10_MIN) return false;
  const qn_pow10 *power = qn_pow10_get(k);
  scaled below = scale(4 * b->m - (b->near_below ? 1 : 2), b->exponent - 2, power);
  scaled value = scale(4 * b->m, b->exponent - 2, power);
  scaled above = scale(4 * b->m + 2, b->exponent - 2, power);
  if (b->f64 && (near_whole(below) || near_whole(above))) return false;
  uint64_t drawn_in = b->f64 ? 0 : DRAWN_IN;
  uint64_t least = below.whole + 1 + drawn_in, most = above.whole - drawn_in;
  if (least > most) return false;
  *d = fewest_digits(least, most, value.whole + (value.broken >> 63), -k);
  return true;
}

/* By trial, for f64: printf's digits are correctly rounded. Only digits are taken from its text,
 * whatever the locale's decimal point. */
static decimal by_printf(double value) {
  char text[64];
  int digits = 1;
  do snprintf(text, sizeof text, "%.*e", digits - 1, value);
  while (strtod(text, NULL) != value && digits++ < 17);
  decimal d = {0, 1 - digits};
  const char *at = text;
  for (; *at != 'e'; at++)
    if (*at >= '0' && *at <= '9') d.digits = 10 * d.digits + (uint64_t)(*at - '0');
  d.exponent += atoi(at + 1);
  return d;
}

/* As text: 1200 1.25 0.00125 1.25e-07 1e+300. Plain from 1e-5 to below 1e17. */
static size_t lay_out(char *out, decimal d) {
  char digits[24] = "";
  int count = 0;
  while (d.digits % 10 == 0) {
    d.digits /= 10;
    d.exponent++;
  }
  for (uint64_t rest = d.digits; rest > 0; rest /= 10) count++;
  for (int i = count - 1; i >= 0; i--, d.digits /= 10) digits[i] = (char)('0' + d.digits % 10);
  int point = count + d.exponent; /* digits before the point */
  char *at = out;
  if (point > 17 || point < -4) {
    *at++ = digits[0];
    if (count > 1) *at++ = '.';
    memcpy(at, digits + 1, (size_t)(count - 1));
    at += count - 1;
    at += sprintf(at, "e%+03d", point - 1);
  } else if (point <= 0) {
    memcpy(at, "0.00000", (size_t)(2 - point));
    at += 2 - point;
    memcpy(at, digits, (size_t)count);
    at += count;
  } else {
    for (int i = 0; i < count || i < point; i++) {
      if (i == point) *at++ = '.';
      *at++ = i < count ? digits[i] : '0';
    }
  }
  return (size_t)(at - out);
}

size_t qn_io_format_real(char out[QN_IO_REAL_BYTES], double value, qn_dtype dtype) {
  char *at = out;
  if (isnan(value)) {
    memcpy(out, "nan", 3);
    return 3;
  }
  if (signbit(value)) *at++ = '-';
  value = fabs(value);
  if (isinf(value)) {
    memcpy(at, "inf", 3);
    return (size_t)(at - out) + 3;
  }
  if (value == 0) {
    *at++ = '0';
    return (size_t)(at - out);
  }
  binary b = take_apart(value, dtype);
  decimal d;
  if (!shortest(&b, &d)) d = by_printf(value);
  return (size_t)(at - out) + lay_out(at, d);
}
