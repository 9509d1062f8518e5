/* TRSM in f64, and f32 by f64, on tensor cores: its shape, its shared memory and its launch. */
#include "blas3/trsm_tensor.h"
#include "blas3/canonical.h"
#include "blas3/device_arch.h"
#include "blas3/step.h"

/* As the kernels have them. Counters, tiles in their stages and X of HALF unknowns fill 211 KiB; a
 * block's inverse has ten eighths of its rows, and a number that says whether it is good. */
enum { NB = 32, COLUMNS = 16, MOST_SETS = 4, HALF = 256, KEPT = 642 };
#define MACROS "QN_T", "TRANS", "BACK", "QN_SM"
static const qn_kernel_text text = {"cuda/trsm_tensor.cu", "trsm_tensor", "", {MACROS, "SETS"}};
static const qn_kernel_text inverse = {"cuda/trsm_invert.cu", "trsm_invert", "", {MACROS}};

static uint32_t shared_bytes(int sets) {
  enum { COUNTERS = 2048, TILES = 8 * NB * (NB + 8) };
  return (uint32_t)(COUNTERS + (TILES + sets * COLUMNS * (HALF + 1)) * (int)sizeof(double));
}

/* Of COLUMNS that a group takes: so many that all groups run at a time and fill the card, if they
 * can. */
static int sets_of(const qn_stream *stream, int64_t nrhs) {
  const int64_t units = stream->device->info.compute_units;
  int sets = 1;
  while (sets < MOST_SETS && nrhs > units * COLUMNS * sets) sets *= 2;
  return sets;
}

int64_t qn_trsm_tensor_order(const qn_device *device, qn_dtype dtype) {
  const bool has = (dtype == QN_F64 || dtype == QN_F32) &&
                   strcmp(device->info.backend, "cuda") == 0 && qn_sm_of(device) >= 90 &&
                   device->info.local_memory >= shared_bytes(MOST_SETS);
  return !has ? 0 : qn_sm_of(device) == 90 ? 2 * HALF : HALF;
}

bool qn_trsm_tensor_ready(const qn_triangular_problem *p) {
  return p->inverses && p->first % NB == 0;
}

static qn_form form_of(const qn_stream *stream, const qn_triangular_problem *p,
                       const qn_kernel_text *kernel, int sets) {
  const qn_canonical c = qn_canonical_of(p);
  return (qn_form){.text = kernel,
                   .value = {(uint8_t)p->a.dtype, c.transposed, c.back,
                             (uint8_t)qn_sm_of(stream->device), (uint8_t)sets}};
}

qn_status qn_trsm_tensor_invert(qn_stream *stream, const qn_triangular_problem *p,
                                qn_buffer **inverses) {
  enum { WARPS = 4 };
  const int64_t blocks = qn_ceil_div(p->a.rows, NB);
  *inverses = NULL;
  if (qn_step_alloc(stream, (size_t)(blocks * KEPT) * sizeof(double), inverses) != QN_OK)
    return QN_OK; /* base blocks then go another way */
  qn_call call = {.early = true};
  qn_call_i32(&call, (int32_t)p->a.rows);
  qn_call_i32(&call, p->diag == QN_UNIT);
  qn_call_matrix(&call, p->a);
  qn_call_buffer(&call, *inverses);
  const qn_form form = form_of(stream, p, &inverse, 0);
  const qn_status status = qn_call_run(
      stream, &form, (qn_call_shape){qn_ceil_div(blocks, WARPS), 1, 1, 32 * WARPS}, &call);
  if (status != QN_OK) qn_scratch_free(stream, *inverses);
  return status;
}

qn_status qn_trsm_tensor(qn_stream *stream, const qn_triangular_problem *p) {
  enum { COPIERS = 128 };
  const int64_t nrhs = qn_triangular_nrhs(p);
  const int sets = sets_of(stream, nrhs);
  qn_call call = {.dynamic = shared_bytes(sets), .early = true};
  qn_call_triangle(&call, p);
  qn_call_buffer(&call, p->inverses);
  qn_call_i64(&call, p->first / NB);
  const qn_form form = form_of(stream, p, &text, sets);
  const int64_t groups = qn_ceil_div(nrhs, sets * COLUMNS);
  return qn_call_run(stream, &form,
                     (qn_call_shape){groups, 1, 1, (uint32_t)(2 * 32 * sets + COPIERS)}, &call);
}
