/* What TRSM and TRMM share: a triangle cut in four, and the product that joins its halves.
 *
 * op(A) is, up to an exchange of its halves, always the lower triangle of this picture. "First" is
 * the half that a solve does first: its unknowns need no others, and the second half needs them.
 *
 *            first  second
 *           +------+------+
 *   first   |  A1  |   0  |      solve:    X1 from B1;  B2 -= off X1;  X2 from B2
 *           +------+------+      multiply: the same, backwards
 *   second  | off  |  A2  |
 *           +------+------+
 *
 * Where the solve starts at the other end (op(A) upper on the left, or lower on the right), A1 is
 * the trailing block. That one bit is all that the side, uplo and trans mean to the recursion. */
#ifndef QN_BLAS3_TRIANGLE_H
#define QN_BLAS3_TRIANGLE_H

#include "blas3/prepare.h"
#include "blas3/step.h"

/* What the recursion carries along unchanged. */
typedef struct qn_triangle {
  qn_stream *stream;
  qn_side side;
  qn_uplo uplo;
  qn_trans trans;
  qn_diag diag;
  int64_t block; /* the largest order that is one base block */
  int64_t panel; /* 0, or the unknowns that come last where there are more than two times as many */
  const qn_buffer *inverses; /* NULL, or as a base block takes them; of the triangle at `origin` */
  int64_t origin;
  qn_matrix tile; /* f32 room for a block of a half-precision A; no buffer for other dtypes */
} qn_triangle;

typedef struct qn_triangle_cut {
  qn_matrix a1, a2, off; /* the triangles as stored, and the block that joins them */
  qn_matrix b1, b2;      /* the rows (left) or columns (right) of B that belong to them */
} qn_triangle_cut;

qn_triangle_cut qn_triangle_cut_of(const qn_triangle *t, qn_matrix a, qn_matrix b);

/* into := alpha op(off) from + beta into (left), alpha from op(off) + beta into (right) */
qn_status qn_triangle_join(const qn_triangle *t, qn_scalar alpha, qn_matrix off, qn_matrix from,
                           qn_scalar beta, qn_matrix into);

/* One base block by `step`, qn_step_trsm or qn_step_trmm. */
qn_status qn_triangle_base(const qn_triangle *t,
                           qn_status (*step)(qn_stream *, const qn_triangular_problem *),
                           qn_scalar alpha, qn_matrix a, qn_matrix b);

/* Whether the recursion ends here, with what status: at a base block, unless it is out of memory
 * for its workspace, for smaller blocks need less and the smallest none. */
bool qn_triangle_ends(const qn_triangle *t,
                      qn_status (*step)(qn_stream *, const qn_triangular_problem *),
                      qn_scalar alpha, qn_matrix a, qn_matrix b, qn_status *status);

/* The order of a base block: what the program asked for, else the environment, else (both 0) the
 * target's tuned order; no more than the target's limit, unless it has none. */
typedef int64_t (*qn_triangle_order)(const qn_stream *stream, const qn_triangular_problem *p);
int64_t qn_triangle_block(const qn_stream *stream, const qn_triangular_problem *p,
                          const _Atomic int64_t *program, int64_t environment,
                          qn_triangle_order tuned, qn_triangle_order limit);

/* Runs the recursion `walk` on a checked problem. Takes care of what both routines have in common:
 * empty B, alpha = 0, and half types, whose B is worked on in f32 a slab at a time. */
typedef qn_status (*qn_triangle_walk)(const qn_triangle *t, qn_scalar alpha, qn_matrix a,
                                      qn_matrix b);
qn_status qn_triangle_run(qn_stream *stream, const qn_triangular_problem *p, int64_t block,
                          int64_t panel, const qn_buffer *inverses, qn_triangle_walk walk);

qn_prepare_key qn_triangle_key(char routine, const qn_triangular_problem *p);

/* The routines on checked problems, for each other's use. */
qn_status qn_trsm_run(qn_stream *stream, const qn_triangular_problem *p);
qn_status qn_trmm_run(qn_stream *stream, const qn_triangular_problem *p);

#endif
