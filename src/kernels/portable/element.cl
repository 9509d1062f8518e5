/* One element type for a kernel that serves all six. Needs prelude.cl and -DQN_T=<qn_dtype>:
 *
 *   QN_T            0 f16   1 bf16   2 f32   3 f64   4 c64     5 c128
 *   elem  in memory qn_u16  qn_u16   float   double  float2    double2
 *   acc   computing float   float    float   double  float2    double2
 *   real  its parts float   float    float   double  float     double
 *   QN_IS_COMPLEX   0       0        0       0       1         1
 *
 * acc_load(e) and acc_store(x) convert; acc_make(re, im) drops im where there is none;
 * acc_fma(a, b, c) is a b + c, acc_fnma(a, b, c) is c - a b, acc_mul a b, acc_add, acc_sub, acc_conj,
 * acc_div a / b (as the reference divides: by the larger part first), acc_zero(), acc_is_zero(z).
 * The halves need halves.cl too. */

#if QN_T == 0 || QN_T == 1
typedef qn_u16 elem;
#elif QN_T == 2
typedef float elem;
#elif QN_T == 3
typedef double elem;
#elif QN_T == 4
typedef float2 elem;
#elif QN_T == 5
typedef double2 elem;
#else
#error QN_T must be the number of a dtype
#endif

#if QN_T == 3 || QN_T == 5
typedef double real;
#define QN_REAL_FMA(a, b, c) QN_FMA64(a, b, c)
#else
typedef float real;
#define QN_REAL_FMA(a, b, c) QN_FMAF(a, b, c)
#endif

#if QN_T >= 4

#define QN_IS_COMPLEX 1
typedef elem acc;
#if QN_T == 4
#define acc_make(re, im) QN_F32X2(re, im)
#else
#define acc_make(re, im) QN_F64X2(re, im)
#endif
#define acc_load(e)  (e)
#define acc_store(x) (x)

QN_DEV acc acc_add(acc a, acc b) {
  return acc_make(a.x + b.x, a.y + b.y);
}
QN_DEV acc acc_sub(acc a, acc b) {
  return acc_make(a.x - b.x, a.y - b.y);
}
QN_DEV acc acc_fma(acc a, acc b, acc c) {
  real re = QN_REAL_FMA(a.x, b.x, c.x), im = QN_REAL_FMA(a.x, b.y, c.y);
  return acc_make(QN_REAL_FMA(-a.y, b.y, re), QN_REAL_FMA(a.y, b.x, im));
}
QN_DEV acc acc_fnma(acc a, acc b, acc c) {
  return acc_fma(acc_make(-a.x, -a.y), b, c);
}
QN_DEV acc acc_mul(acc a, acc b) {
  return acc_make(QN_REAL_FMA(a.x, b.x, -a.y * b.y), QN_REAL_FMA(a.x, b.y, a.y * b.x));
}
QN_DEV acc acc_conj(acc a) {
  return acc_make(a.x, -a.y);
}
QN_DEV acc acc_div(acc a, acc b) {
  real big = b.x, small = b.y, sign = 1;
  real p = a.x, q = a.y;
  if (fabs(b.y) > fabs(b.x)) {
    big = b.y, small = b.x, sign = -1;
    p = a.y, q = a.x;
  }
  real ratio = small / big, below = QN_REAL_FMA(small, ratio, big);
  real re = QN_REAL_FMA(q, ratio, p) / below, im = sign * QN_REAL_FMA(-p, ratio, q) / below;
  return acc_make(re, im);
}

#else

#define QN_IS_COMPLEX 0
typedef real acc;
#define acc_make(re, im) ((acc)(re))
#if QN_T == 0
#define acc_load(e)  qn_f16_to_f32(e)
#define acc_store(x) qn_f32_to_f16(x)
#elif QN_T == 1
#define acc_load(e)  qn_bf16_to_f32(e)
#define acc_store(x) qn_f32_to_bf16(x)
#else
#define acc_load(e)  (e)
#define acc_store(x) (x)
#endif
#define acc_add(a, b)    ((a) + (b))
#define acc_sub(a, b)    ((a) - (b))
#define acc_fma(a, b, c) QN_REAL_FMA(a, b, c)
#define acc_fnma(a, b, c) QN_REAL_FMA(-(a), b, c)
#define acc_mul(a, b)    ((a) * (b))
#define acc_conj(a)      (a)
#define acc_div(a, b)    ((a) / (b))

#endif

#define acc_zero() acc_make((real)0, (real)0)
#if QN_IS_COMPLEX
#define acc_is_zero(z) ((z).x == 0 && (z).y == 0)
#else
#define acc_is_zero(z) ((z) == 0)
#endif
