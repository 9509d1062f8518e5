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
  const qn_target *target = qn_target_of(device);
  int64_t block = qn_triangle_block(stream, p, &device->trmm_block, qn_settings_get()->trmm_block,
                                    target->trmm_block, target->limit);
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

static qn_status like(qn_stream *stream, qn_matrix b, qn_matrix c) {
  static const char me[] = "qn_trmm_to";
  QN_TRY(qn_matrix_check(stream, c, me, "c"));
  if (c.dtype != b.dtype)
    return qn_fail(QN_EINVAL, me, "c is %s where b is %s", qn_dtype_name(c.dtype),
                   qn_dtype_name(b.dtype));
  if (c.rows != b.rows || c.cols != b.cols)
    return qn_fail(QN_EINVAL, me, "c is %lld x %lld where b is %lld x %lld", (long long)c.rows,
                   (long long)c.cols, (long long)b.rows, (long long)b.cols);
  return QN_OK;
}

qn_status qn_trmm_to(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                     qn_scalar alpha, qn_matrix a, qn_matrix b, qn_matrix c) {
  qn_triangular_problem p = {side, uplo, trans, diag, alpha, a, b};
  QN_TRY(qn_triangular_args(stream, "qn_trmm_to", &p));
  QN_TRY(like(stream, b, c));
  if (!qn_scalar_is(p.alpha, 0.0)) QN_TRY(qn_matrix_copy(stream, QN_NOTRANS, b, c));
  return qn_trmm(stream, side, uplo, trans, diag, alpha, a, c);
}
