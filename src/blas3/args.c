/* Argument rules: enumerations, dtypes, shapes, views. */
#include "blas3/args.h"
#include "blas3/target.h"

static qn_status check_trans(qn_trans trans, const char *function, const char *argument) {
  if (trans == QN_NOTRANS || trans == QN_TRANS || trans == QN_CONJTRANS) return QN_OK;
  return qn_fail(QN_EINVAL, function, "%s is %d, none of QN_NOTRANS, QN_TRANS, QN_CONJTRANS",
                 argument, (int)trans);
}

static qn_status check_uplo(qn_uplo uplo, const char *function) {
  if (uplo == QN_LOWER || uplo == QN_UPPER) return QN_OK;
  return qn_fail(QN_EINVAL, function, "uplo is %d, neither QN_LOWER nor QN_UPPER", (int)uplo);
}

qn_status qn_args_dtype(const qn_stream *stream, qn_dtype dtype, const char *function) {
  if (stream->device->info.dtypes & 1u << dtype && qn_target_of(stream->device)) return QN_OK;
  return qn_fail(QN_EUNSUPPORTED, function, "device %s does not compute in %s",
                 stream->device->info.id, qn_dtype_name(dtype));
}

static qn_status check_same_dtype(qn_matrix a, qn_matrix x, const char *function,
                                  const char *argument) {
  if (x.dtype == a.dtype) return QN_OK;
  return qn_fail(QN_EINVAL, function, "%s is %s where a is %s", argument, qn_dtype_name(x.dtype),
                 qn_dtype_name(a.dtype));
}

static qn_status check_square(qn_matrix a, const char *function) {
  if (a.rows == a.cols) return QN_OK;
  return qn_fail(QN_EINVAL, function, "a is %lld x %lld, not square", (long long)a.rows,
                 (long long)a.cols);
}

/* Through a volatile: gcc 12 takes the way from double to float and back, for two at once, for
 * nothing (it folds the vector conversions away). */
static double to_float(double x) {
  volatile float rounded = (float)x;
  return rounded;
}

qn_scalar qn_args_scalar(qn_scalar s, qn_dtype dtype) {
  if (!qn_dtype_is_complex(dtype)) s.im = 0.0;
  if (dtype == QN_F64 || dtype == QN_C128) return s;
  return (qn_scalar){to_float(s.re), to_float(s.im)};
}

static qn_trans plain_trans(qn_trans trans, qn_dtype dtype) {
  return trans == QN_CONJTRANS && !qn_dtype_is_complex(dtype) ? QN_TRANS : trans;
}

static qn_status check_gemm_shapes(const qn_gemm_problem *p, const char *function) {
  bool ta = p->transa != QN_NOTRANS, tb = p->transb != QN_NOTRANS;
  int64_t m = ta ? p->a.cols : p->a.rows, ka = ta ? p->a.rows : p->a.cols;
  int64_t kb = tb ? p->b.cols : p->b.rows, n = tb ? p->b.rows : p->b.cols;
  if (ka != kb)
    return qn_fail(QN_EINVAL, function, "b does not fit a: op(a) is %lld x %lld, op(b) %lld x %lld",
                   (long long)m, (long long)ka, (long long)kb, (long long)n);
  if (p->c.rows != m || p->c.cols != n)
    return qn_fail(QN_EINVAL, function, "c is %lld x %lld where op(a) op(b) is %lld x %lld",
                   (long long)p->c.rows, (long long)p->c.cols, (long long)m, (long long)n);
  return QN_OK;
}

qn_status qn_gemm_args(qn_stream *stream, const char *function, qn_gemm_problem *p) {
  QN_TRY(qn_stream_check(stream, function));
  QN_TRY(check_trans(p->transa, function, "transa"));
  QN_TRY(check_trans(p->transb, function, "transb"));
  QN_TRY(qn_matrix_check(stream, p->a, function, "a"));
  QN_TRY(qn_matrix_check(stream, p->b, function, "b"));
  QN_TRY(qn_matrix_check(stream, p->c, function, "c"));
  QN_TRY(check_same_dtype(p->a, p->b, function, "b"));
  if (!(qn_dtype_is_half(p->a.dtype) && p->c.dtype == QN_F32))
    QN_TRY(check_same_dtype(p->a, p->c, function, "c"));
  QN_TRY(check_gemm_shapes(p, function));
  QN_TRY(qn_args_dtype(stream, p->a.dtype, function));
  p->transa = plain_trans(p->transa, p->a.dtype);
  p->transb = plain_trans(p->transb, p->a.dtype);
  /* without a k there is no product that a NaN or Inf could multiply */
  p->alpha = qn_gemm_inner(p) == 0 ? qn_real(0.0) : qn_args_scalar(p->alpha, p->a.dtype);
  p->beta = qn_args_scalar(p->beta, p->a.dtype);
  return QN_OK;
}

qn_status qn_triangular_args(qn_stream *stream, const char *function, qn_triangular_problem *p) {
  QN_TRY(qn_stream_check(stream, function));
  if (p->side != QN_LEFT && p->side != QN_RIGHT)
    return qn_fail(QN_EINVAL, function, "side is %d, neither QN_LEFT nor QN_RIGHT", (int)p->side);
  QN_TRY(check_uplo(p->uplo, function));
  QN_TRY(check_trans(p->trans, function, "trans"));
  if (p->diag != QN_NONUNIT && p->diag != QN_UNIT)
    return qn_fail(QN_EINVAL, function, "diag is %d, neither QN_NONUNIT nor QN_UNIT", (int)p->diag);
  QN_TRY(qn_matrix_check(stream, p->a, function, "a"));
  QN_TRY(qn_matrix_check(stream, p->b, function, "b"));
  QN_TRY(check_same_dtype(p->a, p->b, function, "b"));
  QN_TRY(check_square(p->a, function));
  int64_t along = p->side == QN_LEFT ? p->b.rows : p->b.cols;
  if (along != p->a.rows)
    return qn_fail(QN_EINVAL, function, "b is %lld x %lld where a, on the %s, is of order %lld",
                   (long long)p->b.rows, (long long)p->b.cols,
                   p->side == QN_LEFT ? "left" : "right", (long long)p->a.rows);
  QN_TRY(qn_args_dtype(stream, p->a.dtype, function));
  p->trans = plain_trans(p->trans, p->a.dtype);
  p->alpha = qn_args_scalar(p->alpha, p->a.dtype);
  return QN_OK;
}

qn_status qn_potrf_args(qn_stream *stream, qn_uplo uplo, qn_matrix a) {
  static const char function[] = "qn_potrf";
  QN_TRY(qn_stream_check(stream, function));
  QN_TRY(check_uplo(uplo, function));
  QN_TRY(qn_matrix_check(stream, a, function, "a"));
  QN_TRY(check_square(a, function));
  QN_TRY(qn_args_dtype(stream, a.dtype, function));
  if (qn_dtype_is_half(a.dtype))
    return qn_fail(QN_EUNSUPPORTED, function, "a is %s, none of f32 f64 c64 c128",
                   qn_dtype_name(a.dtype));
  return QN_OK;
}
