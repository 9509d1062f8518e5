/* GEMM by compiled tiles: which tile, how many parts of k, and the launch.
 *
 * Where the tiles of C alone leave multiprocessors idle, k is split: each part writes raw sums to
 * workspace and a second launch adds them in order, so the result depends on nothing but the shape
 * and the device. */
#include "blas3/gemm_tiled.h"
#include "blas3/launch.h"
#include <stdlib.h>
#include <string.h>

/* One compiled tile. `rate` is what a multiprocessor of the H200 (1.98 GHz) reaches with it on
 * large products, in 1e9 multiply-adds a second, compiled by NVIDIA's OpenCL and by NVRTC: their
 * schedules differ by up to 12 %, one way for one tile and the other way for another. Elsewhere
 * the ratios still rank. */
typedef struct tile {
  qn_kernel_text text;
  int bm, bn, bk, threads;
  int resident; /* groups on a multiprocessor at a time */
  double rate, cuda_rate;
} tile;

#define TILE_MACROS                                                                                \
  { "QN_T", "C_F32", "TRANSA", "TRANSB", "QN_SM", "EPILOGUE_F32" }
/* `bound` is the least number of resident groups that the compiler is told to make room for. */
#define SIMT(bm, bn, bk, tm, tn, wm, wn, threads, bound, resident, rate, cuda_rate)                \
  {                                                                                                \
    {"portable/gemm.cl", "gemm",                                                                   \
     "-DBM=" #bm " -DBN=" #bn " -DBK=" #bk " -DTM=" #tm " -DTN=" #tn " -DWM=" #wm " -DWN=" #wn     \
     " -DTHREADS=" #threads " -DRESIDENT=" #bound,                                                 \
     TILE_MACROS},                                                                                 \
        bm, bn, bk, threads, resident, rate, cuda_rate                                             \
  }
#define DMMA(bm, bn, bk, wm, wn, threads, resident, rate)                                          \
  {                                                                                                \
    {"portable/gemm_dmma.cl", "gemm",                                                              \
     "-DBM=" #bm " -DBN=" #bn " -DBK=" #bk " -DWM=" #wm " -DWN=" #wn " -DTHREADS=" #threads,       \
     TILE_MACROS},                                                                                 \
        bm, bn, bk, threads, resident, rate, rate                                                  \
  }

#define LARGE_F32 SIMT(128, 128, 16, 8, 8, 64, 32, 256, 1, 2, 180, 159)
#define WIDE_F32  SIMT(128, 128, 8, 8, 16, 64, 64, 128, 1, 2, 161, 171)
#define SMALL_F32 SIMT(64, 64, 16, 4, 4, 32, 16, 256, 4, 4, 123, 123)
static const tile large_tiles[QN_DTYPE_COUNT] = {
    [QN_F16] = LARGE_F32,
    [QN_BF16] = LARGE_F32,
    [QN_F32] = LARGE_F32,
    [QN_F64] = SIMT(128, 64, 8, 8, 8, 64, 32, 128, 2, 2, 90, 90),
    [QN_C64] = SIMT(64, 64, 8, 4, 4, 32, 16, 256, 2, 2, 40, 40),
    [QN_C128] = SIMT(64, 64, 8, 4, 4, 32, 16, 256, 1, 1, 20, 20),
};
static const tile small_tiles[QN_DTYPE_COUNT] = {
    [QN_F16] = SMALL_F32,
    [QN_BF16] = SMALL_F32,
    [QN_F32] = SMALL_F32,
    [QN_F64] = SIMT(64, 64, 8, 4, 4, 32, 16, 256, 2, 2, 60, 60),
    [QN_C64] = SIMT(32, 32, 8, 2, 2, 16, 8, 256, 3, 3, 30, 30),
    [QN_C128] = SIMT(32, 32, 8, 2, 2, 16, 8, 256, 2, 2, 15, 15),
};
static const tile wide_tile = WIDE_F32;
static const tile dmma_large = DMMA(128, 64, 8, 64, 32, 128, 2, 160);
static const tile dmma_small = DMMA(64, 64, 16, 32, 32, 128, 3, 150);

/* ---- how a tile would run a problem ---- */

typedef struct plan {
  int64_t tiles, k, k_part;
  int parts;
  double seconds;
} plan;

enum { MAX_PARTS = 32, MIN_K_PART = 128 };
static const int64_t max_work_bytes = INT64_C(6) << 20; /* within the 8 MiB a routine may take */

