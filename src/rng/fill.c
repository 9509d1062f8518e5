/* Fills of device matrices: checked here, made by the stream's device. */
#include "device/device.h"
#include <quern/rng.h>

/* Checks what both fills share. */
static qn_status check_fill(qn_stream *stream, const qn_rng *rng, qn_matrix out,
                            const char *function) {
  if (!rng) return qn_fail(QN_EINVAL, function, "rng is NULL");
  qn_status status = qn_stream_check(stream, function);
  if (status) return status;
  status = qn_matrix_check(stream, out, function, "out");
  if (status) return status;
  if (out.dtype != QN_F32 && out.dtype != QN_F64)
    return qn_fail(QN_EINVAL, function, "out is %s, not f32 or f64", qn_dtype_name(out.dtype));
  if (!stream->device->cpu)
    return qn_fail(QN_EUNSUPPORTED, function, "%s has no generator", stream->device->info.id);
  return QN_OK;
}

qn_status qn_rng_uniform(qn_stream *stream, qn_rng *rng, qn_matrix out) {
  qn_status status = check_fill(stream, rng, out, "qn_rng_uniform");
  if (status) return status;
  stream->device->cpu->rng_uniform(out.dtype, rng->state, qn_cpu_view(out));
  qn_rng_skip(rng, (uint64_t)out.rows * (uint64_t)out.cols);
  return QN_OK;
}

qn_status qn_rng_normal(qn_stream *stream, qn_rng *rng, qn_matrix out) {
  qn_status status = check_fill(stream, rng, out, "qn_rng_normal");
  if (status) return status;
  stream->device->cpu->rng_normal(out.dtype, rng->state, qn_cpu_view(out));
  uint64_t blocks = (uint64_t)qn_ceil_div(out.rows * out.cols, QN_RNG_NORMAL_BLOCK);
  qn_rng_skip(rng, blocks * QN_RNG_NORMAL_SPAN);
  return QN_OK;
}
