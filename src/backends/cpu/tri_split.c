/* Halving a triangular problem, and the product between the halves.
 *
 *        T11          X1
 *        T21 T22      X2 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/tri_form.h"

void qn_tri_split(const qn_tri_form *f, qn_tri_form *first, qn_tri_form *second) {
  ptrdiff_t half = (ptrdiff_t)qn_round_up(f->n / 2, 64), size = (ptrdiff_t)qn_dtype_size(f->dtype);
  *first = *second = *f;
  first->n = half;
  second->n = f->n - half;
  second->a = (const char *)f->a + half * (f->ai + f->aj) * size;
  second->b = (char *)f->b + half * f->bi * size;
}

/* The elements (i, j), i < rows, j < cols, at data + i si + j sj as a matrix; `turned` where it
 * holds their transpose, j running down its columns. Negative strides count from the other end,
 * which only renames rows and columns: a product does not mind, as long as its factors and result
 * agree. */
static qn_cpu_matrix rectangle(const void *data, ptrdiff_t si, ptrdiff_t sj, int64_t rows,
                               int64_t cols, size_t size, bool turned) {
  const char *base = data;
  if (si < 0) base += (ptrdiff_t)(rows - 1) * si * (ptrdiff_t)size;
  if (sj < 0) base += (ptrdiff_t)(cols - 1) * sj * (ptrdiff_t)size;
  if (turned) return (qn_cpu_matrix){(void *)base, cols, rows, si < 0 ? -si : si};
  return (qn_cpu_matrix){(void *)base, rows, cols, sj < 0 ? -sj : sj};
}

qn_status qn_tri_update(const qn_tri_form *f, const qn_tri_form *first, const qn_tri_form *second,
                        qn_scalar alpha, qn_scalar beta) {
  size_t size = qn_dtype_size(f->dtype);
  bool a_turned = f->aj == 1 || f->aj == -1, x_turned = f->bj == 1;
  const char *t21 = (const char *)f->a + (ptrdiff_t)first->n * f->ai * (ptrdiff_t)size;
  qn_cpu_matrix a = rectangle(t21, f->ai, f->aj, second->n, first->n, size, a_turned);
  qn_cpu_matrix x1 = rectangle(first->b, f->bi, f->bj, first->n, f->m, size, x_turned);
  qn_cpu_matrix x2 = rectangle(second->b, f->bi, f->bj, second->n, f->m, size, x_turned);
  qn_trans turn = f->conj ? QN_CONJTRANS : QN_TRANS;
  qn_cpu_gemm p = {.dtype = f->dtype, .ctype = f->dtype, .alpha = alpha, .beta = beta, .c = x2};
  if (x_turned) { /* X2^T += X1^T T21^T */
    p.a = x1;
    p.transa = QN_NOTRANS;
    p.b = a;
    p.transb = a_turned ? QN_NOTRANS : turn;
  } else { /* X2 += T21 X1 */
    p.a = a;
    p.transa = a_turned ? turn : QN_NOTRANS;
    p.b = x1;
    p.transb = QN_NOTRANS;
  }
  return qn_cpu_gemm_run(&p);
}
