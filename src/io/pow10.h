/* Powers of ten to 128 bits, for exact reading and shortest writing of decimal numbers. */
#ifndef QN_IO_POW10_H
#define QN_IO_POW10_H

#include <stdbool.h>
#include <stdint.h>

enum { QN_POW10_MIN = -348, QN_POW10_MAX = 348 };

/* 10^q = (high 2^64 + low + rest) 2^(exponent - 127), the top bit of high set, 0 <= rest < 1, and
 * rest is 0 where `exact`. */
typedef struct qn_pow10 {
  uint64_t high, low;
  int exponent;
  bool exact;
} qn_pow10;

/* q lies between QN_POW10_MIN and QN_POW10_MAX. The table is made by the first call, in about a
 * millisecond. */
const qn_pow10 *qn_pow10_get(int q);

/* w times a power in 192 bits, rounded down: the true product is at most w units of `low` above. */
typedef struct qn_product {
  uint64_t high, middle, low;
} qn_product;

static inline qn_product qn_pow10_times(const qn_pow10 *power, uint64_t w) {
  __extension__ typedef unsigned __int128 wide;
  wide upper = (wide)w * power->high, lower = (wide)w * power->low;
  wide middle = (wide)(uint64_t)upper + (uint64_t)(lower >> 64);
  qn_product product = {(uint64_t)(upper >> 64) + (uint64_t)(middle >> 64), (uint64_t)middle,
                        (uint64_t)lower};
  return product;
}

#endif
