/* qn_trmm: B := alpha op(A) B and B := alpha B op(A) by recursion on the triangle, in place.
 *
 *   [ B1 ]          [ A1      ] [ B1 ]        B2 := alpha A2 B2
 *   [ B2 ] := alpha [ off  A2 ] [ B2 ]        B2 += alpha off B1
 *                                             B1 := alpha A1 B1
 *
 * A solve's order backwards: B1 is needed as it was until B2 is done with it. Where the target can
 * multiply a triangle in one product, that is done instead: out of place from B, in place from a
 * copy of B, panel by panel. */
#include "blas3/args.h"
#include "blas3/settings.h"
#include "blas3/triangle.h"
#include <quern/blas3.h>
#include <quern/matrix.h>

static qn_status multiply(const qn_triangle *t, qn_scalar alpha, qn_matrix a, qn_matrix b) {
  qn_status status;
  if (qn_triangle_ends(t, qn_step_trmm, alpha, a, b, &status)) return status;
  qn_triangle_cut cut = qn_triangle_cut_of(t, a, b);
  QN_TRY(multiply(t, alpha, cut.a2, cut.b2));
  QN_TRY(qn_triangle_join(t, alpha, cut.off, cut.b1, qn_real(1.0), cut.b2));
  return multiply(t, alpha, cut.a1, cut.b1);
}

/* ---- out of place: one launch ---- */

/* Whether `serves`, of the target, is to be asked: a block that someone has set asks for the
 * recursion. */
static bool apart(const qn_stream *stream, const qn_triangular_problem *p,
                  bool (*serves)(const qn_stream *, const qn_triangular_problem *)) {
  return serves && p->b.rows > 0 && p->b.cols > 0 && !qn_scalar_is(p->alpha, 0.0) &&
         atomic_load_explicit(&stream->device->trmm_block, memory_order_relaxed) == 0 &&
         qn_settings_get()->trmm_block == 0 && serves(stream, p);
}

enum { PANEL_MIN = 256 }; /* right-hand sides; fewer would read A too often */
static const int64_t panel_bytes = INT64_C(256) << 20;

static qn_status copy(qn_stream *stream, qn_matrix from, qn_matrix to) {
  return stream->rehearsal ? QN_OK : qn_matrix_copy(stream, QN_NOTRANS, from, to);
}

/* In place: each panel of right-hand sides from a copy of itself. */
static qn_status multiply_panels(qn_stream *stream, const qn_triangular_problem *p, int64_t width,
                                 qn_buffer *work) {
  const bool left = p->side == QN_LEFT;
  const int64_t nrhs = qn_triangular_nrhs(p);
  for (int64_t at = 0; at < nrhs; at += width) {
    const int64_t now = qn_min64(width, nrhs - at);
    const qn_matrix panel = left ? qn_matrix_sub(p->b, 0, at, p->b.rows, now)
                                 : qn_matrix_sub(p->b, at, 0, now, p->b.cols);
    qn_triangular_problem part = *p;
    part.b = qn_matrix_of(work, panel.dtype, panel.rows, panel.cols, panel.rows);
    QN_TRY(copy(stream, panel, part.b));
    QN_TRY(qn_step_trmm_to(stream, &part, panel));
  }
  return QN_OK;
}

/* The widest panels that there is memory for, `work` of 0 width where there is not enough. */
static int64_t panel_width(qn_stream *stream, const qn_triangular_problem *p, qn_buffer **work) {
  const int64_t nrhs = qn_triangular_nrhs(p);
  const int64_t column = p->a.rows * (int64_t)qn_dtype_size(p->a.dtype);
  int64_t width = qn_max64(panel_bytes / column / PANEL_MIN * PANEL_MIN, PANEL_MIN);
  for (width = qn_min64(width, nrhs); width > 0; width = width > PANEL_MIN ? width / 2 : 0)
    if (qn_step_alloc(stream, (size_t)(width * column), work) == QN_OK) break;
  return width;
}

/* ---- the routine ---- */

qn_status qn_trmm_run(qn_stream *stream, const qn_triangular_problem *p) {
  qn_device *device = stream->device;
  const qn_target *target = qn_target_of(device);
  qn_buffer *work;
  const int64_t width = apart(stream, p, target->trmm_apart) ? panel_width(stream, p, &work) : 0;
  if (width > 0) {
    const qn_status status = multiply_panels(stream, p, width, work);
    qn_scratch_free(stream, work);
    return status;
  }
  int64_t block = qn_triangle_block(stream, p, &device->trmm_block, qn_settings_get()->trmm_block,
                                    target->trmm_block, target->limit);
  return qn_triangle_run(stream, p, block, 0, NULL, multiply);
}

static qn_status rehearse(qn_stream *stream, const void *problem) {
  return qn_trmm_run(stream, problem);
}

qn_status qn_trmm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans, qn_diag diag,
                  qn_scalar alpha, qn_matrix a, qn_matrix b) {
  qn_triangular_problem p = {side, uplo, trans, diag, alpha, a, b, NULL, 0};
  QN_TRY(qn_triangular_args(stream, "qn_trmm", &p));
  qn_prepare_key key = qn_triangle_key('m', &p);
  QN_TRY(qn_prepare(stream, &key, rehearse, &p));
  return qn_stream_result(stream, qn_trmm_run(stream, &p));
}

typedef struct to {
  qn_triangular_problem p;
  qn_matrix c;
} to;

/* Without workspace it is done in place, by what qn_trmm makes ready. */
static qn_status rehearse_to(qn_stream *stream, const void *problem) {
  const to *t = problem;
  const qn_status status = qn_step_trmm_to(stream, &t->p, t->c);
  return status == QN_EDEVMEM ? QN_OK : status;
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
  qn_triangular_problem p = {side, uplo, trans, diag, alpha, a, b, NULL, 0};
  QN_TRY(qn_triangular_args(stream, "qn_trmm_to", &p));
  QN_TRY(like(stream, b, c));
  if (apart(stream, &p, qn_target_of(stream->device)->trmm_to_serves)) {
    const to problem = {p, c};
    const qn_prepare_key key = qn_triangle_key('M', &p);
    QN_TRY(qn_prepare(stream, &key, rehearse_to, &problem));
    const qn_status status = qn_step_trmm_to(stream, &p, c);
    if (status != QN_EDEVMEM) return qn_stream_result(stream, status);
  }
  if (!qn_scalar_is(p.alpha, 0.0)) QN_TRY(qn_matrix_copy(stream, QN_NOTRANS, b, c));
  return qn_trmm(stream, side, uplo, trans, diag, alpha, a, c);
}
