/* qn_gemm_code: what a product would launch, compiled to be looked at. */
#include "blas3/prepare.h"
#include "blas3/step.h"
#include <quern/blas3.h>

enum { FORMS = 16 }; /* more than one product launches */

static qn_status rehearse(qn_stream *stream, const void *problem) {
  return qn_step_gemm(stream, problem);
}

static qn_status show_all(qn_stream *stream, const qn_gemm_problem *p, qn_code kind, qn_code_fn fn,
                          void *user) {
  qn_form forms[FORMS];
  qn_rehearsal rehearsal = {forms, 0, FORMS};
  QN_TRY(qn_rehearse(stream, &rehearsal, rehearse, p));
  for (unsigned i = 0; i < rehearsal.count; i++)
    QN_TRY(qn_form_code(stream->device, &forms[i], kind, fn, user));
  return QN_OK;
}

static bool is_trans(qn_trans trans) {
  return trans == QN_NOTRANS || trans == QN_TRANS || trans == QN_CONJTRANS;
}

static qn_status check(const qn_device *device, qn_dtype dtype, qn_trans transa, qn_trans transb,
                       const int64_t size[3], qn_code kind, qn_code_fn fn) {
  const char *me = "qn_gemm_code";
  if (!device || !fn) return qn_fail(QN_EINVAL, me, "%s is NULL", device ? "fn" : "device");
  if (!is_trans(transa) || !is_trans(transb))
    return qn_fail(QN_EINVAL, me, "%s is none of N, T, C", is_trans(transa) ? "transb" : "transa");
  if (kind != QN_CODE_PTX && kind != QN_CODE_CUBIN)
    return qn_fail(QN_EINVAL, me, "form is %d", (int)kind);
  if (!qn_dtype_size(dtype) || size[0] < 1 || size[1] < 1 || size[2] < 1)
    return qn_fail(QN_EINVAL, me, "dtype %d, %lld x %lld x %lld", (int)dtype, (long long)size[0],
                   (long long)size[1], (long long)size[2]);
  if (device->cpu || !qn_target_of(device))
    return qn_fail(QN_EUNSUPPORTED, me, "device %s compiles no kernels", device->info.id);
  if (!(device->info.dtypes >> dtype & 1))
    return qn_fail(QN_EUNSUPPORTED, me, "device %s does not compute in %s", device->info.id,
                   qn_dtype_name(dtype));
  return qn_device_check(device, me);
}

/* A transpose of a real type is never a conjugate one (target.h). */
static qn_trans real_trans(qn_dtype dtype, qn_trans trans) {
  return trans == QN_CONJTRANS && !qn_dtype_is_complex(dtype) ? QN_TRANS : trans;
}

qn_status qn_gemm_code(qn_device *device, qn_dtype dtype, qn_trans transa, qn_trans transb,
                       int64_t m, int64_t n, int64_t k, qn_code form, qn_code_fn fn, void *user) {
  const int64_t size[] = {m, n, k};
  QN_TRY(check(device, dtype, transa, transb, size, form, fn));
  const bool ta = transa != QN_NOTRANS, tb = transb != QN_NOTRANS;
  qn_buffer nothing = {.device = device}; /* no rehearsal looks at memory */
  const qn_gemm_problem p = {
      .transa = real_trans(dtype, transa),
      .transb = real_trans(dtype, transb),
      .alpha = qn_real(1),
      .a = ta ? qn_matrix_of(&nothing, dtype, k, m, k) : qn_matrix_of(&nothing, dtype, m, k, m),
      .b = tb ? qn_matrix_of(&nothing, dtype, n, k, n) : qn_matrix_of(&nothing, dtype, k, n, k),
      .c = qn_matrix_of(&nothing, dtype, m, n, m),
      .region = QN_REGION_ALL};
  qn_stream *stream;
  QN_TRY(qn_stream_create(device, &stream));
  const qn_status status = show_all(stream, &p, form, fn, user);
  qn_stream_free(stream);
  return status;
}
