/* The random stream of quern/rng.h: uniforms and normals, column by column over a view.
 *
 * Bit for bit what the cpu makes: the same operations in the same order, none of them fused. State
 * x is kept as x << 18, so that a product cut to 64 bits is the product mod 2^46.
 *
 * Macros: QN_T (2 f32, 3 f64: of the output; arithmetic is f64), ITEMS (a power of two). */
#include "portable/prelude.cl"

#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT OFF
#define MUL(a, b) ((a) * (b))
#else
#define MUL(a, b) __dmul_rn(a, b) /* never fused */
#endif

#if QN_T == 2
typedef float elem;
#else
typedef double elem;
#endif

#define MULTIPLIER ((qn_u64)1220703125)
#define ONE        ((qn_u64)0x3ff0000000000000)
#define BLOCK      1024 /* normals, made of the first PAIRS accepted pairs */
#define PAIRS      512
#define SPAN       2048 /* numbers set aside for a block */

QN_DEV qn_u64 power(qn_u64 a, qn_u64 n) {
  qn_u64 p = 1;
  for (; n != 0; n >>= 1, a *= a)
    if (n & 1) p *= a;
  return p;
}

/* 1 + u, exact. */
QN_DEV double one_plus_u(qn_u64 x) {
  return QN_F64_OF_BITS((x >> 12) | ONE);
}

/* Where number i of the view's column-major order stands. */
QN_DEV qn_i64 place(qn_i64 i, qn_i64 rows, qn_i64 ld) {
  return i < rows ? i : i % rows + i / rows * ld;
}

/* Item i of T makes numbers i, i + T, i + 2 T ...; stride is a^T. */
QN_KERNEL QN_WG_SIZE(ITEMS, 1, 1) void
uniform_fill(qn_u64 state, qn_u64 stride, qn_i64 count, qn_i64 rows, QN_GLOBAL elem *out,
             qn_i64 off, qn_i64 ld) {
  const qn_i64 all = (qn_i64)QN_NWG(0) * ITEMS;
  qn_i64 i = (qn_i64)QN_WGID(0) * ITEMS + QN_LID(0);
  qn_u64 x = (state << 18) * power(MULTIPLIER, (qn_u64)i + 1);
  for (; i < count; i += all, x *= stride) {
    double u = one_plus_u(x) - 1.0;
#if QN_T == 2
    u = QN_F64_OF_BITS(QN_BITS_OF_F64(u) >> 29 << 29); /* toward zero: never 1 */
#endif
    out[off + place(i, rows, ld)] = (elem)u;
  }
}

/* As the cpu's vector_log (backends/cpu/rng_kernel.h), which tells how it works. */
QN_DEV double unit_log(double v) {
  const qn_u64 root = (qn_u64)0x3fe6a09e667f3bcd, fraction = ((qn_u64)1 << 52) - 1;
  qn_u64 w = QN_BITS_OF_F64(v) + (ONE - root);
  double f = QN_F64_OF_BITS((w & fraction) + root) - 1.0;
  double k = (double)((qn_i32)(w >> 52) - 1023);
  double s = f / (2.0 + f), z = MUL(s, s);
  double q = 0x1.2f0561aba3e97p-3;
  q = MUL(q, z) + 0x1.39a1bae377b51p-3;
  q = MUL(q, z) + 0x1.74663ee6dcc76p-3;
  q = MUL(q, z) + 0x1.c71c520963d08p-3;
  q = MUL(q, z) + 0x1.24924941f11e3p-2;
  q = MUL(q, z) + 0x1.999999997fdb8p-2;
  q = MUL(q, z) + 0x1.5555555555592p-1;
  double h = MUL(MUL(0.5, f), f);
  double low = MUL(s, h + MUL(z, q)) + MUL(k, 0x1.a39ef35793c76p-33);
  return MUL(k, 0x1.62e42feep-1) - ((h - low) - f);
}

/* Sums of flags over items 0..lid, by doubling distances. All of `sums` can be read afterwards. */
QN_DEV int scan(QN_LOCAL_PTR int *sums, int lid, int flag) {
  sums[lid] = flag;
  QN_BARRIER();
  for (int d = 1; d < ITEMS; d *= 2) {
    int before = lid >= d ? sums[lid - d] : 0;
    QN_BARRIER();
    sums[lid] += before;
    QN_BARRIER();
  }
  return sums[lid];
}

/* A group makes whole blocks, group g the blocks g, g + G, g + 2 G ...; stride is a^(SPAN G). In each
 * round every item has one pair; a scan over those accepted gives each its place in the block. */
QN_KERNEL QN_WG_SIZE(ITEMS, 1, 1) void
normal_fill(qn_u64 state, qn_u64 stride, qn_i64 count, qn_i64 rows, QN_GLOBAL elem *out, qn_i64 off,
            qn_i64 ld) {
  QN_LOCAL_VAR int sums[ITEMS];
  const int lid = QN_LID(0);
  const qn_u64 mine = power(MULTIPLIER, 2 * (qn_u64)lid + 1);
  const qn_u64 round = power(MULTIPLIER, 2 * ITEMS);
  const qn_i64 blocks = (count + BLOCK - 1) / BLOCK;
  qn_u64 start = (state << 18) * power(MULTIPLIER, (qn_u64)QN_WGID(0) * SPAN);
  for (qn_i64 b = QN_WGID(0); b < blocks; b += QN_NWG(0), start *= stride) {
    qn_u64 x = start * mine;
    int accepted = 0;
    while (accepted < PAIRS) {
      double u = 2.0 * one_plus_u(x) - 3.0, v = 2.0 * one_plus_u(x * MULTIPLIER) - 3.0; /* exact */
      double t = MUL(u, u) + MUL(v, v);
      x *= round;
      int index = accepted + scan(sums, lid, t <= 1.0) - 1;
      accepted += sums[ITEMS - 1];
      QN_BARRIER();
      if (t <= 1.0 && index < PAIRS) {
        double factor = sqrt(MUL(-2.0, unit_log(t)) / t);
        qn_i64 i = b * BLOCK + 2 * index;
        if (i < count) out[off + place(i, rows, ld)] = (elem)MUL(u, factor);
        if (i + 1 < count) out[off + place(i + 1, rows, ld)] = (elem)MUL(v, factor);
      }
    }
  }
}
