/* EP without arrays: a run of pairs an item, sums and counts in registers, group sums in a fixed
 * order.
 *
 * Needs the words of the portable prelude. Macros: EP_NVIDIA, 1 where inline PTX is understood.
 *
 *   item      `pairs` pairs in the order of the stream
 *   group     EP_GROUP items: a line of EP_LINE doubles (ep_pairs)
 *   row       the groups of 1/256 of the problem: a line too (ep_rows)
 *
 * Rejected points are carried along with f = 0: no branch, nothing passed between items.
 *
 * s = -2 ln t by a table over the leading bits of t, 64 intervals an octave: with c in the middle
 * of an interval, w = 1 / c rounded and r = t w - 1, exact in one fused step and below 2^-7,
 *
 *   s = 2 ln w + r P(r)
 *   P(r) = -2 ln(1 + r) / r = -2 + r - 2/3 r^2 + 1/2 r^3 - 2/5 r^4 + 1/3 r^5 - ...
 *
 * The table goes down to 2^-EP_OCTAVES; smaller t, 1 in 80 000, take a branch. Its last octave is
 * that of the rejected points: with w = 0 and P(-1) in the place of 2 ln w, s is 0 there.
 *
 * f = sqrt(s / t) without division or root: y near 1 / sqrt(s t) from the hardware, to 20 bits;
 * with g = s y and h = (1 - s t y^2) / 2, f = g (1 + h + 3/2 h^2) to 2^-59. At s = 0 all of this
 * is 0, for s t + 2^-120 is rooted instead. */

#define EP_LINE   16 /* 14 used: sums of X, Y, |X|, |Y|, then the ten counts */
#define EP_USED   14
#define EP_PARTS  16 /* runs in which a sum of many is cut */
#define EP_GROUP  256
#define EP_AT_ONCE 4 /* pairs of one turn of the loop; `pairs` is a multiple */
#define EP_STEPS  64 /* intervals an octave */
#define EP_OCTAVES 16
#define EP_TABLE  ((EP_OCTAVES + 1) * EP_STEPS)
#define EP_FIRST  ((1023 - EP_OCTAVES) * EP_STEPS)
#define EP_HALF   (EP_USED / 2)

#define EP_ONE   0x3ff00000u /* upper words of 1.0, 2.0, 3.0 */
#define EP_TWO   0x40000000u
#define EP_THREE 0x40080000u

#define EP_FIFTH (-0x1.99999p-2)
#define EP_SIXTH 0x1.55555p-2

QN_DEV qn_u32 ep_upper(double v) {
  return (qn_u32)(QN_BITS_OF_F64(v) >> 32);
}

QN_DEV double ep_root_start(double u) {
#if EP_NVIDIA
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(u));
  return y;
#elif defined(__OPENCL_VERSION__)
  return (double)native_rsqrt((float)u);
#else
  return (double)rsqrtf((float)u);
#endif
}

/* ---- the generator, on x << 6: its low 52 bits are the fraction of 1 + x / 2^46 ---- */

#define EP_MULTIPLIER 1220703125u

/* The upper and the lower word: a 32-bit multiplier needs two products. */
typedef struct ep_state {
  qn_u32 upper, lower;
} ep_state;

/* The next coordinate 2 u - 1: x << 6 is also the fraction of 2 + 2 u. */
QN_DEV double ep_next(ep_state *x) {
  const qn_u64 product = (qn_u64)x->lower * EP_MULTIPLIER;
  x->upper = x->upper * EP_MULTIPLIER + (qn_u32)(product >> 32);
  x->lower = (qn_u32)product;
  const qn_u32 upper = (x->upper & 0xfffffu) | 0x40000000u;
  return QN_F64_OF_BITS((qn_u64)upper << 32 | x->lower) - 3.0;
}

QN_DEV qn_u64 ep_jump(qn_u64 x, qn_u64 step, qn_u32 count) {
  for (; count; count >>= 1, step *= step)
    if (count & 1u) x *= step;
  return x;
}

/* ---- deviates ---- */

/* c = {w, 2 ln w} of the interval of t. The last two coefficients are cut to their upper words,
 * which an instruction holds; it changes s by 2^-52 at most. */
