/* Cholesky of a block, column by column, for one element type; NAME and the words of scalar_*.h are
 * defined.
 *
 * Element (i, j) of the lower factor stands at a[i ai + j aj]. The upper case swaps the strides:
 * the transpose of a Hermitian matrix is its conjugate, and so is its factor. */
static int64_t NAME(potrf)(NAME(num) * a, ptrdiff_t ai, ptrdiff_t aj, int64_t n) {
  for (int64_t j = 0; j < n; j++) {
    REAL pivot = REAL_PART(a[j * (ai + aj)]);
    for (int64_t k = 0; k < j; k++) pivot -= SQUARE(a[j * ai + k * aj]);
    SET_REAL(a[j * (ai + aj)], pivot);
    if (!(pivot > 0)) return j + 1;
    REAL root = SQRT(pivot);
    SET_REAL(a[j * (ai + aj)], root);
    for (int64_t i = j + 1; i < n; i++) {
      NAME(num) sum = a[i * ai + j * aj];
      for (int64_t k = 0; k < j; k++)
        sum = NAME(sub)(sum, NAME(mul)(a[i * ai + k * aj], NAME(conj)(a[j * ai + k * aj])));
      a[i * ai + j * aj] = DIVIDE(sum, root);
    }
  }
  return 0;
}
