/* GEMM of halves by wgmma: which tile, how many parts of k, the tensor maps, and the launch. */
#include "blas3/gemm_wgmma.h"
#include "blas3/device_arch.h"
#include "blas3/epilogue.h"
#include "blas3/gemm_tiled.h"
#include "blas3/launch.h"
#include "blas3/operand.h"
#include "device/tensor_map.h"

enum {
  LINE = 128,          /* bytes of a line of shared memory */
  STEP = 64,           /* of k; halves in a line */
  BARRIERS = 16,       /* bytes of a stage's, and of those for turns */
  PIECE = LINE * STEP, /* bytes that a group stores at a time */
  WARP = 16,           /* columns of them that a warp does */
  MAX_CLUSTER = 8,
  MAX_PARTS = 32
};

/* One compiled tile. The times are an H200's. */
typedef struct tile {
  qn_kernel_text text;
  int bi, bj, groups; /* rows and columns of C, groups of 128 that compute */
  int turns;          /* 2: the groups take turns, each computes a tile alone */
  int stages;         /* steps of k on their way */
  int buffers;        /* pieces of C that a group has room for; 0: k is split */
  int cluster;        /* blocks, neighbours along the columns, that share A */
  double step, rest;  /* seconds of a step of k, and of what a tile costs beside */
} tile;

#define PERSISTENT(bi, bj, groups, turns, stages, buffers, cluster, step, rest)                    \
  {                                                                                                \
    {"cuda/gemm_wgmma.cu",                                                                         \
     "gemm",                                                                                       \
     "-DBI=" #bi " -DBJ=" #bj " -DGROUPS=" #groups " -DTURNS=" #turns " -DSTAGES=" #stages         \
     " -DCLUSTER_I=1 -DCLUSTER_J=" #cluster " -DBUFFERS=" #buffers,                                \
     {"QN_T", "C_F32", "TRANSA", "TRANSB", "EPILOGUE_F32"}},                                       \
        bi, bj, groups, turns, stages, buffers, cluster, step, rest                                \
  }
#define SPLIT(bi, bj, groups, stages, step, rest)                                                  \
  {                                                                                                \
    {"cuda/gemm_wgmma_split.cu",                                                                   \
     "gemm",                                                                                       \
     "-DBI=" #bi " -DBJ=" #bj " -DGROUPS=" #groups " -DTURNS=1 -DSTAGES=" #stages                  \
     " -DCLUSTER_I=1 -DCLUSTER_J=1",                                                               \
     {"QN_T", "C_F32", "TRANSA", "TRANSB", "EPILOGUE_F32", "PARTS"}},                              \
        bi, bj, groups, 1, stages, 0, 1, step, rest                                                \
  }

/* Whether parts of k go through workspace, else among the blocks of a cluster. */
static bool is_persistent(const tile *t) {
  return t->buffers > 0;
}

/* ---- how a tile would run a problem ---- */

typedef struct plan {
  int64_t across, down; /* tiles, or clusters of them, along the rows and columns of C */
  int64_t part;         /* steps of k in the longest part */
  int parts;
  double seconds;
} plan;

/* What the addition of the parts costs: among blocks of a cluster a meeting and what they send;
 * through workspace a launch more and all sums twice through the cache. */
static double parts_seconds(const tile *t, const qn_gemm_problem *g, int parts) {
  const double meeting = 3e-6, part = 0.6e-6, launch = 4e-6, bandwidth = 2.5e12;
  if (parts == 1) return 0.0;
  double bytes = (double)g->c.rows * (double)g->c.cols * sizeof(float) * parts;
  return is_persistent(t) ? launch + 2.0 * bytes / bandwidth : meeting + part * parts;
}

/* How many clusters of so many blocks an H200 has room for at a time: its parts are of 16 or 18
 * multiprocessors, some of which are missing. */
static const int clusters_at_a_time[MAX_CLUSTER + 1] = {0, 132, 66, 39, 30, 22, 17, 15, 15};

/* Multiprocessors; a device that does not tell is taken to have a cluster's. */
static int64_t units_of(const qn_stream *stream) {
  return qn_max64(stream->device->info.compute_units, MAX_CLUSTER);
}

static int64_t clusters(int64_t units, int blocks) {
  return qn_min64(units / blocks, clusters_at_a_time[blocks]);
}

static double bytes_of(qn_matrix m) {
  return (double)m.rows * (double)m.cols * (double)qn_dtype_size(m.dtype);
}

