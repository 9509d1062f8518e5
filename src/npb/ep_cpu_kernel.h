/* Template of EP's cpu kernel: included once by each ep_cpu_<isa>.c, which defines
 *
 *   EP_ISA     the suffix: avx2
 *   EP_WIDTH   doubles of a vector register: 2, 4 or 8
 *   EP_FUSED   1 where ep_fma() rounds once
 *   ep_vd, ep_vi, the vectors of EP_WIDTH doubles and 64-bit integers, and on them
 *   ep_fma(a, b, c)                    a b + c
 *   ep_sqrt(v), ep_max(a, b)
 *   ep_store_taken(px, py, x, y, t)    stores the lanes of x and y where t <= 1 side by side, and
 *                                      may write EP_WIDTH lanes; returns how many they are
 *   ep_count(count, v, low)            count + 1 in the lanes where v >= low
 *   ep_any(v, low)                     whether any lane has v >= low
 *
 * Two loops over a block of pairs. The first draws points and keeps those inside the disc, side by
 * side in a buffer; the second makes deviates of full vectors of them:
 *
 *   lanes   x0 x1 x2 ... x15  --a^32-->  x16 ... x31  -->      leap-frog: lane i holds pair i
 *                |  t <= 1
 *   buffer  x0 x2 x3 x5 ...                                    in the order of the stream
 *                |  LANES at a time, what is left over moves to the front
 *   sums    LANES partial sums of each kind
 *
 * The order of all additions hangs on LANES, not on EP_WIDTH, so that all instruction sets with
 * fused multiply-adds give the same bits. */
#include "npb/ep_cpu.h"
#include <string.h>

#define EP_P1 (-0x1.5555555553960p+0)
#define EP_P2 (-0x1.999999a294ad8p-1)
#define EP_P3 (-0x1.24924176e077cp-1)
#define EP_P4 (-0x1.c72278941e186p-2)
#define EP_P5 (-0x1.732c14a130199p-2)
#define EP_P6 (-0x1.587856a53bb6cp-2)

#define EP_JOIN_(a, b) a##b
#define EP_JOIN(a, b)  EP_JOIN_(a, b)

enum {
  FLIGHT = 16, /* pairs in flight: enough to hide the latency of one step of the generator */
  LANES = 8,
  DRAWN = FLIGHT / EP_WIDTH, /* vectors of each */
  MADE = LANES / EP_WIDTH,
  BLOCK = 512
};

typedef uint64_t ep_vu __attribute__((vector_size(8 * EP_WIDTH)));

static inline ep_vd splat(double x) {
  return x - (ep_vd){0};
}