QN_DEV double ep_log(double t, double2 c) {
  const double r = QN_FMA64(t, c.x, -1.0);
  double p = QN_FMA64(EP_SIXTH, r, EP_FIFTH);
  p = QN_FMA64(p, r, 0.5);
  p = QN_FMA64(p, r, -2.0 / 3.0);
  p = QN_FMA64(p, r, 1.0);
  p = QN_FMA64(p, r, -2.0);
  return QN_FMA64(p, r, c.y);
}

QN_DEV int ep_place(double t) {
  return (int)(ep_upper(t) >> 14) - EP_FIRST;
}

QN_DEV double ep_log_tiny(double t, QN_LOCAL_PTR const double2 *table) {
  double more = 0.0;
  for (; ep_place(t) < 0; t *= 65536.0) more += 22.180709777918249; /* 32 ln 2 */
  return ep_log(t, table[ep_place(t)]) + more;
}

QN_DEV double ep_factor(double t, double s) {
  const double y = ep_root_start(QN_FMA64(s, t, 0x1p-120)), g = s * y;
  const double h = QN_FMA64(g, t * (-0.5 * y), 0.5);
  return QN_FMA64(QN_FMA64(1.5 * h, h, h), g, g);
}

/* What an item adds up. `high` has 9 bits for each size from 3 on. */
typedef struct ep_item {
  double x, y, abs_x, abs_y;
  qn_u32 taken, one, two;
  qn_u64 high;
} ep_item;

/* 1 if a < b, for a and b below 2^31. */
QN_DEV qn_u32 ep_below(qn_u32 a, qn_u32 b) {
  return (a - b) >> 31;
}

/* The upper word of max(|x|, |y|): upper words order as the doubles do, and as floats, whose larger
 * size is one instruction of NVIDIA's. */
QN_DEV qn_u32 ep_size(double x, double y) {
  const qn_u32 upper_x = ep_upper(x), upper_y = ep_upper(y);
#if EP_NVIDIA
  return QN_BITS_OF_F32(fmax(fabs(QN_F32_OF_BITS(upper_x)), fabs(QN_F32_OF_BITS(upper_y))));
#else
  return QN_MAX(upper_x & 0x7fffffffu, upper_y & 0x7fffffffu);
#endif
}

/* Points with t = 1 to the last bit, one in 10^16, go as rejected. */
QN_DEV void ep_pair(double x, double y, QN_LOCAL_PTR const double2 *table, ep_item *sum) {
  const double t = QN_FMA64(x, x, y * y);
  const int place = ep_place(t);
  double f = ep_factor(t, ep_log(t, table[QN_MAX(place, 0)]));
  double dx = x * f, dy = y * f;
  qn_u32 size = ep_size(dx, dy);
  sum->taken += ep_below(ep_upper(t), EP_ONE);
  sum->one += ep_below(EP_ONE - 1, size); /* the lower words of 1.0, 2.0, 3.0 are 0 */
  sum->two += ep_below(EP_TWO - 1, size);
  if (size >= EP_THREE) {
    if (place < 0) { /* such t give a size of 3.3 at least, rightly and by the wrong interval */
      f = ep_factor(t, ep_log_tiny(t, table));
      dx = x * f;
      dy = y * f;
      size = ep_size(dx, dy);
    }
    const int bin = (int)QN_F64_OF_BITS((qn_u64)size << 32) - 3;
    sum->high += (qn_u64)1 << 9 * QN_MIN(bin, 6);
  }
  sum->x += dx;
  sum->y += dy;
  sum->abs_x += fabs(dx);
  sum->abs_y += fabs(dy);
}

QN_DEV double ep_word(const ep_item *sum, int word) {
  const qn_u32 high = (qn_u32)(sum->high >> 9 * QN_MAX(word - 7, 0)) & 511u;
  switch (word) {
  case 0: return sum->x;
  case 1: return sum->y;
  case 2: return sum->abs_x;
  case 3: return sum->abs_y;
  case 4: return (double)(sum->taken - sum->one);
  case 5: return (double)(sum->one - sum->two);
  case 6: {
    qn_u32 above = 0;
    for (int bin = 0; bin < 7; bin++) above += (qn_u32)(sum->high >> 9 * bin) & 511u;
    return (double)(sum->two - above);
  }
  default: return (double)high;
  }
}

