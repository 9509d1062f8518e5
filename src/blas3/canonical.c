/* A triangle and its right-hand sides as kernels take them. */
#include "blas3/canonical.h"

qn_canonical qn_canonical_of(const qn_triangular_problem *p) {
  bool left = p->side == QN_LEFT;
  /* op(A) X = B as it stands; X op(A) = B is op(A)^T X^T = B^T */
  bool transposed = (p->trans != QN_NOTRANS) == left;
  bool lower = (p->uplo == QN_LOWER) != transposed;
  qn_canonical c = {.off_a = p->a.offset,
                    .si = transposed ? p->a.ld : 1,
                    .sj = transposed ? 1 : p->a.ld,
                    .off_b = p->b.offset,
                    .bi = left ? 1 : p->b.ld,
                    .br = left ? p->b.ld : 1,
                    .transposed = transposed,
                    .back = !lower,
                    .conj = p->trans == QN_CONJTRANS};
  if (!lower) { /* an upper triangle is a lower one read from its end */
    int64_t last = p->a.rows - 1;
    c.off_a += last * (c.si + c.sj);
    c.off_b += last * c.bi;
    c.si = -c.si;
    c.sj = -c.sj;
    c.bi = -c.bi;
  }
  return c;
}

void qn_call_canonical(qn_call *call, const qn_triangular_problem *p, const qn_canonical *c) {
  qn_call_scalar(call, p->a.dtype, p->alpha);
  qn_call_buffer(call, p->a.buffer);
  qn_call_i64(call, c->off_a);
  qn_call_i64(call, c->si);
  qn_call_i64(call, c->sj);
  qn_call_buffer(call, p->b.buffer);
  qn_call_i64(call, c->off_b);
  qn_call_i64(call, c->bi);
  qn_call_i64(call, c->br);
}

void qn_call_sizes(qn_call *call, const qn_triangular_problem *p) {
  qn_call_i32(call, (int32_t)p->a.rows);
  qn_call_i64(call, qn_triangular_nrhs(p));
  qn_call_i32(call, p->diag == QN_UNIT);
}

void qn_call_columns(qn_call *call, const qn_triangular_problem *p) {
  bool left = p->side == QN_LEFT;
  qn_call_buffer(call, p->b.buffer);
  qn_call_i64(call, p->b.offset);
  qn_call_i64(call, left ? 1 : p->b.ld);
  qn_call_i64(call, left ? p->b.ld : 1);
}

void qn_call_triangle(qn_call *call, const qn_triangular_problem *p) {
  qn_call_sizes(call, p);
  qn_call_scalar(call, p->a.dtype, p->alpha);
  qn_call_matrix(call, p->a);
  qn_call_columns(call, p);
}
