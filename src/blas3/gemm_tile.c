/* GEMM by compiled tiles: how many parts of k, the expected seconds, and the launch.
 *
 * Where the tiles of C alone leave multiprocessors idle, k is split. The parts of a tile are one
 * cluster where its kernel can do that and few are enough; else each part writes raw sums to
 * workspace and a second launch adds them. Either way in order, so the result depends on nothing
 * but the shape and the device. */
#include "blas3/gemm_tile.h"
#include <stdlib.h>
#include <string.h>

/* ---- how a tile would run a problem ---- */

typedef struct plan {
  int64_t tiles, k, k_part;
  int64_t inside; /* of the tiles, those that the wanted region of C meets */
  int parts;
  bool cluster; /* the parts of a tile are one */
  double c_bytes, seconds;
} plan;

enum { MAX_PARTS = 66, MAX_CLUSTER = 8, MIN_K_PART = 128 };
static const int64_t max_work_bytes = INT64_C(32) << 20;

static bool pipelined(const qn_gemm_tile *t) {
  return t->stages > 0;
}

/* The counters, the stages, and what groups of a cluster send each other. In a pair, of doubles,
 * that is half a tile, which lies behind the stages where so many groups leave room on a
 * multiprocessor (gemm_pair.cu). Else sums take the place of the stages in the end, or lie behind
 * them: from each group units of up to 32 bytes of an item (16 where they lie behind), to each
 * group as many (gemm_cluster.cu). */
static size_t shared_bytes(const qn_gemm_tile *t, const qn_device *device, qn_dtype dtype,
                           int parts) {
  enum { COUNTERS = 128, MOST_BEFORE_90 = 4, ALL = 228 * 1024, OF_A_GROUP = 1024 };
  const int unit = t->room ? 16 : 32;
  int count = qn_sm_of(device) < 90 && t->stages > MOST_BEFORE_90 ? MOST_BEFORE_90 : t->stages;
  size_t stages = (size_t)count * (size_t)t->stage_bytes;
  if (parts == 1) return COUNTERS + stages;
  int64_t items = (int64_t)t->threads,
          tile = (int64_t)t->bm * t->bn * (int64_t)qn_dtype_size(dtype);
  size_t half = (size_t)tile / 2;
  const bool pair = parts == 2 && !t->room && (dtype == QN_F64 || dtype == QN_C128);
  if (pair && (COUNTERS + stages + half + OF_A_GROUP) * (size_t)t->resident <= ALL)
    return COUNTERS + stages + half;
  size_t sums = (size_t)(parts * qn_ceil_div(tile / items / unit, parts) * unit * items);
  if (t->room) return COUNTERS + stages + sums;
  return COUNTERS + (sums > stages ? sums : stages);
}

static bool has_room(const qn_device *device, const qn_gemm_tile *t, qn_dtype dtype, int parts) {
  uint64_t most = device->info.local_memory;
  const uint64_t groups = t->room ? (uint64_t)t->resident : 1; /* each with its room */
  return !pipelined(t) || most == 0 || shared_bytes(t, device, dtype, parts) <= most / groups;
}

/* Groups that a device runs at a time, where so many are a cluster. An H200 is of parts with 16 or
 * 18 multiprocessors, some of which are missing; the others are taken to be like it. */
static int64_t slots_of(const qn_gemm_tile *t, const qn_device *device, const plan *p) {
  static const int clusters[MAX_CLUSTER + 1] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
  enum { UNITS = 132 };
  int64_t units = device->info.compute_units ? device->info.compute_units : 1;
  /* with a room, clusters of as many groups as a multiprocessor holds leave none over */
  if (!p->cluster || (t->room && t->resident % p->parts == 0)) return units * t->resident;
  return qn_max64(units * clusters[p->parts] / UNITS, 1) * p->parts * t->resident;
}

/* Seconds that the addition of parts takes: in a cluster a meeting, quick between the two
 * neighbours of a pair, and what its groups send one another; else another launch, and all sums
 * through the cache twice. */