static double plan_seconds(const tile *t, const qn_device *device, const plan *p, double c_bytes) {
  const double launch = 3e-6, bandwidth = 2e12;
  double units = device->info.compute_units ? device->info.compute_units : 1;
  double slots = units * t->resident;
  double waves = (double)qn_ceil_div(p->tiles * p->parts, (int64_t)slots);
  double last = (double)(p->tiles * p->parts) - (waves - 1) * slots; /* groups of the last wave */
  double share = last < units ? 1.0 / t->resident : last / slots;    /* of a full wave's time */
  double steps = (double)qn_ceil_div(p->k_part, t->bk) + 4; /* fill and store count as steps */
  double rate = strcmp(device->info.backend, "cuda") == 0 ? t->cuda_rate : t->rate;
  double step = (double)t->bm * t->bn * t->bk * t->resident / (rate * 1e9);
  double reduce = p->parts > 1 ? launch + 2 * p->parts * c_bytes / bandwidth : 0;
  return launch + (waves - 1 + share) * steps * step + reduce;
}

static plan plan_of(const tile *t, const qn_stream *stream, const qn_gemm_problem *g) {
  int64_t m = g->c.rows, n = g->c.cols;
  int64_t k = qn_scalar_is(g->alpha, 0.0) ? 0 : qn_gemm_inner(g);
  double c_bytes = (double)m * (double)n * (double)qn_dtype_size(qn_dtype_compute(g->a.dtype));
  plan best = {0};
  for (int parts = 1; parts <= MAX_PARTS; parts *= 2) {
    plan p = {.tiles = qn_ceil_div(m, t->bm) * qn_ceil_div(n, t->bn), .k = k};
    p.k_part = parts == 1 ? k : qn_round_up(qn_ceil_div(k, parts), t->bk);
    p.parts = parts == 1 ? 1 : (int)qn_ceil_div(k, p.k_part);
    if (parts > 1 && (p.k_part < MIN_K_PART || c_bytes * parts > (double)max_work_bytes)) break;
    p.seconds = plan_seconds(t, stream->device, &p, c_bytes);
    if (best.parts == 0 || p.seconds < best.seconds) best = p;
  }
  return best;
}

/* ---- launching ---- */

/* 90 of "sm_90a"; 0 where the device is not NVIDIA's. */
static int sm_of(const qn_device *device) {
  return strncmp(device->info.arch, "sm_", 3) == 0 ? atoi(device->info.arch + 3) : 0;
}

static qn_form form_of(const tile *t, const qn_stream *stream, const qn_gemm_problem *g,
                       const qn_epilogue_use *epilogue) {
  return (qn_form){.text = &t->text,
                   .value = {(uint8_t)g->a.dtype, g->c.dtype != g->a.dtype,
                             qn_trans_code(g->transa), qn_trans_code(g->transb),
                             (uint8_t)sm_of(stream->device), epilogue ? epilogue->f32 : 0},
                   .replacement = epilogue ? epilogue->text : NULL};
}

static qn_status launch_tiles(qn_stream *stream, const qn_gemm_problem *g, const tile *t,
                              const plan *p, qn_buffer *work) {
  const qn_epilogue_use *epilogue = p->parts > 1 ? NULL : g->epilogue; /* raw sums have none */
  qn_call call = {.count = 0};
  qn_call_i64(&call, g->c.rows);
  qn_call_i64(&call, g->c.cols);
  qn_call_i64(&call, p->k);
  qn_call_i32(&call, (int32_t)g->region);
  qn_call_scalar(&call, g->a.dtype, g->alpha);
  qn_call_matrix(&call, g->a);
  qn_call_matrix(&call, g->b);
  qn_call_scalar(&call, g->a.dtype, g->beta);
  qn_call_matrix(&call, g->c);
  qn_call_i32(&call, p->parts);
  qn_call_i64(&call, p->k_part);
  qn_call_buffer(&call, work ? work : g->c.buffer);
  qn_call_epilogue(&call, g->a.dtype, epilogue);
  qn_form form = form_of(t, stream, g, epilogue);
  return qn_call_run(stream, &form, (qn_call_shape){p->tiles, 1, p->parts, (uint32_t)t->threads},
                     &call);
}

