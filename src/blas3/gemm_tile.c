/* GEMM by compiled tiles: how many parts of k, the expected seconds, and the launch.
 *
 * Where the tiles of C alone leave multiprocessors idle, k is split. The parts of a tile are one
 * cluster where its kernel can do that; else each part writes raw sums to workspace and a second
 * launch adds them. Either way in order, so the result depends on nothing but the shape and the
 * device. */
#include "blas3/gemm_tile.h"
#include <stdlib.h>
#include <string.h>

/* ---- how a tile would run a problem ---- */

typedef struct plan {
  int64_t tiles, k, k_part;
  int parts;
  double seconds;
} plan;

enum { MAX_PARTS = 32, MAX_CLUSTER = 8, MIN_K_PART = 128 };
static const int64_t max_work_bytes = INT64_C(6) << 20; /* within the 8 MiB a routine may take */

static bool pipelined(const qn_gemm_tile *t) {
  return t->stages > 0;
}

static bool clusters(const qn_gemm_tile *t, const qn_device *device) {
  return pipelined(t) && qn_sm_of(device) >= 90;
}

static double plan_seconds(const qn_gemm_tile *t, const qn_device *device, const plan *p, int64_t k,
                           double c_bytes) {
  const double launch = 3e-6, exchange = 2e-6, bandwidth = 2e12;
  double units = device->info.compute_units ? device->info.compute_units : 1;
  double slots = units * t->resident;
  double waves = (double)qn_ceil_div(p->tiles * p->parts, (int64_t)slots);
  double last = (double)(p->tiles * p->parts) - (waves - 1) * slots; /* groups of the last wave */
  double share = last < units ? 1.0 / t->resident : last / slots;    /* of a full wave's time */
  double steps = (double)qn_ceil_div(k, t->bk) + 4; /* fill and store count as steps */
  double rate = strcmp(device->info.backend, "cuda") == 0 ? t->cuda_rate : t->rate;
  double step = (double)t->bm * t->bn * t->bk * t->resident / (rate * 1e9);
  double reduce = p->parts == 1         ? 0
                  : clusters(t, device) ? exchange
                                        : launch + 2 * p->parts * c_bytes / bandwidth;
  return launch + (waves - 1 + share) * steps * step + reduce;
}

/* Whether k may be cut so; a triangle's sums are known to be whole where they are stored. */
static bool divides(const qn_gemm_tile *t, const qn_device *device, const qn_gemm_problem *g,
                    const plan *p, double c_bytes) {
  return clusters(t, device) ? p->parts <= MAX_CLUSTER
                             : !g->triangle && c_bytes * p->parts <= (double)max_work_bytes;
}

/* The k of a tile that sets the time: where there are tiles enough, the mean over a triangle. */
static int64_t deciding_k(const qn_gemm_tile *t, const qn_stream *stream, const qn_gemm_problem *g,
                          const plan *p) {
  if (!g->triangle || p->tiles * p->parts <= stream->device->info.compute_units * t->resident)
    return p->k_part;
  const int64_t extent = g->triangle->side == QN_LEFT ? t->bm : t->bn;
  return qn_min64(p->k_part, (p->k_part + qn_ceil_div(extent, p->parts)) / 2);
}

static plan plan_of(const qn_gemm_tile *t, const qn_stream *stream, const qn_gemm_problem *g) {
  int64_t m = g->c.rows, n = g->c.cols;
  int64_t k = qn_scalar_is(g->alpha, 0.0) ? 0 : qn_gemm_inner(g);
  double c_bytes = (double)m * (double)n * (double)qn_dtype_size(qn_dtype_compute(g->a.dtype));
  plan best = {0};
  for (int parts = 1; parts <= MAX_PARTS; parts *= 2) {
    plan p = {.tiles = qn_ceil_div(m, t->bm) * qn_ceil_div(n, t->bn), .k = k};
    p.k_part = parts == 1 ? k : qn_round_up(qn_ceil_div(k, parts), t->bk);
    if (parts > 1 && p.k_part < MIN_K_PART) break;
    p.parts = parts == 1 ? 1 : (int)qn_ceil_div(k, p.k_part);
    if (parts > 1 && !divides(t, stream->device, g, &p, c_bytes)) break;
    p.seconds = plan_seconds(t, stream->device, &p, deciding_k(t, stream, g, &p), c_bytes);
    if (best.parts == 0 || p.seconds < best.seconds) best = p;
  }
  return best;
}

