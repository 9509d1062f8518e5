/* Template of the random kernels: included once by each rng_<isa>.c, which defines
 *
 *   RNG_ISA      the suffix: avx2
 *   RNG_BYTES    bytes of a vector register
 *   RNG_LANES    numbers in flight, enough to hide the latency of a 64-bit multiply
 *
 * Leap-frog: lane i of L holds number i of the stream and steps by a^L, so that L numbers are made
 * by independent multiplies:
 *
 *   state --a--> [ x0 x1 ... x(L-1) ] --a^L--> [ xL ... x(2L-1) ] --a^L--> ...
 *
 * A lane keeps x << 18: its product with a^L, cut to 64 bits, is then (a^L x mod 2^46) << 18, and a
 * right shift by 12 is the fraction of the double 1 + x / 2^46.
 *
 * These files are compiled with -ffp-contract=off: a fused multiply-add would change last bits from
 * one instruction set to the next. */
#include "backends/cpu/rng.h"
#include "core/lcg.h"
#include <quern/rng.h>
#include <string.h>

#define RNG_JOIN_(a, b) a##b
#define RNG_JOIN(a, b)  RNG_JOIN_(a, b)

enum {
  BLOCK = QN_RNG_NORMAL_BLOCK,
  PAIRS = BLOCK / 2,         /* pairs of normals in a block */
  WIDTH = RNG_BYTES / 8,     /* doubles of a vector */
  GROUP = RNG_LANES / WIDTH, /* vectors in flight */
  SHIFT = 64 - QN_LCG_BITS
};

typedef uint64_t vu __attribute__((vector_size(RNG_BYTES)));
typedef double vd __attribute__((vector_size(RNG_BYTES)));
typedef float vf __attribute__((vector_size(RNG_BYTES / 2)));
typedef struct lanes {
  vu x[GROUP];
} lanes;

static inline vu splat_u(uint64_t x) {
  return x - (vu){0};
}

static inline vd splat_d(double x) {
  return x - (vd){0};
}

