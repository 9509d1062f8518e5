/* A program over strips of one real type: each operation runs over all of a strip before the next.
 * Included by epi_isa_template.h after epi_math_template.h. */

QN_INLINE ON(vec) ON(get)(const REAL *p) {
  return *(const ON(vecu) *)p;
}

/* 1 where the comparison holds, else 0. */
QN_INLINE ON(vec) ON(truth)(ON(ivec) mask) {
  return (ON(vec))(mask & (ON(ivec))ON(all)(1));
}
QN_INLINE ON(vec) ON(min)(ON(vec) a, ON(vec) b) {
  return ON(pick)((a < b) | ON(is_nan)(a), a, b);
}
QN_INLINE ON(vec) ON(max)(ON(vec) a, ON(vec) b) {
  return ON(pick)((a > b) | ON(is_nan)(a), a, b);
}
/* Below -1000 the next three are zero, which their formulas would not make of -Inf. */
QN_INLINE ON(vec) ON(above)(ON(vec) x) {
  return ON(pick)(x < -1000, ON(all)(-1000), x);
}
QN_INLINE ON(vec) ON(silu)(ON(vec) x) {
  x = ON(above)(x);
  return x / (1 + ON(exp)(-x));
}
QN_INLINE ON(vec) ON(gelu)(ON(vec) x) {
  x = ON(above)(x);
  return (REAL)0.5 * x * (1 + ON(erf)(x * (REAL)0.70710678118654752440));
}
QN_INLINE ON(vec) ON(gelu_tanh)(ON(vec) x) {
  x = ON(above)(x);
  ON(vec) cubic = x + (REAL)0.044715 * x * x * x;
  return (REAL)0.5 * x * (1 + ON(tanh)((REAL)0.79788456080286535588 * cubic));
}

#define QN_STRIP(name, value)                                                                      \
  case QN_EPI_##name:                                                                              \
    for (int64_t i = 0; i < n; i += LANES) {                                                       \
      const ON(vec) a = ON(get)(x + i);                                                            \
      *(ON(vecu) *)(to + i) = (value);                                                             \
    }                                                                                              \
    break;
#define b ON(get)(y + i)
#define c ON(get)(z + i)

static void ON(strip)(const qn_epilogue_program *program, void *const *slot, int64_t n,
                      void *result) {
  const ON(vec) zero = {0};
  for (unsigned o = 0; o < program->ops; o++) {
    const qn_epilogue_op *op = &program->op[o];
    const REAL *x = slot[op->source[0]], *y = slot[op->source[1]], *z = slot[op->source[2]];
    REAL *to = o + 1 == program->ops ? result : slot[op->target];
    switch (op->code) {
      QN_STRIP(copy, a)
      QN_STRIP(add, a + b)
      QN_STRIP(sub, a - b)
      QN_STRIP(mul, a * b)
      QN_STRIP(div, a / b)
      QN_STRIP(neg, -a)
      QN_STRIP(lt, ON(truth)(a < b))
      QN_STRIP(le, ON(truth)(a <= b))
      QN_STRIP(gt, ON(truth)(a > b))
      QN_STRIP(ge, ON(truth)(a >= b))
      QN_STRIP(eq, ON(truth)(a == b))
      QN_STRIP(ne, ON(truth)(a != b))
      QN_STRIP(select, ON(pick)(a != zero, b, c))
      QN_STRIP(min, ON(min)(a, b))
      QN_STRIP(max, ON(max)(a, b))
      QN_STRIP(abs, ON(abs)(a))
      QN_STRIP(exp, ON(exp)(a))
      QN_STRIP(log, ON(log)(a))
      QN_STRIP(tanh, ON(tanh)(a))
      QN_STRIP(erf, ON(erf)(a))
      QN_STRIP(relu, ON(pick)(a < zero, zero, a))
      QN_STRIP(gelu, ON(gelu)(a))
      QN_STRIP(gelu_tanh, ON(gelu_tanh)(a))
      QN_STRIP(silu, ON(silu)(a))
      QN_STRIP(sigmoid, 1 / (1 + ON(exp)(-a)))
      QN_STRIP(clamp, ON(min)(ON(max)(a, b), c))
    case QN_EPI_sqrt:
      for (int64_t i = 0; i < n; i++) to[i] = REAL_SQRT(x[i]);
      break;
    default:
      break;
    }
  }
}
#undef QN_STRIP
#undef b
#undef c