static double exchange_seconds(const qn_gemm_tile *t, const plan *p, size_t size) {
  const double launch = 5e-6, bandwidth = 3e12, pair = 1e-6, meeting = 4.5e-6, between = 40e9;
  if (p->parts == 1) return 0;
  if (p->cluster)
    return (p->parts == 2 ? pair : meeting) + (double)t->bm * t->bn * (double)size / between;
  return launch + 2 * p->parts * p->c_bytes / bandwidth;
}

/* How long a wave takes in which multiprocessors have `groups` groups of those they have room for,
 * of the time of a full one: with few warps to switch between each waits a little longer. */
static double wave_share(const qn_gemm_tile *t, int64_t groups) {
  const double alone = 0.86, warp = 0.07, four_warps = 128;
  const double full = alone + warp * t->resident * t->threads / four_warps;
  const double here = alone + warp * (double)groups * t->threads / four_warps;
  return (double)groups / t->resident * (full < 1 ? full : 1) / (here < 1 ? here : 1);
}

/* The ends of a tile, its first copies and its stores, are filled in part where a multiprocessor
 * has other groups, or its one group the copies of the next tile. */
static double plan_seconds(const qn_gemm_tile *t, const qn_device *device, const plan *p, int64_t k,
                           size_t size) {
  const double launch = 3e-6, ends = t->resident > 1 || t->stays ? 3.3e-6 : 5e-6;
  const int64_t slots = slots_of(t, device, p), units = slots / t->resident;
  const int64_t waves = qn_ceil_div(p->inside * p->parts, slots);
  const int64_t last = p->inside * p->parts - (waves - 1) * slots; /* groups of the last wave */
  double rate = strcmp(device->info.backend, "cuda") == 0 ? t->cuda_rate : t->rate;
  double step = (double)t->bm * t->bn * t->bk * t->resident / (rate * 1e9);
  double wave = (double)qn_ceil_div(k, t->bk) * step + ends;
  const double exchange = exchange_seconds(t, p, size); /* of each wave, where by clusters */
  return launch + ((double)(waves - 1) + wave_share(t, qn_ceil_div(last, units))) * wave +
         (p->cluster ? (double)waves : 1) * exchange;
}

/* Of `tiles` those that meet the region, of each row (column, of an upper triangle) up to its edge.
 */
static int64_t tiles_inside(const qn_gemm_tile *t, const qn_gemm_problem *g, int64_t tiles) {
  if (g->region == QN_REGION_ALL) return tiles;
  const bool lower = g->region == QN_REGION_LOWER;
  const int64_t m = lower ? g->c.rows : g->c.cols, n = lower ? g->c.cols : g->c.rows;
  const int64_t bm = lower ? t->bm : t->bn, bn = lower ? t->bn : t->bm;
  int64_t inside = 0;
  for (int64_t i = 0; i < m; i += bm) inside += qn_ceil_div(qn_min64(n, qn_min64(i + bm, m)), bn);
  return inside;
}

/* The same of a triangle, whose groups have from next to nothing to all of k to do and come the
 * longest first: what the longest takes, and all together over the multiprocessors. */
static double triangle_seconds(const qn_gemm_tile *t, const qn_stream *stream,
                               const qn_gemm_problem *g, const plan *p, size_t size) {
  const double ends = 6.5e-6; /* once, and again in further waves */
  const double again = p->parts > 1 ? 2.5e-6 * p->parts : 1e-6;
  const double meeting = 1e-6, between = 40e9;
  const bool left = g->triangle->side == QN_LEFT;
  const int64_t extent = left ? t->bm : t->bn, rows = qn_ceil_div(p->k, extent);
  const int64_t slots = slots_of(t, stream->device, p), units = slots / t->resident;
  const int64_t groups = p->tiles * p->parts, waves = qn_ceil_div(groups, slots);
  int64_t steps = 0; /* of all tiles that lie in one column, and of the longest part */
  for (int64_t i = 1; i <= rows; i++)
    steps += qn_ceil_div(qn_min64(i * extent, p->k), t->bk * p->parts);
  const int64_t longest = qn_ceil_div(p->k, t->bk * p->parts);
  const double rate = strcmp(stream->device->info.backend, "cuda") == 0 ? t->cuda_rate : t->rate;
  const double step = (double)t->bm * t->bn * t->bk / (rate * 1e9);
  const int64_t beside = qn_min64(t->resident, qn_ceil_div(groups, units));
  /* groups beside one another fill one another's waits (timed in f64) */
  const double alone_by = (double)(t->resident - beside) / (double)t->resident;
  const double waits = 1 + (g->a.dtype == QN_F64 ? 0.1 * alone_by : 0);
  const double last = (double)(longest * beside) * step;
  const double all = (double)steps * (double)groups / (double)rows / (double)units * step;
  const double body = waves == 1 ? (all + last) / 2 : all + last / (4 * (double)waves);
  const double alone = (double)longest * step * (t->resident > 1 ? 1.1 : 1);
  return ends + waits * (alone > body ? alone : body) +
         (double)(waves - 1) * again / (double)t->resident +
         (p->parts > 1 ? meeting + (double)t->bm * t->bn * (double)size / between : 0);
}

