/* Fills of device matrices: checked here, made by the stream's device. */
#include "rng/fill.h"
#include <quern/rng.h>

static bool is_cpu(const qn_device *device) {
  return device->cpu;
}

static qn_status fill_on_cpu(qn_stream *stream, bool normal, uint64_t state, qn_matrix out) {
  const qn_cpu_ops *cpu = stream->device->cpu;
  (normal ? cpu->rng_normal : cpu->rng_uniform)(out.dtype, state, qn_cpu_view(out));
  return QN_OK;
}

static const qn_rng_generator by_cpu = {"cpu_rng", is_cpu, fill_on_cpu};

static const qn_rng_generator *find_generator(const qn_device *device) {
  if (by_cpu.applicable(device)) return &by_cpu;
  if (qn_rng_by_kernels.applicable(device)) return &qn_rng_by_kernels;
  return NULL;
}

/* How many numbers of the stream a fill uses up. */
static uint64_t span_of(bool normal, qn_matrix out) {
  int64_t count = out.rows * out.cols;
  if (!normal) return (uint64_t)count;
  return (uint64_t)qn_ceil_div(count, QN_RNG_NORMAL_BLOCK) * QN_RNG_NORMAL_SPAN;
}

static qn_status fill(qn_stream *stream, qn_rng *rng, qn_matrix out, bool normal,
                      const char *function) {
  qn_status status = qn_stream_check(stream, function);
  if (status) return status;
  if (!rng) return qn_fail(QN_EINVAL, function, "rng is NULL");
  status = qn_matrix_check(stream, out, function, "out");
  if (status) return status;
  if (out.dtype != QN_F32 && out.dtype != QN_F64)
    return qn_fail(QN_EINVAL, function, "out is %s, not f32 or f64", qn_dtype_name(out.dtype));
  const qn_device *device = stream->device;
  const qn_rng_generator *g = find_generator(device);
  if (!g)
    return qn_fail(QN_EUNSUPPORTED, function, "%s has no f64 or no compiler", device->info.id);
  if (out.rows == 0 || out.cols == 0) return QN_OK;

  double begun = qn_trace_begin(stream);
  status = qn_stream_result(stream, g->fill(stream, normal, rng->state, out));
  if (status) return status;
  qn_rng_skip(rng, span_of(normal, out));
  double bytes = (double)out.rows * (double)out.cols * (double)qn_dtype_size(out.dtype);
  return qn_trace_end(stream, begun,
                      (qn_trace_step){.kind = "other",
                                      .variant = g->name,
                                      .why = "",
                                      .m = out.rows,
                                      .n = out.cols,
                                      .bytes = bytes});
}

qn_status qn_rng_uniform(qn_stream *stream, qn_rng *rng, qn_matrix out) {
  return fill(stream, rng, out, false, "qn_rng_uniform");
}

qn_status qn_rng_normal(qn_stream *stream, qn_rng *rng, qn_matrix out) {
  return fill(stream, rng, out, true, "qn_rng_normal");
}
