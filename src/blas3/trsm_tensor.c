/* TRSM in f64, and f32 by f64, on tensor cores: its shape, its shared memory and its launch. */
#include "blas3/trsm_tensor.h"
#include "blas3/canonical.h"
#include "blas3/device_arch.h"

/* What the kernel is compiled for; X of ORDER unknowns, the tiles and the inverses fill 221 KiB. */
enum { NB = 64, STAGES = 2, WARPS = 4, COLUMNS = 16 * WARPS, ORDER = 256 };
static const qn_kernel_text text = {"cuda/trsm_tensor.cu",
                                    "trsm_tensor",
                                    "-DNB=64 -DSTAGES=2 -DWARPS=4 -DMOST_EIGHTS=32",
                                    {"QN_T", "TRANS", "BACK", "QN_SM"}};

/* Rows of a tile and columns of X are longer than their length, as the kernel has it; X is f64, and
 * so are the inverses, eight columns of each row. */
static uint32_t shared_bytes(qn_dtype dtype, int64_t order) {
  const int64_t tile = NB * (NB + 8), height = qn_round_up(order, NB) + 8;
  return (uint32_t)(STAGES * tile * (int64_t)qn_dtype_size(dtype) +
                    (8 * (height - 8) + COLUMNS * height) * (int64_t)sizeof(double));
}

int64_t qn_trsm_tensor_order(const qn_device *device, qn_dtype dtype) {
  const bool has = (dtype == QN_F64 || dtype == QN_F32) &&
                   strcmp(device->info.backend, "cuda") == 0 && qn_sm_of(device) >= 80 &&
                   device->info.local_memory >= shared_bytes(dtype, ORDER);
  return has ? ORDER : 0;
}

qn_status qn_trsm_tensor(qn_stream *stream, const qn_triangular_problem *p) {
  const qn_canonical c = qn_canonical_of(p);
  qn_call call = {.dynamic = shared_bytes(p->a.dtype, p->a.rows),
                  .early = qn_sm_of(stream->device) >= 90};
  qn_call_triangle(&call, p);
  const qn_form form = {
      .text = &text,
      .value = {(uint8_t)p->a.dtype, c.transposed, c.back, (uint8_t)qn_sm_of(stream->device)}};
  const int64_t groups = qn_ceil_div(qn_triangular_nrhs(p), COLUMNS);
  return qn_call_run(stream, &form, (qn_call_shape){groups, 1, 1, 64 * WARPS}, &call);
}