static qn_status launch_reduce(qn_stream *stream, const qn_gemm_problem *g, const plan *p,
                               const qn_buffer *work) {
  enum { ITEMS = 64, MAX_Y = 65535 };
  static const qn_kernel_text text = {
      "portable/gemm_reduce.cl", "gemm_reduce", "", {"QN_T", "C_F32", "EPILOGUE_F32"}};
  qn_call call = {.count = 0};
  qn_call_i64(&call, g->c.rows);
  qn_call_i64(&call, g->c.cols);
  qn_call_i32(&call, p->parts);
  qn_call_i32(&call, (int32_t)g->region);
  qn_call_scalar(&call, g->a.dtype, g->alpha);
  qn_call_buffer(&call, work);
  qn_call_scalar(&call, g->a.dtype, g->beta);
  qn_call_matrix(&call, g->c);
  const qn_epilogue_use *epilogue = g->epilogue;
  qn_call_epilogue(&call, g->a.dtype, epilogue);
  qn_form form = {
      .text = &text,
      .value = {(uint8_t)g->a.dtype, g->c.dtype != g->a.dtype, epilogue ? epilogue->f32 : 0},
      .replacement = epilogue ? epilogue->text : NULL};
  return qn_call_run(
      stream, &form,
      (qn_call_shape){qn_ceil_div(g->c.rows, ITEMS), qn_min64(g->c.cols, MAX_Y), 1, ITEMS}, &call);
}

static qn_status launch(qn_stream *stream, const qn_gemm_problem *g, const tile *t) {
  plan p = plan_of(t, stream, g);
  qn_buffer *work = NULL;
  if (p.parts > 1) {
    size_t bytes =
        (size_t)(g->c.rows * g->c.cols * p.parts) * qn_dtype_size(qn_dtype_compute(g->a.dtype));
    if (qn_scratch_alloc(stream, bytes, &work) != QN_OK) {
      p.parts = 1; /* without workspace k stays whole: slower, never a failure */
      p.k_part = p.k;
    }
  }
  qn_status status = launch_tiles(stream, g, t, &p, work);
  if (status == QN_OK && work) status = launch_reduce(stream, g, &p, work);
  qn_scratch_free(stream, work);
  return status;
}

/* ---- the variants ---- */

static bool any(const qn_stream *stream, const qn_gemm_problem *g) {
  (void)g;
  return stream->device->ops->launch != NULL;
}

static bool real_f32(const qn_stream *stream, const qn_gemm_problem *g) {
  return any(stream, g) && qn_dtype_compute(g->a.dtype) == QN_F32;
}

static bool tensor_f64(const qn_stream *stream, const qn_gemm_problem *g) {
  return any(stream, g) && g->a.dtype == QN_F64 && sm_of(stream->device) >= 80;
}

/* Two steps of both operands, each row of 16-byte vectors with one more at its end. A device may
 * have no more than 32 KiB of local memory for a group. */
static bool fits(const tile *t, const qn_stream *stream, const qn_gemm_problem *g) {
  size_t size = qn_dtype_size(qn_dtype_compute(g->a.dtype));
  size_t bytes = 2 * (size_t)t->bk * ((size_t)(t->bm + t->bn) * size + 32);
  uint64_t most = stream->device->info.local_memory;
  return most == 0 || bytes <= most;
}

#define VARIANT(variant, name, serves, chosen)                                                     \
  static bool variant##_applicable(const qn_stream *stream, const qn_gemm_problem *g) {            \
    return serves(stream, g) && fits(chosen, stream, g);                                           \
  }                                                                                                \
  static double variant##_cost(const qn_stream *stream, const qn_gemm_problem *g) {                \
    return plan_of(chosen, stream, g).seconds;                                                     \
  }                                                                                                \
  static qn_status variant##_launch(qn_stream *stream, const qn_gemm_problem *g) {                 \
    return launch(stream, g, chosen);                                                              \
  }                                                                                                \
  const qn_gemm_variant qn_gemm_##variant = {name, variant##_applicable, variant##_cost,           \
                                             variant##_launch}

VARIANT(tile_large, "tile_large", any, &large_tiles[g->a.dtype]);
VARIANT(tile_wide, "tile_wide", real_f32, &wide_tile);
VARIANT(tile_small, "tile_small", any, &small_tiles[g->a.dtype]);
VARIANT(dmma_large, "dmma_large", tensor_f64, &dmma_large);
VARIANT(dmma_small, "dmma_small", tensor_f64, &dmma_small);
