/* qn_potrf: Cholesky by recursion, or by panels where the device factors a block with all that is
 * below it at once.
 *
 *   [ A11       ]   [ L11     ] [ L11^H L21^H ]      L11 from A11
 *   [ A21   A22 ] = [ L21 L22 ] [       L22^H ]      L21 = A21 L11^-H
 *                                                    L22 from A22 - L21 L21^H
 * (upper: the same, transposed). The update of A22 is a product over one triangle.
 *
 * info lives on the device: a block that follows a failed one leaves A as it is, so the host never
 * waits. What is done to blocks beyond a failed pivot is without meaning. */
#include "blas3/args.h"
#include "blas3/potrf.h"
#include "blas3/prepare.h"
#include "blas3/settings.h"
#include "blas3/triangle.h"
#include <quern/blas3.h>

enum { TALL_UNIT = 64 }; /* columns of a tall block are a multiple of it */

typedef struct qn_cholesky {
  qn_stream *stream;
  qn_uplo uplo;
  int64_t block;   /* that of the whole matrix */
  int64_t set;     /* what the environment says of tall ones, or zero */
  bool tall;       /* whether a block takes along what is below it */
  qn_buffer *info; /* one int64_t */
} qn_cholesky;

/* Where the work runs inline a failure is known at once and the rest can be spared. */
static bool has_failed(const qn_cholesky *c) {
  return c->stream->device->cpu && *(const int64_t *)c->info->host != 0;
}

/* The panel beside A11: L21 := A21 L11^-H, or U12 := U11^-H A12. */
static qn_status solve_panel(const qn_cholesky *c, qn_matrix a11, qn_matrix panel) {
  qn_side side = c->uplo == QN_LOWER ? QN_RIGHT : QN_LEFT;
  qn_trans trans = qn_dtype_is_complex(a11.dtype) ? QN_CONJTRANS : QN_TRANS;
  return qn_trsm_run(c->stream, &(qn_triangular_problem){side, c->uplo, trans, QN_NONUNIT,
                                                         qn_real(1.0), a11, panel, NULL, 0});
}

/* A22 -= L21 L21^H, or U12^H U12, in its triangle. */
static qn_status update(const qn_cholesky *c, qn_matrix panel, qn_matrix a22) {
  bool lower = c->uplo == QN_LOWER;
  qn_trans adjoint = qn_dtype_is_complex(a22.dtype) ? QN_CONJTRANS : QN_TRANS;
  return qn_step_gemm(c->stream,
                      &(qn_gemm_problem){.transa = lower ? QN_NOTRANS : adjoint,
                                         .transb = lower ? adjoint : QN_NOTRANS,
                                         .alpha = qn_real(-1.0),
                                         .beta = qn_real(1.0),
                                         .a = panel,
                                         .b = panel,
                                         .c = a22,
                                         .region = lower ? QN_REGION_LOWER : QN_REGION_UPPER});
}

static qn_status factor(const qn_cholesky *c, qn_matrix a, int64_t first) {
  if (a.rows <= c->block) return qn_step_potrf(c->stream, c->uplo, a, first, c->info);
  int64_t n = a.rows, h = qn_round_up(n / 2, c->block), r = n - h;
  qn_matrix a11 = qn_matrix_sub(a, 0, 0, h, h), a22 = qn_matrix_sub(a, h, h, r, r);
  qn_matrix panel =
      c->uplo == QN_LOWER ? qn_matrix_sub(a, h, 0, r, h) : qn_matrix_sub(a, 0, h, h, r);
  QN_TRY(factor(c, a11, first));
  if (has_failed(c)) return QN_OK;
  QN_TRY(solve_panel(c, a11, panel));
  QN_TRY(update(c, panel, a22));
  return factor(c, a22, first + h);
}

/* A diagonal's imaginary parts do not count: set to zero, lest an update carries a NaN or Inf of
 * theirs into real parts. A block by itself, and the cpu's products, leave them out. */
static qn_status make_real(const qn_cholesky *c, qn_matrix a) {
  if (!qn_dtype_is_complex(a.dtype) || c->stream->device->cpu || a.rows <= c->block) return QN_OK;
  const qn_dtype real = a.dtype == QN_C64 ? QN_F32 : QN_F64;
  const qn_matrix parts = {a.buffer, 2 * a.offset + 1, 1, a.rows, 2 * (a.ld + 1), real};
  return qn_step_scale(c->stream, qn_real(0.0), parts);
}

/* With no memory for a tall block's workspace: by blocks that need none. */
static qn_status factor_in_place(const qn_cholesky *c, qn_matrix a, int64_t first) {
  qn_cholesky small = *c;
  small.block = TALL_UNIT / 2;
  QN_TRY(make_real(&small, a));
  return factor(&small, a, first);
}

