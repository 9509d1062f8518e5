/* y := f(x) over n real elements, for one type; the functions are tgmath's. x may be y. */
static void NAME(map)(qn_map map, int64_t n, const REAL *x, REAL *y) {
#define EACH(value)                                                                                \
  for (int64_t i = 0; i < n; i++) y[i] = (value);                                                  \
  break
  switch (map) {
  case QN_MAP_NEGATE:
    EACH(-x[i]);
  case QN_MAP_CONJUGATE:
    EACH(x[i]);
  case QN_MAP_ABS:
    EACH(fabs(x[i]));
  case QN_MAP_SQUARE:
    EACH(x[i] * x[i]);
  case QN_MAP_RECIPROCAL:
    EACH(1 / x[i]);
  case QN_MAP_SQRT:
    EACH(sqrt(x[i]));
  case QN_MAP_EXP:
    EACH(exp(x[i]));
  case QN_MAP_LOG:
    EACH(log(x[i]));
  case QN_MAP_TANH:
    EACH(tanh(x[i]));
  case QN_MAP_RELU:
    EACH(x[i] < 0 ? 0 : x[i]); /* a NaN stays */
  }
#undef EACH
}
