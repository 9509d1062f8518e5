/* The operations of epilogues, which the text of an expression calls one by one. Needs element.cl.
 *
 * NaN travels: a comparison with it is false, so each of these gives it back. Complex numbers have
 * what stands before the functions. */

/* Of pointers that functions pass on. OpenCL's compilers mark where such a promise begins, by an
 * instruction that simulators of devices do not know. */
#ifdef __OPENCL_VERSION__
#define EPI_RESTRICT
#else
#define EPI_RESTRICT QN_RESTRICT
#endif

#define epi_copy(a)         (a)
#define epi_add(a, b)       acc_add(a, b)
#define epi_sub(a, b)       acc_sub(a, b)
#define epi_mul(a, b)       acc_mul(a, b)
#define epi_div(a, b)       acc_div(a, b)
#define epi_neg(a)          acc_sub(acc_make((real)-0.0f, (real)-0.0f), a)
#define epi_truth(a)        acc_make((real)((a) ? 1 : 0), (real)0)
#define epi_select(a, b, c) (acc_is_zero(a) ? (c) : (b))

/* A number by its bits, as f32 and as f64: exact, and of no locale. */
#if QN_T == 3 || QN_T == 5
#define epi_number(f32, f64) acc_make(QN_F64_OF_BITS(f64), 0.0)
#define EPI_REAL(x)          (x)
#else
#define epi_number(f32, f64) acc_make(QN_F32_OF_BITS(f32), 0.0f)
#define EPI_REAL(x)          (x##f)
#endif

#if QN_IS_COMPLEX

#define epi_eq(a, b) epi_truth((a).x == (b).x && (a).y == (b).y)
#define epi_ne(a, b) epi_truth((a).x != (b).x || (a).y != (b).y)
#define epi_abs(a)   acc_make(hypot((a).x, (a).y), (real)0)

#else

#define epi_eq(a, b)  epi_truth((a) == (b))
#define epi_ne(a, b)  epi_truth((a) != (b))
#define epi_lt(a, b)  epi_truth((a) < (b))
#define epi_le(a, b)  epi_truth((a) <= (b))
#define epi_gt(a, b)  epi_truth((a) > (b))
#define epi_ge(a, b)  epi_truth((a) >= (b))
#define epi_min(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define epi_max(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define epi_abs(a)    fabs(a)
#define epi_exp(a)    exp(a)
#define epi_log(a)    log(a)
#define epi_tanh(a)   tanh(a)
#define epi_erf(a)    erf(a)
#define epi_sqrt(a)   sqrt(a)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && QN_T != 3
QN_DEV acc epi_relu(acc a) { /* one instruction that lets NaN through */
  acc r;
  asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(r) : "f"(a));
  return r;
}
#else
#define epi_relu(a) ((a) < 0 ? (acc)0 : (a))
#endif

QN_DEV acc epi_clamp(acc a, acc low, acc high) {
  const acc above = epi_max(a, low);
  return epi_min(above, high);
}
QN_DEV acc epi_sigmoid(acc a) {
  return 1 / (1 + exp(-a));
}
/* Below -1000 the next three are zero, which their formulas would not make of -Inf. */
QN_DEV acc epi_above(acc a) {
  return a < -1000 ? (acc)-1000 : a;
}
QN_DEV acc epi_silu(acc a) {
  a = epi_above(a);
  return a / (1 + exp(-a));
}
#if defined(__CUDA_ARCH__) && QN_T != 3
/* gelu(x) = relu(x) - t p, t = |x|, p = Phi(-t), the normal distribution's tail: no cancellation
 * and no branch. log2 p is a polynomial: beside halves of five terms, whose error in p is 3e-7,
 * else of eight, 6e-8. gelu_tanh is the same with 1 / (1 + e^2y) for p. Beyond what t is held to p
 * is 0. */
QN_DEV float epi_exp2(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
QN_DEV float epi_over(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
QN_DEV float epi_log2_tail(float t) {
#if QN_T <= 1
  float q = -5.204489e-4f;
  q = fmaf(q, t, 7.397466e-3f);
  q = fmaf(q, t, -5.2561168e-2f);
  q = fmaf(q, t, -0.4592547f);
  q = fmaf(q, t, -1.1510913f);
#else
  float q = -4.6244156e-7f;
  q = fmaf(q, t, 1.05765785e-5f);
  q = fmaf(q, t, -5.17705e-5f);
  q = fmaf(q, t, -4.4596946e-4f);
  q = fmaf(q, t, 7.4346703e-3f);
  q = fmaf(q, t, -5.2722752e-2f);
  q = fmaf(q, t, -0.45914602f);
  q = fmaf(q, t, -1.1511106f);
#endif
  return fmaf(q, t, -1.0f);
}
QN_DEV acc epi_gelu(acc a) {
  const float t = fminf(fabsf(a), 13.5f);
  return fmaf(-t, epi_exp2(epi_log2_tail(t)), epi_relu(a));
}
QN_DEV acc epi_gelu_tanh(acc a) {
  const float t = fminf(fabsf(a), 11.0f), log2_e_2y = t * fmaf(0.10294324f, t * t, 2.3022082f);
  return fmaf(-t, epi_over(1.0f + epi_exp2(log2_e_2y)), epi_relu(a));
}
#else
QN_DEV acc epi_gelu(acc a) {
  a = epi_above(a);
  return EPI_REAL(0.5) * a * (1 + erf(EPI_REAL(0.70710678118654752440) * a));
}
QN_DEV acc epi_gelu_tanh(acc a) {
  a = epi_above(a);
  const acc cubic = a + EPI_REAL(0.044715) * a * a * a;
  return EPI_REAL(0.5) * a * (1 + tanh(EPI_REAL(0.79788456080286535588) * cubic));
}
#endif

#endif
