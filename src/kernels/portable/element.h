/* The element type of a kernel and its arithmetic, chosen by one of QN_F32 QN_F64 QN_C64 QN_C128.
 *
 * elem  one element as it is stored and computed with; complex numbers are pairs, x + i y
 * part  the real type an element is made of
 * vec   16 bytes of elements, what one access to local memory moves; VW elements of it
 *
 * Follows the prelude. Halves are cast to f32 before they reach these kernels. */
#if defined(QN_F32)
typedef float elem, part;
typedef float4 vec;
#define VW 4
#elif defined(QN_F64)
typedef double elem, part;
typedef double2 vec;
#define VW 2
#elif defined(QN_C64)
typedef float part;
typedef float2 elem;
typedef float4 vec;
#define VW         2
#define QN_COMPLEX 1
#elif defined(QN_C128)
typedef double part;
typedef double2 elem;
typedef double2 vec;
#define VW         1
#define QN_COMPLEX 1
#endif

#ifdef QN_COMPLEX
#define ZERO(z)   ((z).x = 0, (z).y = 0)
#define IS_ZERO(z) ((z).x == 0 && (z).y == 0)
#define CONJ(z)   ((z).y = -(z).y)
/* acc += a b, acc -= a b */
#define MUL_ADD(acc, a, b)                                                                         \
  ((acc).x = QN_FMA((a).x, (b).x, (acc).x), (acc).x = QN_FMA(-(a).y, (b).y, (acc).x),              \
   (acc).y = QN_FMA((a).x, (b).y, (acc).y), (acc).y = QN_FMA((a).y, (b).x, (acc).y))
#define MUL_SUB(acc, a, b)                                                                         \
  ((acc).x = QN_FMA(-(a).x, (b).x, (acc).x), (acc).x = QN_FMA((a).y, (b).y, (acc).x),              \
   (acc).y = QN_FMA(-(a).x, (b).y, (acc).y), (acc).y = QN_FMA(-(a).y, (b).x, (acc).y))
#else
#define ZERO(z)            ((z) = 0)
#define IS_ZERO(z)         ((z) == 0)
#define CONJ(z)            ((void)0)
#define MUL_ADD(acc, a, b) ((acc) = QN_FMA((a), (b), (acc)))
#define MUL_SUB(acc, a, b) ((acc) = QN_FMA(-(a), (b), (acc)))
#endif

/* Spreads a vec over d[at], d[at + 1], ... */
#if VW == 4
#define UNVEC(d, at, v)                                                                            \
  do {                                                                                             \
    const vec v_ = (v);                                                                            \
    (d)[at] = v_.x, (d)[(at) + 1] = v_.y, (d)[(at) + 2] = v_.z, (d)[(at) + 3] = v_.w;              \
  } while (0)
#elif defined(QN_C64)
#define UNVEC(d, at, v)                                                                            \
  do {                                                                                             \
    const vec v_ = (v);                                                                            \
    (d)[at].x = v_.x, (d)[at].y = v_.y, (d)[(at) + 1].x = v_.z, (d)[(at) + 1].y = v_.w;            \
  } while (0)
#elif VW == 2
#define UNVEC(d, at, v)                                                                            \
  do {                                                                                             \
    const vec v_ = (v);                                                                            \
    (d)[at] = v_.x, (d)[(at) + 1] = v_.y;                                                          \
  } while (0)
#else
#define UNVEC(d, at, v) ((d)[at] = (v))
#endif

QN_DEV elem qn_mul(elem a, elem b) {
  elem c;
  ZERO(c);
  MUL_ADD(c, a, b);
  return c;
}

/* a / b; complex by Smith's scaling, so that no |b|^2 over- or underflows. */
QN_DEV elem qn_div(elem a, elem b) {
#ifdef QN_COMPLEX
  elem q;
  if (fabs(b.x) >= fabs(b.y)) {
    const part r = b.y / b.x, d = QN_FMA(b.y, r, b.x);
    q.x = QN_FMA(a.y, r, a.x) / d;
    q.y = QN_FMA(-a.x, r, a.y) / d;
  } else {
    const part r = b.x / b.y, d = QN_FMA(b.x, r, b.y);
    q.x = QN_FMA(a.x, r, a.y) / d;
    q.y = QN_FMA(a.y, r, -a.x) / d;
  }
  return q;
#else
  return a / b;
#endif
}