/* How much more of the cache an operand costs whose columns begin off its lines. */
static double spread_of(qn_matrix m) {
  const size_t size = qn_dtype_size(m.dtype);
  return qn_operand_aligned(m) && (size_t)m.ld * size % LINE != 0 ? 1.7 : 1.0;
}

/* Seconds to read all tiles from the cache, as fast as products of 4096 and 8192 by tiles of 128 x
 * 128 that share nothing do, which wait for it at any clock of the multiprocessors. Where k is
 * split what is larger than the cache comes slowly, the more so as blocks of a cluster share
 * nothing. */
static double reading_seconds(const tile *t, const qn_gemm_problem *g, const plan *p) {
  const double from_cache = is_persistent(t) ? 11.6e12 : 14e12, cache = 40e6;
  const double streamed = is_persistent(t) ? 9e12 : 6.9e12;
  const bool streams = p->parts > 1 && bytes_of(g->a) + bytes_of(g->b) > cache;
  const double tiles = (double)(p->across * p->down * t->cluster * p->part * p->parts);
  const double lines = tiles * (spread_of(g->a) * t->bi / t->cluster + spread_of(g->b) * t->bj);
  return lines * LINE / (streams ? streamed : from_cache);
}

/* With beta, an epilogue that is not light or a C that the copy engine cannot store a tile takes
 * longer to leave, half of it while another is multiplied where groups take turns. */
static double tile_seconds(const tile *t, const qn_gemm_problem *g, const plan *p) {
  const double element = 0.25e-9;
  const bool light = !g->epilogue || qn_epilogue_is_light(g->epilogue->epilogue);
  const bool finished =
      !light || !qn_scalar_is(g->beta, 0.0) || (p->parts == 1 && !qn_operand_aligned(g->c));
  return (double)p->part * t->step + t->rest + (finished ? element * t->bi * t->bj / t->turns : 0);
}

/* The last tile leaves while nothing is multiplied. */
static double last_seconds(const tile *t) {
  const double element = 0.04e-9;
  return is_persistent(t) ? element * t->bi * t->bj : 0; /* else it is in the meeting's */
}

/* The largest of the time to compute, to read tiles from the cache and to read memory, of which one
 * multiprocessor has its share alone and the last wave leaves some idle. Reading costs power too:
 * between equals the one that reads less. */
static double main_seconds(const tile *t, const qn_gemm_problem *g, const plan *p, int64_t units) {
  const double memory = 3.9e12, share = 48e9, power = 0.05, last_wave = 0.3;
  const int blocks = is_persistent(t) ? t->cluster : p->parts;
  const int64_t work = p->across * p->down * t->cluster * p->parts; /* of a block each */
  const int64_t waves = qn_ceil_div(work / blocks, clusters(units, blocks));
  const double compute = (double)waves * tile_seconds(t, g, p) + last_seconds(t);
  const double reading = reading_seconds(t, g, p);
  const double at_work = (double)qn_min64(work, units);
  const double bandwidth = at_work * share < memory ? at_work * share : memory;
  const double idle = waves == 1 ? 0 : 1 - (double)work / (double)(waves * units);
  const double moving =
      (bytes_of(g->a) + bytes_of(g->b) + bytes_of(g->c)) / bandwidth * (1 + last_wave * idle);
  double longest = compute > reading ? compute : reading;
  if (moving > longest) longest = moving;
  return longest + power * reading;
}

static double plan_seconds(const tile *t, const qn_stream *stream, const qn_gemm_problem *g,
                           const plan *p) {
  const double start = 2e-6;
  return start + main_seconds(t, g, p, units_of(stream)) + parts_seconds(t, g, p->parts);
}

/* Most parts of k that are worth a look, of which each call asks: those that still have some steps
 * each, and no more units of work than run at once. */
static int most_parts(const tile *t, const plan *whole, int64_t units) {
  const int64_t steps = is_persistent(t) ? 8 : 2; /* of a part, at least */
  const int64_t limit = is_persistent(t) ? MAX_PARTS : MAX_CLUSTER;
  const int64_t work = whole->across * whole->down * t->cluster;
  return (int)qn_min64(limit, qn_min64(whole->part / steps, qn_ceil_div(units, work)));
}

