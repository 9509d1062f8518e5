/* GEMM by the portable tiles: variants of the driver in gemm_tile.c over src/kernels/portable. */
#include "blas3/gemm_tiled.h"
#include "blas3/gemm_tile.h"

/* `bound` is the least number of resident groups that the compiler is told to make room for. */
#define SIMT(bm, bn, bk, tm, tn, wm, wn, threads, bound, resident, rate, cuda_rate)                \
  {                                                                                                \
    {"portable/gemm.cl", "gemm",                                                                   \
     "-DBM=" #bm " -DBN=" #bn " -DBK=" #bk " -DTM=" #tm " -DTN=" #tn " -DWM=" #wm " -DWN=" #wn     \
     " -DTHREADS=" #threads " -DRESIDENT=" #bound,                                                 \
     QN_GEMM_TILE_MACROS},                                                                         \
        rate, cuda_rate, bm, bn, bk, threads, resident, 0, 0, 0, 0                                 \
  }
#define DMMA(bm, bn, bk, wm, wn, threads, resident, rate)                                          \
  {                                                                                                \
    {"portable/gemm_dmma.cl", "gemm",                                                              \
     "-DBM=" #bm " -DBN=" #bn " -DBK=" #bk " -DWM=" #wm " -DWN=" #wn " -DTHREADS=" #threads,       \
     QN_GEMM_TILE_MACROS},                                                                         \
        rate, rate, bm, bn, bk, threads, resident, 0, 0, 0, 0                                      \
  }

#define LARGE_F32 SIMT(128, 128, 16, 8, 8, 64, 32, 256, 1, 2, 180, 159)
#define WIDE_F32  SIMT(128, 128, 8, 8, 16, 64, 64, 128, 1, 2, 161, 171)
#define SMALL_F32 SIMT(64, 64, 16, 4, 4, 32, 16, 256, 4, 4, 123, 123)
static const qn_gemm_tile large_tiles[QN_DTYPE_COUNT] = {
    [QN_F16] = LARGE_F32,
    [QN_BF16] = LARGE_F32,
    [QN_F32] = LARGE_F32,
    [QN_F64] = SIMT(128, 64, 8, 8, 8, 64, 32, 128, 2, 2, 90, 90),
    [QN_C64] = SIMT(64, 64, 8, 4, 4, 32, 16, 256, 2, 2, 40, 40),
    [QN_C128] = SIMT(64, 64, 8, 4, 4, 32, 16, 256, 1, 1, 20, 20),
};
static const qn_gemm_tile small_tiles[QN_DTYPE_COUNT] = {
    [QN_F16] = SMALL_F32,
    [QN_BF16] = SMALL_F32,
    [QN_F32] = SMALL_F32,
    [QN_F64] = SIMT(64, 64, 8, 4, 4, 32, 16, 256, 2, 2, 60, 60),
    [QN_C64] = SIMT(32, 32, 8, 2, 2, 16, 8, 256, 3, 3, 30, 30),
    [QN_C128] = SIMT(32, 32, 8, 2, 2, 16, 8, 256, 2, 2, 15, 15),
};
static const qn_gemm_tile wide_tile = WIDE_F32;
static const qn_gemm_tile dmma_large = DMMA(128, 64, 8, 64, 32, 128, 2, 160);
static const qn_gemm_tile dmma_small = DMMA(64, 64, 16, 32, 32, 128, 3, 150);

/* ---- the variants ---- */

/* Two steps of both operands, each row of 16-byte vectors with one more at its end. A device may
 * have no more than 32 KiB of local memory for a group. */
static bool any(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  if (!stream->device->ops->launch) return false;
  size_t size = qn_dtype_size(qn_dtype_compute(g->a.dtype));
  size_t bytes = 2 * (size_t)t->bk * ((size_t)(t->bm + t->bn) * size + 32);
  uint64_t most = stream->device->info.local_memory;
  return most == 0 || bytes <= most;
}

static bool real_f32(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  return any(stream, g, t) && qn_dtype_compute(g->a.dtype) == QN_F32;
}

static bool tensor_f64(const qn_stream *stream, const qn_gemm_problem *g, const qn_gemm_tile *t) {
  return any(stream, g, t) && g->a.dtype == QN_F64 && qn_sm_of(stream->device) >= 80;
}

QN_GEMM_TILE_VARIANT(tile_large, "tile_large", NULL, any, &large_tiles[g->a.dtype]);
QN_GEMM_TILE_VARIANT(tile_wide, "tile_wide", NULL, real_f32, &wide_tile);
QN_GEMM_TILE_VARIANT(tile_small, "tile_small", NULL, any, &small_tiles[g->a.dtype]);
QN_GEMM_TILE_VARIANT(dmma_large, "dmma_large", qn_lacks_sm_80, tensor_f64, &dmma_large);
QN_GEMM_TILE_VARIANT(dmma_small, "dmma_small", qn_lacks_sm_80, tensor_f64, &dmma_small);