/* Columns of the next panel where so many are left: all, if they make a block. */
static int64_t panel_width(const qn_cholesky *c, qn_dtype dtype, int64_t rest) {
  const qn_target *target = qn_target_of(c->stream->device);
  return qn_min64(c->set > 0 ? c->set : target->potrf_block(c->stream, dtype, rest), rest);
}

/* Panels of whole columns (rows, where A is upper), each followed by its update. */
static qn_status factor_by_panels(const qn_cholesky *c, qn_matrix a) {
  bool lower = c->uplo == QN_LOWER;
  for (int64_t first = 0, w; first < a.rows; first += w) {
    const int64_t rest = a.rows - first;
    w = panel_width(c, a.dtype, rest);
    const int64_t r = rest - w, next = first + w;
    qn_matrix tall =
        lower ? qn_matrix_sub(a, first, first, rest, w) : qn_matrix_sub(a, first, first, w, rest);
    const qn_status status = qn_step_potrf(c->stream, c->uplo, tall, first, c->info);
    if (status == QN_EDEVMEM)
      return factor_in_place(c, qn_matrix_sub(a, first, first, rest, rest), first);
    QN_TRY(status);
    if (r == 0) break;
    qn_matrix panel =
        lower ? qn_matrix_sub(a, next, first, r, w) : qn_matrix_sub(a, first, next, w, r);
    QN_TRY(update(c, panel, qn_matrix_sub(a, next, next, r, r)));
  }
  return QN_OK;
}

static qn_status run(const qn_cholesky *c, qn_matrix a) {
  QN_TRY(make_real(c, a));
  return c->tall ? factor_by_panels(c, a) : factor(c, a, 0);
}

static qn_cholesky cholesky_of(qn_stream *stream, const qn_potrf_problem *p) {
  const qn_target *target = qn_target_of(stream->device);
  int64_t block = target->potrf_block(stream, p->a.dtype, p->a.rows);
  bool tall = target->potrf_is_tall && target->potrf_is_tall(stream, p->a.dtype);
  const int64_t set = qn_settings_get()->potrf_block;
  if (set > 0) block = tall ? qn_round_up(set, TALL_UNIT) : qn_min64(set, block);
  return (qn_cholesky){stream, p->uplo, block, set > 0 ? block : 0, tall, NULL};
}

/* Without copies; whatever buffer stands for info, as nothing is launched. */
qn_status qn_potrf_rehearsed(qn_stream *stream, const void *problem) {
  const qn_potrf_problem *p = problem;
  qn_cholesky c = cholesky_of(stream, p);
  c.info = p->a.buffer;
  return run(&c, p->a);
}

/* Where a launch tells of a failure to later ones; a tall block at 0 needs nothing there before. */
static qn_status run_with_info(qn_cholesky *c, qn_matrix a, int64_t *info) {
  qn_status status = QN_OK;
  QN_TRY(qn_step_alloc(c->stream, sizeof *info, &c->info));
  if (!c->tall) status = qn_fill(c->stream, c->info, 0, sizeof *info, 0, 4);
  if (status == QN_OK) status = run(c, a);
  if (status == QN_OK && info) status = qn_post(c->stream, info, c->info, sizeof *info);
  qn_scratch_free(c->stream, c->info);
  return status;
}

/* A single launch has no later ones: it writes info where the host will find it. Not under a trace,
 * which waits for the stream before each step too: it would deliver what is not there yet. */
static qn_status potrf_run(qn_stream *stream, const qn_potrf_problem *p, int64_t *info) {
  qn_cholesky c = cholesky_of(stream, p);
  const bool single = info && c.tall && p->a.rows <= c.block && !stream->trace;
  if (single) c.info = qn_post_place(stream, info, sizeof *info);
  if (!c.info) return run_with_info(&c, p->a, info);
  const qn_status status = run(&c, p->a);
  if (status != QN_OK) qn_recall(stream, info, sizeof *info);
  return status;
}

qn_status qn_potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t *info) {
  QN_TRY(qn_potrf_args(stream, uplo, a));
  if (info) {
    qn_recall(stream, info, sizeof *info); /* an earlier call's */
    *info = 0;
  }
  if (a.rows == 0) return QN_OK;
  const qn_potrf_problem p = {uplo, a};
  qn_prepare_key key = {'p', a.dtype, (uint32_t)uplo, a.rows, 0, 0};
  QN_TRY(qn_prepare(stream, &key, qn_potrf_rehearsed, &p));
  return qn_stream_result(stream, potrf_run(stream, &p, info));
}
