/* qn_trsm: op(A) X = alpha B and X op(A) = alpha B by recursion on the triangle.
 *
 *   [ A1      ] [ X1 ]         [ B1 ]        A1 X1 = alpha B1
 *   [ off  A2 ] [ X2 ] = alpha [ B2 ]        A2 X2 = alpha B2 - off X1
 *
 * Halves, or, where the target says so, panels: A2 is then of one panel, A1 all before it. A
 * product has the whole of k before it then, and B2 is added to once.
 *
 * alpha rides in the first solve and in the product's beta: no pass over B is spent on it. */
#include "blas3/args.h"
#include "blas3/settings.h"
#include "blas3/triangle.h"
#include <quern/blas3.h>

static qn_status solve(const qn_triangle *t, qn_scalar alpha, qn_matrix a, qn_matrix b) {
  qn_status status;
  if (qn_triangle_ends(t, qn_step_trsm, alpha, a, b, &status)) return status;
  qn_triangle_cut cut = qn_triangle_cut_of(t, a, b);
  QN_TRY(solve(t, alpha, cut.a1, cut.b1));
  QN_TRY(qn_triangle_join(t, qn_real(-1.0), cut.off, cut.b1, alpha, cut.b2));
  return solve(t, qn_real(1.0), cut.a2, cut.b2);
}

/* The variant for measuring. */
static qn_status columns(const qn_triangle *t, qn_scalar alpha, qn_matrix a, qn_matrix b) {
  return qn_triangle_base(t, qn_step_trsm_columns, alpha, a, b);
}

qn_status qn_trsm_run(qn_stream *stream, const qn_triangular_problem *p) {
  qn_device *device = stream->device;
  const qn_target *target = qn_target_of(device);
  int64_t block = qn_triangle_block(stream, p, &device->trsm_block, qn_settings_get()->trsm_block,
                                    target->trsm_block, target->limit);
  const bool by_columns =
      qn_settings_get()->trsm_columns && target->trsm_columns && !qn_dtype_is_half(p->a.dtype);
  const int64_t panel = target->trsm_panel ? target->trsm_panel(stream, p) : 0;
  qn_buffer *inverses = NULL;
  if (target->trsm_invert && !by_columns) QN_TRY(target->trsm_invert(stream, p, block, &inverses));
  const qn_status status =
      qn_triangle_run(stream, p, block, panel, inverses, by_columns ? columns : solve);
  qn_scratch_free(stream, inverses);
  return status;
}

static qn_status rehearse(qn_stream *stream, const void *problem) {
  return qn_trsm_run(stream, problem);
}

qn_status qn_trsm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                  qn_scalar alpha, qn_matrix a, qn_matrix b) {
  qn_triangular_problem p = {side, uplo, trans, diag, alpha, a, b, NULL, 0};
  QN_TRY(qn_triangular_args(stream, "qn_trsm", &p));
  qn_prepare_key key = qn_triangle_key('s', &p);
  QN_TRY(qn_prepare(stream, &key, rehearse, &p));
  return qn_stream_result(stream, qn_trsm_run(stream, &p));
}
