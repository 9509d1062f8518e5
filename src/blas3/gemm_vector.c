/* GEMM on OpenCL devices that are CPUs: pack both operands, then one item a panel pair
 * (src/kernels/portable/gemm_vector.cl). Local memory and barriers, which the tiled variants live
 * on, are emulated there and cost five times what they gain. */
#include "blas3/gemm_vector.h"
#include "blas3/gemm_tiled.h"
#include "blas3/launch.h"
#include <string.h>

enum { NR = 8, K_STEP = 1024, K_RUN = 64 };

/* Rows of a panel of A, and reals in a step of a panel: see the kernel. */
static int64_t panel_rows(qn_dtype dtype) {
  bool wide = dtype == QN_F64 || dtype == QN_C128;
  return (wide ? 8 : 16) * (qn_dtype_is_complex(dtype) ? 1 : 2);
}

typedef struct job {
  const qn_gemm_problem *g;
  uint8_t value[QN_FORM_VALUES];
  int64_t rows, panels_a, panels_b, k; /* k: of one pass */
  qn_buffer *a, *b;                    /* packed */
} job;

#define VECTOR_TEXT(entry)                                                                         \
  {                                                                                                \
    "portable/gemm_vector.cl", entry, "", {                                                        \
      "QN_T", "C_F32", "TRANSA", "TRANSB", "EPILOGUE_F32"                                          \
    }                                                                                              \
  }
static const qn_kernel_text pack_a_text = VECTOR_TEXT("pack_a"),
                            pack_b_text = VECTOR_TEXT("pack_b"), gemm_text = VECTOR_TEXT("gemm");

static qn_status run(qn_stream *stream, const job *j, const qn_kernel_text *text, int64_t x,
                     int64_t y, const qn_epilogue_use *epilogue, const qn_call *call) {
  qn_form form = {.text = text};
  memcpy(form.value, j->value, sizeof form.value);
  if (epilogue) {
    form.value[4] = epilogue->f32;
    form.replacement = epilogue->text;
  }
  return qn_call_run(stream, &form, (qn_call_shape){x, y, 1, 1}, call);
}

/* Columns p0 .. p0+k-1 of op(X), or rows of it, packed into `panels`. */
static qn_status pack(qn_stream *stream, const job *j, const qn_kernel_text *text, qn_matrix x,
                      int64_t extent, int64_t k, int64_t panels, const qn_buffer *to) {
  qn_call call = {.count = 0};
  qn_call_i64(&call, extent);
  qn_call_i64(&call, k);
  qn_call_matrix(&call, x);
  qn_call_buffer(&call, to);
  return run(stream, j, text, panels, qn_ceil_div(k, K_RUN), NULL, &call);
}

static qn_status pass(qn_stream *stream, const job *j, int64_t p0, int64_t k, qn_scalar beta,
                      const qn_epilogue_use *epilogue) {
  const qn_gemm_problem *g = j->g;
  qn_matrix a = g->a, b = g->b;
  a.offset += g->transa == QN_NOTRANS ? p0 * a.ld : p0;
  b.offset += g->transb == QN_NOTRANS ? p0 : p0 * b.ld;
  if (k > 0) {
    QN_TRY(pack(stream, j, &pack_a_text, a, g->c.rows, k, j->panels_a, j->a));
    QN_TRY(pack(stream, j, &pack_b_text, b, g->c.cols, k, j->panels_b, j->b));
  }
  qn_call call = {.count = 0};
  qn_call_i64(&call, g->c.rows);
  qn_call_i64(&call, g->c.cols);
  qn_call_i64(&call, k);
  qn_call_i32(&call, (int32_t)g->region);
  qn_call_scalar(&call, g->a.dtype, g->alpha);
  qn_call_buffer(&call, j->a);
  qn_call_buffer(&call, j->b);
  qn_call_scalar(&call, g->a.dtype, beta);
  qn_call_matrix(&call, g->c);
  qn_call_epilogue(&call, g->a.dtype, epilogue);
  return run(stream, j, &gemm_text, j->panels_b, j->panels_a, epilogue, &call);
}

/* C in a half would lose what earlier passes summed, and an epilogue may ask for what C held before
 * them: there k stays whole. */
static int64_t pass_length(const qn_gemm_problem *g, int64_t k) {
  bool whole = qn_dtype_is_half(g->c.dtype) ||
               (g->epilogue && qn_epilogue_reads(&g->epilogue->epilogue->program, QN_SLOT_C));
  return whole ? k : qn_min64(k, K_STEP);
}

static qn_status passes(qn_stream *stream, const job *j, int64_t k) {
  qn_scalar beta = j->g->beta;
  int64_t p0 = 0;
  do {
    int64_t length = qn_min64(j->k, k - p0);
    bool last = p0 + length >= k;
    QN_TRY(pass(stream, j, p0, length, beta, last ? j->g->epilogue : NULL));
    beta = qn_real(1);
    p0 += length;
  } while (p0 < k);
  return QN_OK;
}

static qn_status launch(qn_stream *stream, const qn_gemm_problem *g) {
  int64_t k = qn_scalar_is(g->alpha, 0.0) ? 0 : qn_gemm_inner(g);
  size_t size = qn_dtype_size(qn_dtype_compute(g->a.dtype));
  job j = {.g = g,
           .value = {(uint8_t)g->a.dtype, g->c.dtype != g->a.dtype, qn_trans_code(g->transa),
                     qn_trans_code(g->transb)},
           .rows = panel_rows(g->a.dtype),
           .k = pass_length(g, k)};
  j.panels_a = qn_ceil_div(g->c.rows, j.rows);
  j.panels_b = qn_ceil_div(g->c.cols, NR);
  qn_status status = qn_scratch_alloc(stream, (size_t)(j.panels_a * j.rows * j.k) * size, &j.a);
  if (status == QN_OK)
    status = qn_scratch_alloc(stream, (size_t)(j.panels_b * NR * j.k) * size, &j.b);
  if (status == QN_EDEVMEM)
    status = qn_gemm_tile_large.launch(stream, g); /* slower, never a failure */
  else if (status == QN_OK)
    status = passes(stream, &j, k);
  qn_scratch_free(stream, j.b);
  qn_scratch_free(stream, j.a);
  return status;
}

static bool applicable(const qn_stream *stream, const qn_gemm_problem *g) {
  (void)g;
  return stream->device->ops->launch && stream->device->info.kind == QN_DEVICE_CPU;
}

/* 30e9 multiply-adds a second are far above what tiles reach there, at any shape. */
static double cost(const qn_stream *stream, const qn_gemm_problem *g) {
  (void)stream;
  double work = (double)g->c.rows * (double)g->c.cols * (double)qn_gemm_inner(g);
  return 1e-9 + work / 30e12;
}

static const char *lacks(const qn_device *device) {
  return device->info.kind == QN_DEVICE_CPU ? NULL : "a cpu";
}

const qn_gemm_variant qn_gemm_vector = {"vector", NULL, applicable, cost, launch, lacks};
