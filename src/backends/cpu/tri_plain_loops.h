/* The loops of tri_plain.c for one element type; NAME and the words of scalar_*.h are defined. */
static void NAME(solve)(const qn_tri_form *f) {
  const NAME(num) *a = f->a;
  NAME(num) *b = f->b, alpha = NAME(from)(f->alpha);
  for (int64_t j = 0; j < f->m; j++) {
    NAME(num) *x = b + j * f->bj;
    for (int64_t i = 0; i < f->n; i++) {
      NAME(num) sum = NAME(mul)(alpha, x[i * f->bi]);
      for (int64_t k = 0; k < i; k++) {
        NAME(num) t = a[i * f->ai + k * f->aj];
        sum = NAME(sub)(sum, NAME(mul)(f->conj ? NAME(conj)(t) : t, x[k * f->bi]));
      }
      if (!f->unit) {
        NAME(num) d = a[i * (f->ai + f->aj)];
        sum = NAME(div)(sum, f->conj ? NAME(conj)(d) : d);
      }
      x[i * f->bi] = sum;
    }
  }
}

static void NAME(multiply)(const qn_tri_form *f) {
  const NAME(num) *a = f->a;
  NAME(num) *b = f->b, alpha = NAME(from)(f->alpha);
  for (int64_t j = 0; j < f->m; j++) {
    NAME(num) *x = b + j * f->bj;
    for (int64_t i = f->n - 1; i >= 0; i--) {
      NAME(num) sum = x[i * f->bi];
      if (!f->unit) {
        NAME(num) d = a[i * (f->ai + f->aj)];
        sum = NAME(mul)(f->conj ? NAME(conj)(d) : d, sum);
      }
      for (int64_t k = 0; k < i; k++) {
        NAME(num) t = a[i * f->ai + k * f->aj];
        sum = NAME(add)(sum, NAME(mul)(f->conj ? NAME(conj)(t) : t, x[k * f->bi]));
      }
      x[i * f->bi] = NAME(mul)(alpha, sum);
    }
  }
}
