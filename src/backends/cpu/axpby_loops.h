/* y := alpha x + beta y over n elements, for one element type; scalar_real.h or scalar_complex.h
 * gives the arithmetic. x may be y. */
static void NAME(axpby)(int64_t n, const qn_cpu_axpby *p, const void *xs, void *ys) {
  const NAME(num) alpha = NAME(from)(p->alpha), beta = NAME(from)(p->beta);
  const NAME(num) *x = xs;
  NAME(num) *y = ys;
  const bool use_x = !is_zero(p->alpha), use_y = !is_zero(p->beta);
  if (use_x && use_y) {
    for (int64_t i = 0; i < n; i++) y[i] = NAME(add)(NAME(mul)(alpha, x[i]), NAME(mul)(beta, y[i]));
  } else if (use_x) {
    for (int64_t i = 0; i < n; i++) y[i] = NAME(mul)(alpha, x[i]);
  } else if (use_y) {
    for (int64_t i = 0; i < n; i++) y[i] = NAME(mul)(beta, y[i]);
  } else {
    memset(ys, 0, (size_t)n * sizeof *y);
  }
}
