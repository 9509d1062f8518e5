/* GEMM by the pipelined tiles of CUDA: variants of the driver in gemm_tile.c over src/kernels/cuda.
 *
 * On sm_90 the multipliers and copiers of all resident groups share 65536 registers of a
 * multiprocessor, and a group may not ask for more than its threads had at the start:
 *
 *   128 copy + multipliers registers <= (128 + multipliers) (65536 / resident / (128 +
 * multipliers)),
 *
 * the last factor rounded down to a multiple of 8. `copy` and `registers` are multiples of 8. */
#include "blas3/gemm_pipelined.h"
#include "blas3/gemm_tile.h"
#include "blas3/settings.h"
#include <string.h>

#define STARTS_WITH(multipliers, resident)                                                         \
  (65536 / (resident) / (QN_GEMM_COPIERS + (multipliers)) / 8 * 8)
#define CHECK(multipliers, resident, copy, registers)                                              \
  (0 * sizeof(char[QN_GEMM_COPIERS * (copy) + (multipliers) * (registers) <=                       \
                           (QN_GEMM_COPIERS + (multipliers)) * STARTS_WITH(multipliers, resident)  \
                       ? 1                                                                         \
                       : -1]))

#define COMMON_OPTIONS(bm, bn, bk, multipliers, resident, stages, copy, registers, stays)          \
  "-DBM=" #bm " -DBN=" #bn " -DBK=" #bk " -DMULTIPLIERS=" #multipliers " -DRESIDENT=" #resident    \
  " -DSTAGES=" #stages " -DREGISTERS_COPY=" #copy " -DREGISTERS=" #registers " -DSTAYS=" #stays

/* Rows of shared memory are 16 bytes longer than the tile. */
#define FFMA(size, bm, bn, bk, tm, tn, wm, wn, multipliers, resident, stages, copy, registers,     \
             stays, rate)                                                                          \
  {                                                                                                \
    {"cuda/gemm_f32.cu", "gemm",                                                                   \
     COMMON_OPTIONS(bm, bn, bk, multipliers, resident, stages, copy, registers,                    \
                    stays) " -DWM=" #wm " -DWN=" #wn " -DTM=" #tm " -DTN=" #tn,                    \
     QN_GEMM_TILE_MACROS},                                                                         \
        rate, rate, bm, bn, bk, multipliers, resident,                                             \
        stages + (int)CHECK(multipliers, resident, copy, registers),                               \
        (bk) * (((bm) + (bn)) * (size) + 32), stays, 0                                             \
  }
/* A warp's part by rows of the wide and of the narrow operand; rows are 16 bytes longer than the
 * tile where they are not along k. */
#define DMMA_WITH(room, bm, bn, bk, wide, narrow, multipliers, resident, stages, copy, registers,  \
                  stays, rate)                                                                     \
  {                                                                                                \
    {"cuda/gemm_f64.cu", "gemm",                                                                   \
     COMMON_OPTIONS(bm, bn, bk, multipliers, resident, stages, copy, registers,                    \
                    stays) " -DROOM=" #room " -DWIDE_ROWS=" #wide " -DNARROW_ROWS=" #narrow,       \
     QN_GEMM_TILE_MACROS},                                                                         \
        rate, rate, bm, bn, bk, multipliers, resident,                                             \
        stages + (int)CHECK(multipliers, resident, copy, registers), (bk) * ((bm) + (bn) + 4) * 8, \
        stays, room                                                                                \
  }
#define DMMA(...) DMMA_WITH(0, __VA_ARGS__)
/* Of each plane of B. */
#define ZMMA(bm, bn, bk, wm, wn, multipliers, resident, stages, copy, registers, rate)             \
  {                                                                                                \
    {"cuda/gemm_c128.cu", "gemm",                                                                  \
     COMMON_OPTIONS(bm, bn, bk, multipliers, resident, stages, copy, registers, 0) " -DWM=" #wm    \
                                                                                   " -DWN=" #wn,   \
     QN_GEMM_TILE_MACROS},                                                                         \
        rate, rate, bm, bn, bk, multipliers, resident,                                             \
        stages + (int)CHECK(multipliers, resident, copy, registers),                               \
        (bk) * ((bm)*16 + 3 * ((bn) + 4) * 8), 0, 0                                                \
  }

static const qn_gemm_tile large[QN_DTYPE_COUNT] = {
    [QN_F32] = FFMA(4, 256, 128, 16, 8, 8, 64, 32, 512, 1, 4, 32, 112, 1, 200),
    [QN_F64] = DMMA(128, 128, 16, 64, 32, 256, 1, 6, 40, 232, 2, 226),
    [QN_C64] = FFMA(8, 128, 128, 8, 8, 8, 64, 32, 256, 1, 4, 56, 224, 0, 51),
    [QN_C128] = ZMMA(128, 64, 8, 32, 32, 256, 1, 4, 40, 232, 57),
};
static const qn_gemm_tile medium[QN_DTYPE_COUNT] = {
    [QN_F32] = FFMA(4, 128, 128, 16, 8, 8, 64, 32, 256, 2, 3, 24, 104, 0, 187),
    [QN_F64] = DMMA(128, 64, 16, 32, 32, 256, 1, 6, 40, 232, 1, 215),
};
static const qn_gemm_tile small[QN_DTYPE_COUNT] = {
    [QN_F32] = FFMA(4, 64, 64, 16, 8, 4, 32, 32, 128, 4, 4, 32, 96, 0, 145),
    [QN_F64] = DMMA(64, 64, 16, 32, 16, 256, 1, 5, 56, 224, 0, 180),
    [QN_C64] = FFMA(8, 64, 64, 8, 8, 4, 32, 32, 128, 3, 4, 24, 136, 0, 44),
    [QN_C128] = ZMMA(64, 64, 8, 32, 32, 128, 2, 4, 32, 224, 54),
};

