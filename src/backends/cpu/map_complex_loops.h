/* y := f(x) over n complex elements, for one type, and those maps that complex types have. x may be
 * y. */
static NAME(num) NAME(mapped)(qn_map map, NAME(num) z) {
  switch (map) {
  case QN_MAP_NEGATE:
    return (NAME(num)){-z.re, -z.im};
  case QN_MAP_CONJUGATE:
    return NAME(conj)(z);
  case QN_MAP_ABS:
    return (NAME(num)){hypot(z.re, z.im), 0};
  case QN_MAP_SQUARE:
    return NAME(mul)(z, z);
  default:
    return NAME(div)((NAME(num)){1, 0}, z);
  }
}

static void NAME(map)(qn_map map, int64_t n, const NAME(num) * x, NAME(num) * y) {
  for (int64_t i = 0; i < n; i++) y[i] = NAME(mapped)(map, x[i]);
}