/* What the stages take, their counters, and in a cluster the sums that take their place. */
static size_t shared_bytes(const qn_gemm_tile *t, qn_dtype dtype, bool sums) {
  size_t stages = (size_t)t->stages * (size_t)(t->stage_bytes + 16);
  size_t tile = (size_t)t->bm * (size_t)t->bn * qn_dtype_size(dtype);
  return sums && tile > stages ? tile : stages;
}

double qn_gemm_tile_cost(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  return plan_of(t, stream, g).seconds;
}

bool qn_gemm_tile_fits(const qn_stream *stream, const qn_gemm_tile *t, qn_dtype dtype) {
  uint64_t most = stream->device->info.local_memory;
  return most == 0 || shared_bytes(t, dtype, true) <= most;
}

/* ---- launching ---- */

/* As gemm_triangle.cu numbers them. */
static uint8_t triangle_code(const qn_gemm_triangle *triangle) {
  if (!triangle) return 0;
  if (triangle->side == QN_LEFT) return triangle->lower ? 1 : 2;
  return triangle->lower ? 4 : 3;
}

static qn_form form_of(const qn_gemm_tile *t, const qn_stream *stream, const qn_gemm_problem *g,
                       const qn_epilogue_use *epilogue) {
  return (qn_form){.text = &t->text,
                   .value = {(uint8_t)g->a.dtype, g->c.dtype != g->a.dtype,
                             qn_trans_code(g->transa), qn_trans_code(g->transb),
                             (uint8_t)qn_sm_of(stream->device), epilogue ? epilogue->f32 : 0,
                             triangle_code(g->triangle)},
                   .replacement = epilogue ? epilogue->text : NULL};
}

/* How a pipelined kernel wants to be launched. */
static void size_pipeline(qn_call *call, const qn_gemm_tile *t, const qn_device *device,
                          qn_dtype dtype, const plan *p) {
  if (!pipelined(t)) return;
  bool cluster = clusters(t, device) && p->parts > 1;
  call->dynamic = (uint32_t)shared_bytes(t, dtype, cluster);
  if (cluster) call->cluster = (uint32_t)p->parts;
}

static uint32_t items_of(const qn_gemm_tile *t, const qn_device *device) {
  bool copiers = pipelined(t) && qn_sm_of(device) == 90;
  return (uint32_t)t->threads + (copiers ? QN_GEMM_COPIERS : 0);
}

static qn_status launch_tiles(qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t,
                              const plan *p, qn_buffer *work) {
  /* raw sums have none */
  const qn_epilogue_use *epilogue = work ? NULL : g->epilogue;
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
  if (g->triangle) qn_call_i32(&call, g->triangle->unit);
  qn_call_epilogue(&call, g->a.dtype, epilogue);
  qn_form form = form_of(t, stream, g, epilogue);
  size_pipeline(&call, t, stream->device, g->a.dtype, p);
  return qn_call_run(stream, &form,
                     (qn_call_shape){p->tiles, 1, p->parts, items_of(t, stream->device)}, &call);
}

qn_status qn_gemm_reduce(qn_stream *stream, const qn_gemm_problem *g, int parts,
                         const qn_buffer *work) {
  enum { ITEMS = 64, MAX_Y = 65535 };
  static const qn_kernel_text text = {
      "portable/gemm_reduce.cl", "gemm_reduce", "", {"QN_T", "C_F32", "EPILOGUE_F32"}};
  qn_call call = {.count = 0};
  qn_call_i64(&call, g->c.rows);
  qn_call_i64(&call, g->c.cols);
  qn_call_i32(&call, parts);
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

qn_status qn_gemm_tile_launch(qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  plan p = plan_of(t, stream, g);
  qn_buffer *work = NULL;
  if (p.parts > 1 && !clusters(t, stream->device)) {
    size_t bytes =
        (size_t)(g->c.rows * g->c.cols * p.parts) * qn_dtype_size(qn_dtype_compute(g->a.dtype));
    if (qn_scratch_alloc(stream, bytes, &work) != QN_OK) {
      p.parts = 1; /* without workspace k stays whole: slower, never a failure */
      p.k_part = p.k;
    }
  }
  qn_status status = launch_tiles(stream, g, t, &p, work);
  if (status == QN_OK && work) status = qn_gemm_reduce(stream, g, p.parts, work);
  qn_scratch_free(stream, work);
  return status;
}
