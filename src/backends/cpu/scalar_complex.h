/* The arithmetic of one complex element type; scalar_real.h has the same words. REAL is defined. */
typedef struct NAME(num) {
  REAL re, im;
} NAME(num);

static inline NAME(num) NAME(from)(qn_scalar s) {
  return (NAME(num)){(REAL)s.re, (REAL)s.im};
}
static inline NAME(num) NAME(conj)(NAME(num) x) {
  return (NAME(num)){x.re, -x.im};
}
static inline NAME(num) NAME(mul)(NAME(num) x, NAME(num) y) {
  return (NAME(num)){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
static inline NAME(num) NAME(add)(NAME(num) x, NAME(num) y) {
  return (NAME(num)){x.re + y.re, x.im + y.im};
}
static inline NAME(num) NAME(sub)(NAME(num) x, NAME(num) y) {
  return (NAME(num)){x.re - y.re, x.im - y.im};
}

/* Smith's quotient: scales by the larger part of y, so that |y|^2 is never formed. */
static inline NAME(num) NAME(div)(NAME(num) x, NAME(num) y) {
  bool swap = (y.re < 0 ? -y.re : y.re) < (y.im < 0 ? -y.im : y.im);
  REAL big = swap ? y.im : y.re, small = swap ? y.re : y.im;
  REAL ratio = small / big, scale = big + small * ratio;
  if (swap) return (NAME(num)){(x.re * ratio + x.im) / scale, (x.im * ratio - x.re) / scale};
  return (NAME(num)){(x.re + x.im * ratio) / scale, (x.im - x.re * ratio) / scale};
}