/* Sums of `words` quantities, EP_GROUP values each in `values`, in a fixed order:
 *
 *   values[word][0 .. 255]  ->  16 runs of 16, one an item  ->  1 */
QN_DEV void ep_add_group(QN_LOCAL_PTR double *values, int words, QN_GLOBAL double *line) {
  const int item = QN_LID(0), run = EP_GROUP / EP_PARTS;
  double sum = 0.0;
  QN_BARRIER();
  if (item < words * EP_PARTS)
    for (int i = 0; i < run; i++) sum += values[item * run + i];
  QN_BARRIER();
  if (item < words * EP_PARTS) values[item] = sum;
  QN_BARRIER();
  if (item < words) {
    sum = 0.0;
    for (int i = 0; i < EP_PARTS; i++) sum += values[item * EP_PARTS + i];
    line[item] = sum;
  }
  QN_BARRIER();
}

/* Group g makes the pairs of items g * EP_GROUP + 0 ... 255, counted from the state `seed`; `step`
 * is a^(2 pairs). */
QN_KERNEL QN_WG_SIZE(EP_GROUP, 1, 1) void
ep_pairs(QN_GLOBAL const double2 *QN_RESTRICT logs, qn_i64 seed, qn_i64 step, int pairs,
         QN_GLOBAL double *QN_RESTRICT lines) {
  QN_LOCAL_VAR double2 table[EP_TABLE]; /* in the end it holds values to add up */
  const int item = QN_LID(0), group = QN_WGID(0);
  for (int i = item; i < EP_TABLE; i += EP_GROUP) table[i] = logs[i];
  QN_BARRIER();

  const qn_u64 start =
      ep_jump((qn_u64)seed << 6, (qn_u64)step, (qn_u32)group * EP_GROUP + (qn_u32)item);
  ep_state state = {(qn_u32)(start >> 32), (qn_u32)start};
  ep_item sum = {0.0, 0.0, 0.0, 0.0, 0u, 0u, 0u, 0u};
  for (int i = 0; i < pairs; i += EP_AT_ONCE) {
    QN_UNROLL
    for (int j = 0; j < EP_AT_ONCE; j++) {
      const double x = ep_next(&state), y = ep_next(&state);
      ep_pair(x, y, table, &sum);
    }
  }

  QN_LOCAL_PTR double *values = (QN_LOCAL_PTR double *)table;
  for (int part = 0; part < 2; part++) {
    QN_BARRIER();
    for (int word = 0; word < EP_HALF; word++)
      values[word * EP_GROUP + item] = ep_word(&sum, part * EP_HALF + word);
    ep_add_group(values, EP_HALF, lines + (qn_i64)group * EP_LINE + part * EP_HALF);
  }
}

/* Row first + g of `rows` is the sum of lines g * count ... (g + 1) * count - 1. */
QN_KERNEL QN_WG_SIZE(EP_GROUP, 1, 1) void
ep_rows(QN_GLOBAL const double *QN_RESTRICT lines, int count, int first,
        QN_GLOBAL double *QN_RESTRICT rows) {
  QN_LOCAL_VAR double parts[EP_PARTS][EP_LINE];
  const int word = QN_LID(0) % EP_LINE, part = QN_LID(0) / EP_LINE;
  const int from = count * part / EP_PARTS, to = count * (part + 1) / EP_PARTS;
  QN_GLOBAL const double *line = lines + (qn_i64)QN_WGID(0) * count * EP_LINE + word;
  double sum = 0.0;
  if (word < EP_USED)
    for (int i = from; i < to; i++) sum += line[(qn_i64)i * EP_LINE];
  parts[part][word] = sum;
  QN_BARRIER();
  if (part == 0) {
    sum = 0.0;
    for (int i = 0; i < EP_PARTS; i++) sum += parts[i][word];
    rows[(qn_i64)(first + QN_WGID(0)) * EP_LINE + word] = sum;
  }
}