/* Keeps the better of *best and k in about so many parts. */
static void consider(plan *best, const qn_gemm_tile *t, const qn_stream *stream,
                     const qn_gemm_problem *g, int parts, bool cluster) {
  const int64_t m = g->c.rows, n = g->c.cols;
  const size_t size = qn_dtype_size(qn_dtype_compute(g->a.dtype));
  plan p = {.tiles = qn_ceil_div(m, t->bm) * qn_ceil_div(n, t->bn), .cluster = cluster};
  p.inside = tiles_inside(t, g, p.tiles);
  p.c_bytes = (double)m * (double)n * (double)size;
  p.k = qn_scalar_is(g->alpha, 0.0) ? 0 : qn_gemm_inner(g);
  p.k_part = parts == 1 ? p.k : qn_round_up(qn_ceil_div(p.k, parts), t->bk);
  if (parts > 1 && p.k_part < MIN_K_PART) return;
  p.parts = parts == 1 ? 1 : (int)qn_ceil_div(p.k, p.k_part);
  if (p.parts == 1) p.cluster = false;
  if (p.cluster && !has_room(stream->device, t, g->a.dtype, p.parts)) return;
  /* a triangle's sums are known to be whole where they are stored */
  if (!p.cluster && p.parts > 1 && (g->triangle || p.c_bytes * p.parts > (double)max_work_bytes))
    return;
  p.seconds = g->triangle ? triangle_seconds(t, stream, g, &p, size)
                          : plan_seconds(t, stream->device, &p, p.k_part, size);
  if (best->parts == 0 || p.seconds < best->seconds) *best = p;
}

static plan plan_of(const qn_gemm_tile *t, const qn_stream *stream, const qn_gemm_problem *g) {
  plan best = {0};
  consider(&best, t, stream, g, 1, false);
  if (pipelined(t) && qn_sm_of(stream->device) >= 90)
    for (int parts = 2; parts <= MAX_CLUSTER; parts++) consider(&best, t, stream, g, parts, true);
  /* as many as the device runs at a time, or half as many ... */
  int64_t parts = slots_of(t, stream->device, &(plan){.parts = 1}) / best.tiles;
  for (parts = qn_min64(parts, MAX_PARTS); parts > 1; parts /= 2)
    consider(&best, t, stream, g, (int)parts, false);
  return best;
}

/* ---- the last wave ---- */

/* The product of `count` columns of C from `first` on. */
static qn_gemm_problem columns_of(const qn_gemm_problem *g, int64_t first, int64_t count) {
  qn_gemm_problem part = *g;
  part.c = qn_matrix_sub(g->c, 0, first, g->c.rows, count);
  part.b = g->transb == QN_NOTRANS ? qn_matrix_sub(g->b, 0, first, g->b.rows, count)
                                   : qn_matrix_sub(g->b, first, 0, count, g->b.cols);
  return part;
}

/* Where tiles fill a last wave by little, 8192 x 8192 x 8192 by 4 of 132, the last columns of C are
 * better a product of their own, whose k is split: how many, or 0. Not where waves are few: there
 * the model is too coarse. */