/* Loads and stores through memcpy need no alignment. */
static inline ep_vd load(const double *p) {
  ep_vd v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline void store(double *p, ep_vd v) {
  memcpy(p, &v, sizeof v);
}

static inline ep_vd absolute(ep_vd v) {
  return (ep_vd)((ep_vi)v & INT64_MAX);
}

/* ---- the generator ---- */

#if EP_FUSED

/* The coordinate X = 2u - 1 obeys a recurrence of its own, exact in doubles. With w = u - 1/2,
 *
 *   w' = a u - n - 1/2 = a w + (a - 1)/2 - n,   n whole, and a odd:   w' = a w - round(a w)
 *
 * for the result lies in (-1/2, 1/2). a w has 92 bits, but a w - round(a w) is a multiple of 2^-46
 * below 1/2, so that a fused multiply-add gives it without error; a w + 1.5 * 2^52 rounds it. All
 * of this doubled gives X itself; a w is never halfway between whole numbers, being odd / 2^46. */
typedef ep_vd ep_state;
typedef double ep_step;

static inline ep_state make_state(const uint64_t *x) {
  double w[EP_WIDTH];
  for (int i = 0; i < EP_WIDTH; i++) w[i] = ((double)(int64_t)x[i] - 0x1p45) * 0x1p-45;
  return load(w);
}

static inline ep_step make_step(uint64_t a) {
  return (double)(int64_t)a;
}

static inline ep_vd coordinate(ep_state x) {
  return x;
}

static inline ep_state next(ep_state x, ep_step a) {
  const double magic = 0x1.8p53; /* its neighbours are 2 apart */
  ep_vd n = ep_fma(x, splat(a), splat(magic)) - magic;
  return ep_fma(x, splat(a), -n);
}

#else

/* A lane keeps x << 18: its product with a, cut to 64 bits, is (a x mod 2^46) << 18, and a right
 * shift by 12 is the fraction of the double 1 + x / 2^46. */
typedef ep_vu ep_state;
typedef uint64_t ep_step;

static inline ep_state make_state(const uint64_t *x) {
  ep_state s;
  for (int i = 0; i < EP_WIDTH; i++) s[i] = x[i] << (64 - NPB_LCG_BITS);
  return s;
}

static inline ep_step make_step(uint64_t a) {
  return a;
}

static inline ep_vd coordinate(ep_state x) {
  return 2.0 * (ep_vd)(x >> 12 | UINT64_C(0x3ff0000000000000)) - 3.0;
}

static inline ep_state next(ep_state x, ep_step a) {
  return x * a;
}

#endif

typedef struct stream {
  ep_state x[DRAWN], y[DRAWN];
  ep_step step;
} stream;

static stream begin(uint64_t state) {
  uint64_t x[FLIGHT], y[FLIGHT];
  for (int i = 0; i < FLIGHT; i++) {
    x[i] = state * QN_RNG_MULTIPLIER & NPB_LCG_MASK;
    state = y[i] = x[i] * QN_RNG_MULTIPLIER & NPB_LCG_MASK;
  }
  stream s;
  for (int g = 0; g < DRAWN; g++) {
    s.x[g] = make_state(x + g * EP_WIDTH);
    s.y[g] = make_state(y + g * EP_WIDTH);
  }
  s.step = make_step(npb_lcg_power(2 * FLIGHT));
  return s;
}

/* Points inside the disc. */
typedef struct points {
  double x[BLOCK + FLIGHT], y[BLOCK + FLIGHT];
  int count;
} points;

static inline void draw(stream *s, points *p) {
  stream at = *s;
  int count = p->count;
  for (int i = 0; i < BLOCK; i += FLIGHT) {
    for (int g = 0; g < DRAWN; g++) {
      ep_vd x = coordinate(at.x[g]), y = coordinate(at.y[g]);
      count += ep_store_taken(p->x + count, p->y + count, x, y, ep_fma(x, x, y * y));
      at.x[g] = next(at.x[g], at.step);
      at.y[g] = next(at.y[g], at.step);
    }
  }
  p->count = count;
  *s = at;
}

/* ---- deviates ---- */

/* f = sqrt(-2 ln t / t) for normal t in (0, 1], to a few units in the last place; 0 at t = 1.
 *
 * t = 2^k m with m in [sqrt(1/2), sqrt(2)), s = (m - 1) / (m + 1), z = s^2:
 *
 *   -2 ln t = -2 ln 2 k + s P(z),   P(z) = -4 atanh(s) / s = -4 - 4/3 z - 4/5 z^2 - ...
 *
 * P is a minimax fit on z <= (3 - 2 sqrt 2)^2, relative error under 2^-52. One division serves
 * both: r = 1 / ((m + 1) t) gives 1 / t = r (m + 1) and s = (m - 1) (r t).
 *
 * The chain from t to f is longer than what a processor looks ahead, so that it is cut into loops
 * of short chains: divide, stretch and add_deviates. */
typedef struct binary {
  ep_vd m, k;
} binary;

static inline binary split(ep_vd t) {
  const uint64_t one = UINT64_C(0x3ff0000000000000), root = UINT64_C(0x3fe6a09e667f3bcd);
  const uint64_t fraction = (UINT64_C(1) << 52) - 1, magic = UINT64_C(0x4330000000000000);
  ep_vu w = (ep_vu)t + (one - root);
  return (binary){(ep_vd)((w & fraction) + root), (ep_vd)(w >> 52 | magic) - (0x1p52 + 1023.0)};
}

static inline void divide(const points *p, int count, double *t_out, double *r_out) {
  for (int i = 0; i < count; i += EP_WIDTH) {
    ep_vd x = load(p->x + i), y = load(p->y + i), t = ep_fma(x, x, y * y);
    store(t_out + i, t);
    store(r_out + i, 1.0 / ((split(t).m + 1.0) * t));
  }
}

/* f takes the place of r. */
static inline void stretch(const double *t_in, int count, double *rf) {
  for (int i = 0; i < count; i += EP_WIDTH) {
    ep_vd t = load(t_in + i), r = load(rf + i);
    binary b = split(t);
    ep_vd s = (b.m - 1.0) * (r * t), z = s * s, zz = z * z;
    ep_vd high = ep_fma(splat(EP_P6), z, splat(EP_P5));
    ep_vd middle = ep_fma(splat(EP_P4), z, splat(EP_P3));
    ep_vd low = ep_fma(splat(EP_P2), z, splat(EP_P1));
    ep_vd p = ep_fma(ep_fma(ep_fma(high, zz, middle), zz, low), z, splat(-4.0));
    ep_vd l = ep_fma(b.k, splat(-0x1.62e42fefa39efp0), s * p);
    store(rf + i, ep_sqrt(l * (r * (b.m + 1.0))));
  }
}

/* LANES partial sums of each kind, and of deviates at least 1 and at least 2. */
typedef struct partial {
  ep_vd x[MADE], y[MADE], abs_x[MADE], abs_y[MADE];
  ep_vi one[MADE], two[MADE];
  uint64_t high[EP_BINS]; /* of deviates at least 3, 4 ...: 0.5 % of all, one by one */
} partial;

static __attribute__((noinline, cold)) void count_high(uint64_t *high, const double *x,
                                                       const double *y, const double *f) {
  for (int i = 0; i < LANES; i++) {
    const double size_x = __builtin_fabs(x[i] * f[i]), size_y = __builtin_fabs(y[i] * f[i]);
    const double size = size_x > size_y ? size_x : size_y;
    for (int bin = 3; bin < EP_BINS && size >= bin; bin++) high[bin]++;
  }
}

/* Adds the deviates f times the first `count` points. */
static inline void add_deviates(const points *p, int count, const double *f, partial *sum) {
  partial s = *sum;
  for (int i = 0; i < count; i += LANES) {
    ep_vd largest = splat(0.0);
    for (int g = 0; g < MADE; g++) {
      const int at = i + g * EP_WIDTH;
      ep_vd x = load(p->x + at) * load(f + at), y = load(p->y + at) * load(f + at);
      ep_vd size_x = absolute(x), size_y = absolute(y), size = ep_max(size_x, size_y);
      s.x[g] += x;
      s.y[g] += y;
      s.abs_x[g] += size_x;
      s.abs_y[g] += size_y;
      s.one[g] = ep_count(s.one[g], size, splat(1.0));
      s.two[g] = ep_count(s.two[g], size, splat(2.0));
      largest = ep_max(largest, size);
    }
    if (__builtin_expect(ep_any(largest, splat(3.0)), 0))
      count_high(sum->high, p->x + i, p->y + i, f + i);
  }
  memcpy(s.high, sum->high, sizeof s.high);
  *sum = s;
}

/* The first `count` points, a multiple of LANES. */
static void add_points(const points *p, int count, partial *sum) {
  double t[BLOCK + FLIGHT], f[BLOCK + FLIGHT];
  divide(p, count, t, f);
  stretch(t, count, f);
  add_deviates(p, count, f, sum);
}

/* Fills the last vector with points on the circle, whose deviates are zero, and says how many. */
static int pad(points *p) {
  int pads = 0;
  for (; p->count % LANES; pads++, p->count++) {
    p->x[p->count] = 1.0;
    p->y[p->count] = 0.0;
  }
  return pads;
}

static double add_lanes(const ep_vd *v) {
  double sum = 0.0;
  for (int i = 0; i < LANES; i++) sum += v[i / EP_WIDTH][i % EP_WIDTH];
  return sum;
}

static uint64_t count_lanes(const ep_vi *v) {
  uint64_t sum = 0;
  for (int i = 0; i < LANES; i++) sum += (uint64_t)v[i / EP_WIDTH][i % EP_WIDTH];
  return sum;
}

static void finish(const partial *s, uint64_t taken, ep_sums *sums) {
  uint64_t at_least[EP_BINS + 1] = {taken, count_lanes(s->one), count_lanes(s->two)};
  memcpy(at_least + 3, s->high + 3, sizeof s->high - 3 * sizeof *s->high);
  sums->x = add_lanes(s->x);
  sums->y = add_lanes(s->y);
  sums->abs_x = add_lanes(s->abs_x);
  sums->abs_y = add_lanes(s->abs_y);
  for (int i = 0; i < EP_BINS; i++) sums->count[i] = at_least[i] - at_least[i + 1];
}

static void chunk(uint64_t state, uint64_t pairs, ep_sums *sums) {
  stream s = begin(state);
  points p = {.count = 0};
  partial sum;
  memset(&sum, 0, sizeof sum);
  uint64_t taken = 0;
  for (uint64_t done = 0; done < pairs; done += BLOCK) {
    draw(&s, &p);
    const int whole = p.count / LANES * LANES;
    add_points(&p, whole, &sum);
    taken += (uint64_t)whole;
    p.count -= whole;
    memcpy(p.x, p.x + whole, LANES * sizeof *p.x);
    memcpy(p.y, p.y + whole, LANES * sizeof *p.y);
  }
  taken += (uint64_t)p.count;
  pad(&p);
  add_points(&p, p.count, &sum);
  finish(&sum, taken, sums);
}

#define EP_TEXT_(x) #x
#define EP_TEXT(x)  EP_TEXT_(x)

const ep_cpu_kernel EP_JOIN(ep_cpu_, EP_ISA) = {EP_TEXT(EP_ISA), chunk};