static plan plan_of(const tile *t, const qn_stream *stream, const qn_gemm_problem *g) {
  const int64_t workspace = (int64_t)64 << 20; /* bytes at most */
  const int64_t steps = qn_ceil_div(qn_gemm_inner(g), STEP);
  plan best = {.across = qn_ceil_div(g->c.rows, t->bi),
               .down = qn_ceil_div(g->c.cols, t->bj * t->cluster),
               .part = steps,
               .parts = 1};
  plan p = best;
  const int least = is_persistent(t) ? 1 : 2, most = most_parts(t, &best, units_of(stream));
  for (p.parts = least; p.parts <= (most > least ? most : least); p.parts++) {
    if (p.parts > 1 && is_persistent(t) &&
        g->c.rows * g->c.cols * p.parts > workspace / (int64_t)sizeof(float))
      break;
    p.part = qn_ceil_div(steps, p.parts);
    p.seconds = plan_seconds(t, stream, g, &p);
    if (p.parts == least || p.seconds < best.seconds) best = p;
  }
  best.seconds += qn_operand_cost(g->a) + qn_operand_cost(g->b);
  return best;
}

/* ---- tensor maps ---- */

/* Lines of 128 bytes along the columns of `m`, so many of them at a time. */
static qn_status encode(const qn_tensor_map_ops *maps, qn_matrix m, int lines, qn_tensor_map *map) {
  const size_t size = qn_dtype_size(m.dtype);
  /* of one column the distance to the next has no meaning and may be anything, but is looked at */
  const int64_t ld = m.cols == 1 ? qn_round_up(m.rows, STEP) : m.ld;
  const qn_tensor_spec spec = {.dtype = m.dtype,
                               .rank = 2,
                               .base = m.buffer->mem,
                               .offset = (size_t)m.offset * size,
                               .size = {(uint64_t)m.rows, (uint64_t)m.cols},
                               .stride = {0, (uint64_t)ld * size},
                               .box = {(uint32_t)(LINE / size), (uint32_t)lines},
                               .swizzle = QN_SWIZZLE_128};
  return maps->encode(maps, &spec, map);
}

typedef struct map_set {
  qn_tensor_map a, b, c;
  int32_t c_rows; /* of c, that the copy engine can store */
} map_set;

static const qn_tensor_map_ops *tensor_maps(const qn_stream *stream) {
  return stream->device->ops->proc(stream->device->handle, QN_PROC_TENSOR_MAP);
}

/* The copy engine stores whole multiples of 16 bytes of a column. */
static qn_status encode_c(const qn_stream *stream, qn_matrix c, map_set *set) {
  const int64_t rows = c.rows - c.rows % (int64_t)(16 / qn_dtype_size(c.dtype));
  set->c_rows = qn_operand_aligned(c) ? (int32_t)rows : 0;
  if (set->c_rows == 0 || stream->rehearsal) return QN_OK;
  return encode(tensor_maps(stream), qn_matrix_sub(c, 0, 0, rows, c.cols), WARP, &set->c);
}

/* The engine is slow where a matrix ends within 16 bytes: the zeros of a copy are taken for it. */
static qn_matrix with_zeros(qn_matrix m, bool copied) {
  if (copied) m.rows = m.ld;
  return m;
}

static qn_status encode_all(const qn_stream *stream, const qn_gemm_problem *g, unsigned copied,
                            const tile *t, map_set *set) {
  const qn_tensor_map_ops *maps = tensor_maps(stream);
  const int rows_a = t->bi / t->cluster; /* that a block loads */
  QN_TRY(encode(maps, with_zeros(g->a, copied & QN_COPIED_A),
                g->transa == QN_NOTRANS ? STEP : rows_a, &set->a));
  QN_TRY(encode(maps, with_zeros(g->b, copied & QN_COPIED_B),
                g->transb == QN_NOTRANS ? t->bj : STEP, &set->b));
  return is_persistent(t) ? encode_c(stream, g->c, set) : QN_OK;
}

/* ---- launching ---- */

static qn_form form_of(const tile *t, const qn_gemm_problem *g, const plan *p) {
  return (qn_form){.text = &t->text,
                   .value = {(uint8_t)g->a.dtype, g->c.dtype != g->a.dtype,
                             qn_trans_code(g->transa), qn_trans_code(g->transb),
                             g->epilogue ? g->epilogue->f32 : 0,
                             is_persistent(t) ? 0 : (uint8_t)p->parts},
                   .replacement = g->epilogue ? g->epilogue->text : NULL};
}