static int64_t columns_apart(const qn_gemm_tile *t, const qn_stream *stream,
                             const qn_gemm_problem *g, const plan *p) {
  enum { LEAST_WAVES = 8 };
  if (!pipelined(t) || g->triangle || g->epilogue || g->region != QN_REGION_ALL) return 0;
  const int64_t down = qn_ceil_div(g->c.rows, t->bm), across = qn_ceil_div(g->c.cols, t->bn);
  const int64_t slots = slots_of(t, stream->device, &(plan){.parts = 1});
  const int64_t over = down * across % slots, strip = qn_ceil_div(over, down);
  if (over == 0 || strip >= across || down * across < LEAST_WAVES * slots) return 0;
  const int64_t first = (across - strip) * t->bn;
  const qn_gemm_problem most = columns_of(g, 0, first),
                        rest = columns_of(g, first, g->c.cols - first);
  const double seconds = plan_of(t, stream, &most).seconds + plan_of(t, stream, &rest).seconds;
  return seconds < p->seconds ? g->c.cols - first : 0;
}

double qn_gemm_tile_cost(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  return plan_of(t, stream, g).seconds;
}

bool qn_gemm_tile_fits(const qn_stream *stream, const qn_gemm_tile *t, qn_dtype dtype) {
  return has_room(stream->device, t, dtype, 1);
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

/* How a pipelined kernel wants to be launched. It asks for so much of shared memory that no
 * multiprocessor holds more groups than its share: those of a launch that begins early, too, would
 * crowd where groups have ended first. */
static void size_pipeline(qn_call *call, const qn_gemm_tile *t, const qn_device *device,
                          qn_dtype dtype, const plan *p) {
  if (!pipelined(t)) return;
  call->dynamic = (uint32_t)shared_bytes(t, device, dtype, p->cluster ? p->parts : 1);
  if (p->cluster) call->cluster = (uint32_t)p->parts;
  if (qn_sm_of(device) < 90) return;
  const int64_t share = qn_ceil_div(p->inside * p->parts, slots_of(t, device, p) / t->resident);
  const uint32_t least = (uint32_t)(device->info.local_memory / (uint64_t)(share + 1));
  if (share < t->resident && call->dynamic < least) call->dynamic = least;
  call->early = true;
}

/* Groups along x: of a kernel whose groups stay, as many as run at a time, where all tiles have the
 * same to do. */
static int64_t groups_of(const qn_gemm_tile *t, const qn_device *device, const qn_gemm_problem *g,
                         const plan *p) {
  const bool even = p->parts == 1 && g->region == QN_REGION_ALL && !g->triangle;
  if (!t->stays || !even || qn_sm_of(device) != 90) return p->tiles;
  return qn_min64(p->tiles, slots_of(t, device, p));
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
  /* the portable kernels know parts by workspace alone */
  qn_call_i32(&call, p->cluster || !pipelined(t) ? p->parts : 1);
  if (pipelined(t)) qn_call_i32(&call, work != NULL);
  qn_call_i64(&call, p->k_part);
  qn_call_buffer(&call, work ? work : g->c.buffer);
  if (g->triangle) qn_call_i32(&call, g->triangle->unit);
  qn_call_epilogue(&call, g->a.dtype, epilogue);
  qn_form form = form_of(t, stream, g, epilogue);
  size_pipeline(&call, t, stream->device, g->a.dtype, p);
  return qn_call_run(
      stream, &form,
      (qn_call_shape){groups_of(t, stream->device, g, p), 1, p->parts, items_of(t, stream->device)},
      &call);
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

static qn_status launch_plan(qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t,
                             plan p) {
  qn_buffer *work = NULL;
  if (p.parts > 1 && !p.cluster) {
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

qn_status qn_gemm_tile_launch(qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  const plan p = plan_of(t, stream, g);
  const int64_t apart = columns_apart(t, stream, g, &p);
  if (apart == 0) return launch_plan(stream, g, t, p);
  const qn_gemm_problem most = columns_of(g, 0, g->c.cols - apart),
                        rest = columns_of(g, g->c.cols - apart, apart);
  qn_status status = launch_plan(stream, &most, t, plan_of(t, stream, &most));
  return status ? status : launch_plan(stream, &rest, t, plan_of(t, stream, &rest));
}
