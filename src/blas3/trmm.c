/* qn_trmm: B := alpha op(A) B and B := alpha B op(A) by recursion on the triangle, in place.
 *
 *   [ B1 ]          [ A1      ] [ B1 ]        B2 := alpha A2 B2
 *   [ B2 ] := alpha [ off  A2 ] [ B2 ]        B2 += alpha off B1
 *                                             B1 := alpha A1 B1
 *
 * A solve's order backwards: B1 is needed as it was until B2 is done with it. */
#include "blas3/args.h"
#include "blas3/settings.h"
#include "blas3/triangle.h"
#include <quern/blas3.h>

static qn_status multiply(const qn_triangle *t, qn_scalar alpha, qn_matrix a, qn_matrix b) {
  if (a.rows <= t->block) return qn_triangle_base(t, qn_step_trmm, alpha, a, b);
  qn_triangle_cut cut = qn_triangle_cut_of(t, a, b);
  QN_TRY(multiply(t, alpha, cut.a2, cut.b2));
  QN_TRY(qn_triangle_join(t, alpha, cut.off, cut.b1, qn_real(1.0), cut.b2));
  return multiply(t, alpha, cut.a1, cut.b1);
}

qn_status qn_trmm_run(qn_stream *stream, const qn_triangular_problem *p) {
  qn_device *device = stream->device;
  int64_t block = qn_triangle_block(stream, p, &device->trmm_block, qn_settings_get()->trmm_block,
                                    qn_target_of(device)->trmm_block);
  return qn_triangle_run(stream, p, block, multiply);
}

static qn_status rehearse(qn_stream *stream, const void *problem) {
  return qn_trmm_run(stream, problem);
}

qn_status qn_trmm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                  qn_scalar alpha, qn_matrix a, qn_matrix b) {
  qn_triangular_problem p = {side, uplo, trans, diag, alpha, a, b};
  QN_TRY(qn_triangular_args(stream, "qn_trmm", &p));
  qn_prepare_key key = qn_triangle_key('m', &p);
  QN_TRY(qn_prepare(stream, &key, rehearse, &p));
  return qn_stream_result(stream, qn_trmm_run(stream, &p));
}