/* Loads and stores go through memcpy: the caller's memory need not be aligned to the vector. */
static inline vd load(const double *p) {
  vd v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline void store(double *p, vd v) {
  memcpy(p, &v, sizeof v);
}

static inline void store_f32(float *p, vd v) {
  vf f = __builtin_convertvector(v, vf);
  memcpy(p, &f, sizeof f);
}

/* Lanes at the numbers first, first + stride, first + 2 stride ... after `state`. */
static inline lanes lanes_at(uint64_t state, uint64_t first, uint64_t stride) {
  uint64_t x = (state * qn_lcg_power(QN_RNG_MULTIPLIER, first)) << SHIFT;
  uint64_t step = qn_lcg_power(QN_RNG_MULTIPLIER, stride);
  uint64_t all[RNG_LANES];
  for (int i = 0; i < RNG_LANES; i++, x *= step) all[i] = x;
  lanes l;
  memcpy(&l, all, sizeof l);
  return l;
}

/* 1 + u, exact, for u = x / 2^46. */
static inline vd one_plus_u(vu x) {
  return (vd)((x >> 12) | splat_u(UINT64_C(0x3ff0000000000000)));
}

/* The natural logarithm on normal numbers of (0, 1], within 1 ulp.
 *
 * v = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1 exact, s = f / (2 + f), z = s^2:
 *
 *   log m = 2 atanh(s) = f - (h - s (h + z Q(z)))      h = f^2 / 2
 *
 * where the first two terms carry nearly all of the value and Q, of degree 6, is the minimax fit of
 * 2/3 + 2/5 z + 2/7 z^2 + ... on z <= (3 - 2 sqrt 2)^2 (error of z Q under 2^-58). ln 2 is split
 * in two, the high part with 20 zero bits, so that k ln2_high is exact. */
static inline vd vector_log(vd v) {
  const uint64_t one = UINT64_C(0x3ff0000000000000), root = UINT64_C(0x3fe6a09e667f3bcd);
  const uint64_t fraction = (UINT64_C(1) << 52) - 1, magic = UINT64_C(0x4330000000000000);
  const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

  vu w = (vu)v + (one - root);
  vd f = (vd)((w & fraction) + root) - 1.0;
  vd k = (vd)((w >> 52) | magic) - (0x1p52 + 1023.0); /* an integer to double by its bits */

  vd s = f / (2.0 + f);
  vd z = s * s;
  vd q = splat_d(0x1.2f0561aba3e97p-3);
  q = q * z + 0x1.39a1bae377b51p-3;
  q = q * z + 0x1.74663ee6dcc76p-3;
  q = q * z + 0x1.c71c520963d08p-3;
  q = q * z + 0x1.24924941f11e3p-2;
  q = q * z + 0x1.999999997fdb8p-2;
  q = q * z + 0x1.5555555555592p-1;
  vd h = 0.5 * f * f;
  return k * ln2_high - ((h - (s * (h + z * q) + k * ln2_low)) - f);
}

static void uniform_f64(uint64_t state, double *out) {
  lanes l = lanes_at(state, 1, 1);
  vu step = splat_u(qn_lcg_power(QN_RNG_MULTIPLIER, RNG_LANES));
  for (int i = 0; i < BLOCK; i += RNG_LANES) {
    for (int g = 0; g < GROUP; g++) {
      store(out + i + g * WIDTH, one_plus_u(l.x[g]) - 1.0);
      l.x[g] *= step;
    }
  }
}

/* The low 29 bits of the double's fraction are cut, so that the conversion is exact and never
 * rounds up to 1. */
static void uniform_f32(uint64_t state, float *out) {
  lanes l = lanes_at(state, 1, 1);
  vu step = splat_u(qn_lcg_power(QN_RNG_MULTIPLIER, RNG_LANES));
  for (int i = 0; i < BLOCK; i += RNG_LANES) {
    for (int g = 0; g < GROUP; g++) {
      vu bits = (vu)(one_plus_u(l.x[g]) - 1.0) >> 29 << 29;
      store_f32(out + i + g * WIDTH, (vd)bits);
      l.x[g] *= step;
    }
  }
}

/* The first PAIRS points (x, y) of the stream's pairs that fall into the unit disc. Every point is
 * written and the count moves on only past those inside: no branch to mispredict. */
static void accept(uint64_t state, double *x, double *y) {
  lanes first = lanes_at(state, 1, 2), second = lanes_at(state, 2, 2);
  vu step = splat_u(qn_lcg_power(QN_RNG_MULTIPLIER, 2 * RNG_LANES));
  int count = 0;
  while (count < PAIRS) {
    double a[RNG_LANES], b[RNG_LANES], t[RNG_LANES];
    for (int g = 0; g < GROUP; g++) {
      vd u = 2.0 * one_plus_u(first.x[g]) - 3.0; /* 2 u - 1, exact */
      vd v = 2.0 * one_plus_u(second.x[g]) - 3.0;
      store(a + g * WIDTH, u);
      store(b + g * WIDTH, v);
      store(t + g * WIDTH, u * u + v * v);
      first.x[g] *= step;
      second.x[g] *= step;
    }
    for (int i = 0; i < RNG_LANES; i++) {
      x[count] = a[i];
      y[count] = b[i];
      count += t[i] <= 1.0;
    }
  }
}

/* Marsaglia's polar method: x and y scaled by sqrt(-2 log t / t). */
static void polar(uint64_t state, double *x, double *y) {
  double scale[PAIRS];
  accept(state, x, y);
  for (int i = 0; i < PAIRS; i += WIDTH) {
    vd u = load(x + i), v = load(y + i);
    vd t = u * u + v * v;
    store(scale + i, -2.0 * vector_log(t) / t);
  }
  for (int i = 0; i < PAIRS; i++) {
    scale[i] = __builtin_sqrt(scale[i]);
    x[i] *= scale[i];
    y[i] *= scale[i];
  }
}

static void normal_f64(uint64_t state, double *out) {
  double x[PAIRS + RNG_LANES], y[PAIRS + RNG_LANES];
  polar(state, x, y);
  for (int i = 0; i < PAIRS; i++) {
    out[2 * i] = x[i];
    out[2 * i + 1] = y[i];
  }
}

static void normal_f32(uint64_t state, float *out) {
  double x[PAIRS + RNG_LANES], y[PAIRS + RNG_LANES];
  polar(state, x, y);
  for (int i = 0; i < PAIRS; i++) {
    out[2 * i] = (float)x[i];
    out[2 * i + 1] = (float)y[i];
  }
}

#define RNG_TEXT_(x) #x
#define RNG_TEXT(x)  RNG_TEXT_(x)

const qn_rng_kernels RNG_JOIN(qn_rng_, RNG_ISA) = {RNG_TEXT(RNG_ISA), uniform_f32, uniform_f64,
                                                   normal_f32, normal_f64};