/* Second those for operands that both lie along C, where four groups have too few registers. */
static const qn_gemm_tile thin[2] = {
    FFMA(4, 128, 64, 16, 8, 8, 64, 32, 128, 4, 3, 24, 104, 0, 185),
    FFMA(4, 128, 64, 16, 8, 8, 64, 32, 128, 3, 4, 32, 128, 0, 185),
};
static const qn_gemm_tile flat[2] = {
    FFMA(4, 64, 128, 16, 8, 8, 32, 64, 128, 4, 3, 24, 104, 0, 185),
    FFMA(4, 64, 128, 16, 8, 8, 32, 64, 128, 3, 4, 32, 128, 0, 185),
};

/* For triangles: many groups that end in time. Second where C has more columns than rows. */
static const qn_gemm_tile narrow[2] = {
    DMMA(64, 16, 16, 16, 16, 128, 3, 6, 40, 120, 0, 80),
    DMMA(16, 64, 16, 16, 16, 128, 3, 6, 40, 120, 0, 80),
};
static const qn_gemm_tile strip[2] = {
    DMMA_WITH(1, 32, 64, 16, 16, 32, 128, 3, 4, 40, 120, 0, 141),
    DMMA_WITH(1, 64, 32, 16, 16, 32, 128, 3, 4, 40, 120, 0, 141),
};
static const qn_gemm_tile tiny = DMMA(32, 32, 16, 16, 16, 128, 4, 5, 32, 96, 0, 104);

static bool has(const qn_stream *stream, qn_dtype dtype, const qn_gemm_tile *t) {
  const qn_device *device = stream->device;
  return device->ops->launch && strcmp(device->info.backend, "cuda") == 0 && t->bm > 0 &&
         qn_sm_of(device) >= 80 && qn_gemm_tile_fits(stream, t, dtype);
}

static bool any(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  return has(stream, g->a.dtype, t);
}

/* The large tile of f32 spills on sm_100 in one of its forms. */
static bool without_spills(const qn_stream *stream, const qn_gemm_problem *g,
                           const qn_gemm_tile *t) {
  return any(stream, g, t) && (g->a.dtype != QN_F32 || qn_sm_of(stream->device) < 100);
}

static bool f32_only(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  return g->a.dtype == QN_F32 && any(stream, g, t);
}

static bool both_along(const qn_gemm_problem *g) {
  return g->transa == QN_NOTRANS && g->transb != QN_NOTRANS;
}

/* In f64. How they rank among the tiles of a plain product is not known: there they are for those
 * who ask. */
static bool of_triangles(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  return g->a.dtype == QN_F64 && (g->triangle || *qn_settings_get()->gemm_variant) &&
         any(stream, g, t);
}

static bool wider(const qn_gemm_problem *g) {
  return g->c.rows < g->c.cols;
}

QN_GEMM_TILE_VARIANT(pipe_large, "pipe_large", qn_lacks_cuda_80, without_spills,
                     &large[g->a.dtype]);
QN_GEMM_TILE_VARIANT(pipe_medium, "pipe_medium", qn_lacks_cuda_80, any, &medium[g->a.dtype]);
QN_GEMM_TILE_VARIANT(pipe_small, "pipe_small", qn_lacks_cuda_80, any, &small[g->a.dtype]);
QN_GEMM_TILE_VARIANT(pipe_thin, "pipe_thin", qn_lacks_cuda_80, f32_only, &thin[both_along(g)]);
QN_GEMM_TILE_VARIANT(pipe_flat, "pipe_flat", qn_lacks_cuda_80, f32_only, &flat[both_along(g)]);
QN_GEMM_TILE_VARIANT(pipe_narrow, "pipe_narrow", qn_lacks_cuda_80, of_triangles, &narrow[wider(g)]);
QN_GEMM_TILE_VARIANT(pipe_strip, "pipe_strip", qn_lacks_cuda_80, of_triangles, &strip[wider(g)]);
QN_GEMM_TILE_VARIANT(pipe_tiny, "pipe_tiny", qn_lacks_cuda_80, of_triangles, &tiny);

bool qn_gemm_pipelined_serves(const qn_stream *stream, qn_dtype dtype) {
  return has(stream, dtype, &small[dtype]);
}

/* The medium tile takes longer with a triangle than its rate in plain products foretells. */
static double triangle_cost(const qn_gemm_variant *tile, const qn_stream *stream,
                            const qn_gemm_problem *g) {
  return tile->cost(stream, g) * (tile == &qn_gemm_pipe_medium ? 1.08 : 1);
}

qn_status qn_gemm_pipelined_triangle(qn_stream *stream, const qn_gemm_problem *g) {
  static const qn_gemm_variant *const tiles[] = {&qn_gemm_pipe_small, &qn_gemm_pipe_medium,
                                                 &qn_gemm_pipe_large, &qn_gemm_pipe_narrow,
                                                 &qn_gemm_pipe_strip, &qn_gemm_pipe_tiny};
  const qn_gemm_variant *best = tiles[0];
  for (unsigned i = 0; i < sizeof tiles / sizeof *tiles; i++) {
    if (!tiles[i]->applicable(stream, g)) continue;
    const bool forced = strcmp(tiles[i]->name, qn_settings_get()->gemm_variant) == 0;
    /* in f32 no better than the large one where it was timed, and not foretold well */
    if (!forced && g->a.dtype == QN_F32 && tiles[i] == &qn_gemm_pipe_medium) continue;
    if (forced || triangle_cost(tiles[i], stream, g) < triangle_cost(best, stream, g))
      best = tiles[i];
    if (forced) break;
  }
  return best->launch(stream, g);
}