static qn_status launch_persistent(qn_stream *stream, const qn_gemm_problem *g, const tile *t,
                                   const plan *p, const map_set *set) {
  const int64_t square = 2048; /* what 132 tiles of 256 x 128 cover is about so wide and high */
  const int64_t wanted = p->across * p->down * p->parts;
  const int64_t blocks = t->cluster * qn_min64(wanted, clusters(units_of(stream), t->cluster));
  qn_call call = {.count = 0};
  qn_call_bytes(&call, &set->a, sizeof set->a);
  qn_call_bytes(&call, &set->b, sizeof set->b);
  qn_call_bytes(&call, &set->c, sizeof set->c);
  qn_call_i32(&call, (int32_t)g->c.rows);
  qn_call_i32(&call, (int32_t)g->c.cols);
  qn_call_i32(&call, (int32_t)qn_gemm_inner(g));
  qn_call_i32(&call, (int32_t)p->across);
  qn_call_i32(&call, (int32_t)p->down);
  qn_call_i32(&call, (int32_t)(square / (t->bj * t->cluster)));
  qn_call_i32(&call, p->parts);
  qn_call_scalar(&call, g->a.dtype, g->alpha);
  qn_call_scalar(&call, g->a.dtype, g->beta);
  qn_call_matrix(&call, g->c);
  qn_call_i32(&call, set->c_rows);
  qn_call_epilogue(&call, g->a.dtype, g->epilogue);
  call.cluster_x = (uint32_t)t->cluster;
  call.early = true;
  call.dynamic = (uint32_t)(t->stages * ((t->bi + t->bj) * LINE + BARRIERS) +
                            t->groups * (t->buffers * PIECE + t->bi * (int)sizeof(float))) +
                 BARRIERS;
  qn_form form = form_of(t, g, p);
  return qn_call_run(stream, &form, (qn_call_shape){blocks, 1, 1, 128 * (uint32_t)(t->groups + 1)},
                     &call);
}

static qn_status add_parts(qn_stream *stream, const qn_gemm_problem *g, const plan *p,
                           const qn_buffer *work) {
  enum { ITEMS = 256, ROWS = 4 };
  static const qn_kernel_text text = {
      "cuda/add_parts.cu", "add_parts", "", {"QN_T", "C_F32", "EPILOGUE_F32"}};
  qn_call call = {.count = 0, .early = true};
  qn_call_i32(&call, (int32_t)g->c.rows);
  qn_call_i32(&call, (int32_t)g->c.cols);
  qn_call_i32(&call, p->parts);
  qn_call_scalar(&call, g->a.dtype, g->alpha);
  qn_call_buffer(&call, work);
  qn_call_scalar(&call, g->a.dtype, g->beta);
  qn_call_matrix(&call, g->c);
  qn_call_epilogue(&call, g->a.dtype, g->epilogue);
  qn_form form = {
      .text = &text,
      .value = {(uint8_t)g->a.dtype, g->c.dtype != g->a.dtype, g->epilogue ? g->epilogue->f32 : 0},
      .replacement = g->epilogue ? g->epilogue->text : NULL};
  const int64_t groups = qn_ceil_div(g->c.rows * g->c.cols, ITEMS * ROWS);
  return qn_call_run(stream, &form, (qn_call_shape){qn_min64(groups, INT32_MAX), 1, 1, ITEMS},
                     &call);
}

/* k in parts: raw sums to workspace, added by another launch. Where tiles end with the columns, the
 * parts side by side are one matrix for the copy engine. */
static qn_status launch_parts(qn_stream *stream, const qn_gemm_problem *g, const tile *t,
                              const plan *p, map_set *set) {
  qn_buffer *work;
  const int64_t m = g->c.rows, n = g->c.cols;
  qn_status status = qn_scratch_alloc(stream, (size_t)(m * n * p->parts) * sizeof(float), &work);
  if (status == QN_EDEVMEM) { /* k stays whole: slower, never a failure */
    plan whole = *p;
    whole.parts = 1;
    return launch_persistent(stream, g, t, &whole, set);
  }
  if (status != QN_OK) return status;
  qn_gemm_problem raw = *g;
  raw.alpha = qn_real(1);
  raw.beta = qn_real(0);
  raw.epilogue = NULL;
  raw.c = qn_matrix_of(work, QN_F32, m, n, m);
  const bool quads = m % 4 == 0;
  set->c_rows = 0;
  if (quads && n % (t->bj * t->cluster) == 0)
    status = encode_c(stream, qn_matrix_of(work, QN_F32, m, n * p->parts, m), set);
  if (status == QN_OK) status = launch_persistent(stream, &raw, t, p, set);
  if (status == QN_OK)
    status = quads ? add_parts(stream, g, p, work) : qn_gemm_reduce(stream, g, p->parts, work);
  qn_scratch_free(stream, work);
  return status;
}

/* Where a block of a cluster receives the others' sums: of each thread so many times 16 bytes, in
 * slices of one size. */
static uint32_t room(const tile *t, int parts) {
  const int quads = t->bi / 8, threads = t->bj / 64 * 128;
  return (uint32_t)(qn_ceil_div(quads, parts) * (parts - 1) * threads * 16);
}

