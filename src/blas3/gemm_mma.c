/* GEMM of halves by mma.sync: one host driver for the steps of the ladder. */
#include "blas3/gemm_mma.h"
#include "blas3/device_arch.h"
#include "blas3/launch.h"
#include "blas3/operand.h"

typedef struct step {
  qn_kernel_text text;
  int bi, bj, bk;       /* a group's tile of C, and its step of k */
  int threads, buffers; /* buffers: steps of k in local memory that the launch provides */
  int band;             /* tiles of columns computed one after the other */
} step;

#define STEP_MACROS                                                                                \
  { "QN_T", "C_F32", "TRANSA", "TRANSB", "EPILOGUE_F32" }
#define WARP(name, bi, bj, bk)                                                                     \
  { {"cuda/gemm_" name ".cu", "gemm", "", STEP_MACROS}, bi, bj, bk, 32, 0, 1 }
/* Sixteen tiles of 128 columns and eight of 256 rows: one for each multiprocessor, a square of C.
 */
#define BLOCK(name, buffers)                                                                       \
  {                                                                                                \
    {"cuda/gemm_" name ".cu", "gemm", "-DBI=256 -DBJ=128 -DSTAGES=" #buffers, STEP_MACROS}, 256,   \
        128, 32, 256, buffers, 16                                                                  \
  }

static qn_status launch(qn_stream *stream, const qn_gemm_problem *g, unsigned copied,
                        const void *given) {
  (void)copied;
  const step *s = given;
  const int64_t across = qn_ceil_div(g->c.rows, s->bi), down = qn_ceil_div(g->c.cols, s->bj);
  qn_call call = {.count = 0};
  qn_call_i32(&call, (int32_t)g->c.rows);
  qn_call_i32(&call, (int32_t)g->c.cols);
  qn_call_i32(&call, (int32_t)qn_gemm_inner(g));
  qn_call_i32(&call, (int32_t)across);
  qn_call_i32(&call, (int32_t)down);
  qn_call_i32(&call, s->band);
  qn_call_scalar(&call, g->a.dtype, g->alpha);
  qn_call_matrix(&call, g->a);
  qn_call_matrix(&call, g->b);
  qn_call_scalar(&call, g->a.dtype, g->beta);
  qn_call_matrix(&call, g->c);
  qn_call_epilogue(&call, g->a.dtype, g->epilogue);
  call.dynamic = (uint32_t)(s->buffers * (s->bi + s->bj) * s->bk) * sizeof(uint16_t);
  qn_form form = {.text = &s->text,
                  .value = {(uint8_t)g->a.dtype, g->c.dtype != g->a.dtype, qn_trans_code(g->transa),
                            qn_trans_code(g->transb), g->epilogue ? g->epilogue->f32 : 0},
                  .replacement = g->epilogue ? g->epilogue->text : NULL};
  return qn_call_run(stream, &form, (qn_call_shape){across * down, 1, 1, (uint32_t)s->threads},
                     &call);
}

static bool has_mma(const qn_stream *stream, const qn_gemm_problem *g) {
  return qn_cuda_sm(stream->device) >= 80 && qn_operands_fit(g);
}

/* ---- the steps that are for learning ---- */

static bool whole_tiles(const step *s, const qn_gemm_problem *g) {
  return g->c.rows % s->bi == 0 && g->c.cols % s->bj == 0 && qn_gemm_inner(g) % s->bk == 0;
}

static double never(const qn_stream *stream, const qn_gemm_problem *g) {
  (void)stream, (void)g;
  return 1e9;
}

#define STEP(variant, name, needs, also, ...)                                                      \
  static const step variant##_step = __VA_ARGS__;                                                  \
  static bool variant##_applicable(const qn_stream *stream, const qn_gemm_problem *g) {            \
    return has_mma(stream, g) && whole_tiles(&variant##_step, g) && (also);                        \
  }                                                                                                \
  static qn_status variant##_launch(qn_stream *stream, const qn_gemm_problem *g) {                 \
    return qn_operands_align(stream, g, launch, &variant##_step);                                  \
  }                                                                                                \
  const qn_gemm_variant qn_gemm_##variant = {                                                      \
      name, needs, variant##_applicable, never, variant##_launch, qn_lacks_cuda_80}

STEP(wmma_naive, "wmma_naive", "m, n, k and ld multiples of 16",
     g->a.ld % 16 == 0 && g->b.ld % 16 == 0, WARP("wmma_naive", 16, 16, 16));
STEP(mma_naive, "mma_naive", "m, n, k multiples of 8, 16, 16", true, WARP("mma_naive", 8, 16, 16));
STEP(mma_naive_f16acc, "mma_naive_f16acc", "f16 and m, n, k multiples of 8, 16, 16",
     g->a.dtype == QN_F16, WARP("mma_naive_f16acc", 8, 16, 16));
STEP(mma_m16n8k8, "mma_m16n8k8", "m, n, k multiples of 8, 16, 8", true,
     WARP("mma_m16n8k8", 8, 16, 8));
STEP(mma_tiled, "mma_tiled", "m, n, k multiples of 256, 128, 32", true, BLOCK("mma_tiled", 1));
STEP(mma_swizzled, "mma_swizzled", "m, n, k multiples of 256, 128, 32", true,
     BLOCK("mma_swizzled", 1));
STEP(mma_async, "mma_async", "m, n, k multiples of 256, 128, 32", true, BLOCK("mma_async", 2));

/* ---- the one that is for use ---- */

static const step pipelined = BLOCK("mma_pipelined", 4);

static qn_status pipelined_launch(qn_stream *stream, const qn_gemm_problem *g) {
  return qn_operands_align(stream, g, launch, &pipelined);
}

/* A step of k of one tile takes an H200 0.58 us; elsewhere the ratio to other variants holds. */
static double pipelined_cost(const qn_stream *stream, const qn_gemm_problem *g) {
  const double start = 5e-6, step_seconds = 0.58e-6, rest = 2e-6;
  const int64_t units = stream->device->info.compute_units ? stream->device->info.compute_units : 1;
  int64_t tiles = qn_ceil_div(g->c.rows, pipelined.bi) * qn_ceil_div(g->c.cols, pipelined.bj);
  double steps = (double)qn_ceil_div(qn_gemm_inner(g), pipelined.bk);
  return start + (double)qn_ceil_div(tiles, units) * (steps * step_seconds + rest) +
         qn_operand_cost(g->a) + qn_operand_cost(g->b);
}

const qn_gemm_variant qn_gemm_mma_pipelined = {
    "mma_pipelined", NULL, has_mma, pipelined_cost, pipelined_launch, qn_lacks_cuda_80};
