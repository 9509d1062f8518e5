/* Powers of ten, computed exactly at first use: the powers of five as long integers give the
 * positive exponents, long division by them the negative ones. */
#include "io/pow10.h"
#include <pthread.h>
#include <string.h>

enum {
  LIMBS = 14, /* 5^348 has 809 bits, and a bit more while dividing */
  COUNT = QN_POW10_MAX - QN_POW10_MIN + 1,
};

typedef struct number {
  uint64_t limb[LIMBS]; /* least significant first */
} number;

static qn_pow10 table[COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void times_five(number *x) {
  uint64_t carry = 0;
  for (int i = 0; i < LIMBS; i++) {
    __extension__ unsigned __int128 product = (unsigned __int128)x->limb[i] * 5 + carry;
    x->limb[i] = (uint64_t)product;
    carry = (uint64_t)(product >> 64);
  }
}

static int bits_of(const number *x) {
  for (int i = LIMBS - 1; i >= 0; i--)
    if (x->limb[i]) return 64 * i + 64 - __builtin_clzll(x->limb[i]);
  return 0;
}

static bool at_least(const number *x, const number *y) {
  for (int i = LIMBS - 1; i >= 0; i--)
    if (x->limb[i] != y->limb[i]) return x->limb[i] > y->limb[i];
  return true;
}

static void subtract(number *x, const number *y) {
  uint64_t borrow = 0;
  for (int i = 0; i < LIMBS; i++) {
    uint64_t less = x->limb[i] - borrow;
    borrow = (x->limb[i] < borrow) | (less < y->limb[i]);
    x->limb[i] = less - y->limb[i];
  }
}

static void twice(number *x) {
  for (int i = LIMBS - 1; i > 0; i--) x->limb[i] = x->limb[i] << 1 | x->limb[i - 1] >> 63;
  x->limb[0] <<= 1;
}

/* The 64 bits of x that end above bit `low`, which may be negative. */
static uint64_t window(const number *x, int low) {
  uint64_t bits = 0;
  for (int b = 63; b >= 0; b--) {
    int at = low + b;
    uint64_t bit = at < 0 ? 0 : x->limb[at / 64] >> at % 64 & 1;
    bits = bits << 1 | bit;
  }
  return bits;
}

/* 10^n = five 2^n, five = 5^n. */
static qn_pow10 positive(const number *five, int n) {
  int bits = bits_of(five);
  qn_pow10 power = {window(five, bits - 64), window(five, bits - 128), bits - 1 + n, bits <= 128};
  return power;
}

/* 10^-n = 2^-n / five: the 128 leading bits of the quotient, one by one. 2^(bits - 1) < five <
 * 2^bits, so that the first of them is at 2^-bits. */
static qn_pow10 negative(const number *five, int n) {
  int bits = bits_of(five);
  number rest = {{0}};
  rest.limb[bits / 64] = UINT64_C(1) << bits % 64;
  qn_pow10 power = {0, 0, -bits - n, false};
  for (int step = 0; step < 128; step++) {
    power.high = power.high << 1 | power.low >> 63;
    power.low <<= 1;
    if (at_least(&rest, five)) {
      subtract(&rest, five);
      power.low |= 1;
    }
    twice(&rest);
  }
  return power;
}

static void make_table(void) {
  number five = {{1}};
  for (int n = 0; n <= QN_POW10_MAX; n++) {
    table[n - QN_POW10_MIN] = positive(&five, n);
    if (n > 0) table[-n - QN_POW10_MIN] = negative(&five, n);
    times_five(&five);
  }
}

const qn_pow10 *qn_pow10_get(int q) {
  pthread_once(&once, make_table);
  return &table[q - QN_POW10_MIN];
}
