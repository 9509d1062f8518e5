/* The arithmetic of one real element type; scalar_complex.h has the same words. REAL is defined. */
typedef REAL NAME(num);

static inline NAME(num) NAME(from)(qn_scalar s) {
  return (REAL)s.re;
}
static inline NAME(num) NAME(conj)(NAME(num) x) {
  return x;
}
static inline NAME(num) NAME(mul)(NAME(num) x, NAME(num) y) {
  return x * y;
}
static inline NAME(num) NAME(add)(NAME(num) x, NAME(num) y) {
  return x + y;
}
static inline NAME(num) NAME(sub)(NAME(num) x, NAME(num) y) {
  return x - y;
}
static inline NAME(num) NAME(div)(NAME(num) x, NAME(num) y) {
  return x / y;
}
