/* A program over strips of one complex type. Included by epilogue_complex.c after scalar_complex.h.
 */

#define QN_STRIP(name, value)                                                                      \
  case QN_EPI_##name:                                                                              \
    for (int64_t i = 0; i < n; i++) to[i] = (value);                                               \
    break;
#define QN_TRUTH(test) ((NAME(num)){(test) ? 1 : 0, 0})
#define QN_EQUAL       (x[i].re == y[i].re && x[i].im == y[i].im)

void NAME(qn_strip)(const qn_epilogue_program *program, void *const *slot, int64_t n,
                    void *result) {
  for (unsigned o = 0; o < program->ops; o++) {
    const qn_epilogue_op *op = &program->op[o];
    const NAME(num) *x = slot[op->source[0]], *y = slot[op->source[1]], *z = slot[op->source[2]];
    NAME(num) *to = o + 1 == program->ops ? result : slot[op->target];
    switch (op->code) {
      QN_STRIP(copy, x[i])
      QN_STRIP(add, NAME(add)(x[i], y[i]))
      QN_STRIP(sub, NAME(sub)(x[i], y[i]))
      QN_STRIP(mul, NAME(mul)(x[i], y[i]))
      QN_STRIP(div, NAME(div)(x[i], y[i]))
      QN_STRIP(neg, ((NAME(num)){-x[i].re, -x[i].im}))
      QN_STRIP(eq, QN_TRUTH(QN_EQUAL))
      QN_STRIP(ne, QN_TRUTH(!QN_EQUAL))
      QN_STRIP(select, x[i].re != 0 || x[i].im != 0 ? y[i] : z[i])
      QN_STRIP(abs, ((NAME(num)){REAL_HYPOT(x[i].re, x[i].im), 0}))
    default: /* the rest has been refused */
      break;
    }
  }
}
#undef QN_STRIP
#undef QN_TRUTH
#undef QN_EQUAL