static qn_status launch_split(qn_stream *stream, const qn_gemm_problem *g, const tile *t,
                              const plan *p, const map_set *set) {
  qn_call call = {.count = 0};
  qn_call_bytes(&call, &set->a, sizeof set->a);
  qn_call_bytes(&call, &set->b, sizeof set->b);
  qn_call_i32(&call, (int32_t)g->c.rows);
  qn_call_i32(&call, (int32_t)g->c.cols);
  qn_call_i32(&call, (int32_t)qn_gemm_inner(g));
  qn_call_i32(&call, (int32_t)p->across);
  qn_call_scalar(&call, g->a.dtype, g->alpha);
  qn_call_scalar(&call, g->a.dtype, g->beta);
  qn_call_matrix(&call, g->c);
  qn_call_epilogue(&call, g->a.dtype, g->epilogue);
  call.cluster_x = (uint32_t)p->parts;
  call.early = true;
  call.dynamic =
      (uint32_t)(t->stages * ((t->bi + t->bj) * LINE + BARRIERS)) + BARRIERS + room(t, p->parts);
  qn_form form = form_of(t, g, p);
  return qn_call_run(
      stream, &form,
      (qn_call_shape){p->across * p->down * p->parts, 1, 1, 128 * (uint32_t)(t->groups + 1)},
      &call);
}

static qn_status launch(qn_stream *stream, const qn_gemm_problem *g, unsigned copied,
                        const void *tile_given) {
  const tile *t = tile_given;
  const plan p = plan_of(t, stream, g);
  map_set set = {.c_rows = 0};
  if (!stream->rehearsal) QN_TRY(encode_all(stream, g, copied, t, &set));
  if (!is_persistent(t)) return launch_split(stream, g, t, &p, &set);
  return p.parts > 1 ? launch_parts(stream, g, t, &p, &set)
                     : launch_persistent(stream, g, t, &p, &set);
}

/* ---- the variants ---- */

static bool applicable(const qn_stream *stream, const qn_gemm_problem *g) {
  return qn_cuda_sm(stream->device) == 90 && qn_operands_fit(g);
}

static bool splits(const qn_stream *stream, const qn_gemm_problem *g) {
  return applicable(stream, g) && qn_gemm_inner(g) > STEP;
}

#define VARIANT(variant, name, serves, ...)                                                        \
  static const tile variant##_tile = __VA_ARGS__;                                                  \
  static double variant##_cost(const qn_stream *stream, const qn_gemm_problem *g) {                \
    return plan_of(&variant##_tile, stream, g).seconds;                                            \
  }                                                                                                \
  static qn_status variant##_launch(qn_stream *stream, const qn_gemm_problem *g) {                 \
    return qn_operands_align(stream, g, launch, &variant##_tile);                                  \
  }                                                                                                \
  const qn_gemm_variant qn_gemm_wgmma_##variant = {                                                \
      name, NULL, serves, variant##_cost, variant##_launch, qn_lacks_cuda_90}

VARIANT(large, "wgmma_large", applicable, PERSISTENT(256, 128, 2, 1, 4, 2, 2, 0.675e-6, 1.8e-6));
VARIANT(turns, "wgmma_turns", applicable, PERSISTENT(128, 128, 2, 2, 6, 2, 1, 0.345e-6, 0.5e-6));
VARIANT(pair, "wgmma_pair", applicable, PERSISTENT(128, 128, 2, 2, 6, 2, 2, 0.345e-6, 0.8e-6));
VARIANT(square, "wgmma_square", applicable, PERSISTENT(128, 128, 2, 1, 6, 2, 1, 0.335e-6, 1.3e-6));
VARIANT(wide, "wgmma_wide", applicable, PERSISTENT(128, 192, 3, 1, 4, 2, 1, 0.54e-6, 1.2e-6));
VARIANT(narrow, "wgmma_narrow", applicable, PERSISTENT(64, 128, 2, 1, 8, 1, 1, 0.2e-6, 0.7e-6));
VARIANT(small, "wgmma_small", applicable, PERSISTENT(64, 64, 1, 1, 12, 1, 1, 0.3e-6, 0.85e-6));
VARIANT(split_square, "wgmma_split_square", splits, SPLIT(128, 128, 2, 4, 0.3e-6, 1.4e-6));
VARIANT(split_thin, "wgmma_split_thin", splits, SPLIT(64, 128, 2, 7, 0.22e-6, 1e-6));
VARIANT(split_small, "wgmma_split_small", splits, SPLIT(64, 64, 1, 8, 0.18e-6, 1e-6));
