/* Collects arguments and launches a kernel of the library. */
#include "blas3/launch.h"
#include "blas3/prepare.h"

static unsigned next(qn_call *call, size_t size) {
  unsigned i = call->count++;
  call->args[i] = (qn_arg){.kind = QN_ARG_VALUE, .size = size, .value = &call->values[i]};
  return i;
}

void qn_call_i32(qn_call *call, int32_t value) {
  call->values[next(call, sizeof value)].i32 = value;
}

void qn_call_i64(qn_call *call, int64_t value) {
  call->values[next(call, sizeof value)].i64 = value;
}

void qn_call_scalar(qn_call *call, qn_dtype dtype, qn_scalar value) {
  size_t parts = qn_dtype_is_complex(dtype) ? 2 : 1;
  if (dtype == QN_F64 || dtype == QN_C128) {
    double *to = call->values[next(call, parts * sizeof *to)].f64;
    to[0] = value.re;
    to[1] = value.im;
  } else {
    float *to = call->values[next(call, parts * sizeof *to)].f32;
    to[0] = (float)value.re;
    to[1] = (float)value.im;
  }
}

void qn_call_buffer(qn_call *call, const qn_buffer *buffer) {
  call->args[call->count++] = (qn_arg){.kind = QN_ARG_MEM, .mem = buffer->mem};
}

void qn_call_bytes(qn_call *call, const void *value, size_t size) {
  call->args[call->count++] = (qn_arg){.kind = QN_ARG_VALUE, .size = size, .value = value};
}

void qn_call_matrix(qn_call *call, qn_matrix m) {
  qn_call_buffer(call, m.buffer);
  qn_call_i64(call, m.offset);
  qn_call_i64(call, m.ld);
}

void qn_call_epilogue(qn_call *call, qn_dtype dtype, const qn_epilogue_use *use) {
  if (!use) return;
  const qn_epilogue_program *program = &use->epilogue->program;
  for (unsigned s = 0; s < QN_EPILOGUE_SCALARS; s++)
    if (qn_epilogue_reads(program, QN_SLOT_SCALAR + s)) qn_call_scalar(call, dtype, use->scalar[s]);
  for (unsigned i = 0; i < QN_EPILOGUE_MATRICES; i++) {
    const qn_epilogue_matrix *x = &use->matrix[i];
    if (!qn_epilogue_reads(program, QN_SLOT_BIAS_M + i)) continue;
    qn_call_buffer(call, x->m.buffer);
    qn_call_i64(call, x->m.offset);
    qn_call_i64(call, x->step_i);
    qn_call_i64(call, x->step_j);
  }
}

qn_status qn_call_run(qn_stream *stream, const qn_form *form, qn_call_shape shape,
                      const qn_call *call) {
  if (stream->rehearsal) {
    qn_rehearsal_note(stream->rehearsal, form);
    return QN_OK;
  }
  const qn_jit_entry *kernel;
  QN_TRY(qn_form_kernel(stream->device, form, &kernel));
  qn_launch launch = {.groups = {(uint32_t)shape.x, (uint32_t)shape.y, (uint32_t)shape.z},
                      .group = {shape.items, 1, 1},
                      .cluster = {call->cluster_x, 1, call->cluster},
                      .dynamic_local = call->dynamic,
                      .early = call->early};
  return qn_jit_launch(stream, kernel, &launch, call->args, call->count);
}

qn_status qn_exchange_alloc(qn_stream *stream, int64_t elements, qn_dtype dtype,
                            qn_buffer **exchange) {
  const size_t bytes = (size_t)(elements + 1) * qn_dtype_size(dtype);
  QN_TRY(qn_scratch_alloc(stream, bytes, exchange));
  if (stream->rehearsal) return QN_OK;
  const qn_status status = qn_fill(stream, *exchange, 0, bytes, UINT32_MAX, 4);
  if (status != QN_OK) qn_scratch_free(stream, *exchange);
  return status;
}

/* A card is full some times over with this many groups; starting more takes longer than their
 * elements. A cpu runs through a group's items one by one: there a group stays in its column. */
enum { MOST_GROUPS = 32768 };

qn_status qn_call_each(qn_stream *stream, qn_matrix over, const qn_form *form,
                       const qn_call *call) {
  const bool cpu = stream->device->info.kind == QN_DEVICE_CPU;
  const int64_t x = qn_ceil_div(over.rows, QN_CALL_ITEMS);
  const int64_t most = cpu ? QN_CALL_MOST_Y : qn_max64(1, MOST_GROUPS / x);
  const int64_t y = qn_min64(over.cols, most);
  const qn_call_shape shape = {x, y, 1, QN_CALL_ITEMS};
  return qn_call_run(stream, form, shape, call);
}
