/* The target over compiled kernels: any device with a compiler. Base blocks run in one launch each;
 * src/kernels/portable/triangle.cl has the canonical form they work on. */
#include "blas3/canonical.h"
#include "blas3/copy.h"
#include "blas3/device_arch.h"
#include "blas3/gemm_mma.h"
#include "blas3/gemm_pipelined.h"
#include "blas3/gemm_tiled.h"
#include "blas3/gemm_vector.h"
#include "blas3/gemm_wgmma.h"
#include "blas3/launch.h"
#include "blas3/potrf_walk.h"
#include "blas3/settings.h"
#include "blas3/triangle_walk.h"
#include "blas3/trsm_tensor.h"
#include <string.h>

/* ---- base blocks ---- */

enum { BLOCK_ITEMS = 128, NARROW = 1024 };
#define BLOCK_MACROS "QN_T", "NB", "RHS", "BS", "THREADS"

/* Order of a block, columns a group works on, rows an item keeps in registers: what fits 32 KiB of
 * local memory and the registers of an item. */
typedef struct block_shape {
  uint8_t order, rhs, rows;
} block_shape;

static const block_shape shapes[QN_DTYPE_COUNT] = {
    [QN_F16] = {64, 32, 16}, [QN_BF16] = {64, 32, 16}, [QN_F32] = {64, 32, 16},
    [QN_F64] = {32, 32, 16}, [QN_C64] = {32, 32, 8},   [QN_C128] = {32, 16, 8},
};

/* Several blocks a launch, their columns in local memory: on cards, where a launch costs more than
 * barriers do. */
typedef struct wide_shape {
  block_shape block;
  uint8_t blocks;
} wide_shape;

static const wide_shape wide[QN_DTYPE_COUNT] = {
    [QN_F16] = {{64, 16, 16}, 4}, [QN_BF16] = {{64, 16, 16}, 4}, [QN_F32] = {{64, 16, 16}, 4},
    [QN_F64] = {{32, 16, 16}, 8}, [QN_C64] = {{32, 16, 8}, 8},   [QN_C128] = {{32, 8, 8}, 4},
};

/* Bytes of local memory that trsm_wide takes. */
static uint64_t wide_bytes(qn_dtype dtype, const wide_shape *w) {
  const uint64_t size = qn_dtype_size(dtype), nb = w->block.order;
  return size * (nb * (nb + 16 / size) + w->blocks * nb * (w->block.rhs + UINT64_C(1)) + nb) + 16;
}

/* What a launch takes; of one block: cpus behind OpenCL emulate barriers and do best with that. */
static wide_shape shape_of(const qn_stream *stream, const qn_triangular_problem *p) {
  const qn_device_info *info = &stream->device->info;
  const int set = qn_settings_get()->triangle_blocks;
  wide_shape w = wide[p->a.dtype];
  /* a narrow B leaves multiprocessors idle: more groups, with less to do */
  if (qn_triangular_nrhs(p) <= NARROW) w.block.rhs /= 2;
  if (set) {
    w.blocks = (uint8_t)set;
  } else if (info->kind != QN_DEVICE_GPU) {
    w.blocks = 1;
  }
  while (w.blocks > 1 && wide_bytes(p->a.dtype, &w) > info->local_memory) w.blocks /= 2;
  if (w.blocks == 1) w.block = shapes[p->a.dtype];
  return w;
}

static qn_status triangular(qn_stream *stream, const qn_triangular_problem *p, const qn_form *form,
                            int64_t groups) {
  const qn_canonical c = qn_canonical_of(p);
  qn_call call = {.count = 0};
  qn_call_sizes(&call, p);
  qn_call_i32(&call, c.conj);
  qn_call_canonical(&call, p, &c);
  return qn_call_run(stream, form, (qn_call_shape){groups, 1, 1, BLOCK_ITEMS}, &call);
}

/* texts: for one block, for several */
static qn_status base_block(qn_stream *stream, const qn_triangular_problem *p,
                            const qn_kernel_text texts[2]) {
  const wide_shape w = shape_of(stream, p);
  const qn_form form = {.text = &texts[w.blocks > 1],
                        .value = {(uint8_t)p->a.dtype, w.block.order, w.block.rhs, w.block.rows,
                                  BLOCK_ITEMS, w.blocks}};
  return triangular(stream, p, &form, qn_ceil_div(qn_triangular_nrhs(p), w.block.rhs));
}

static qn_status trsm_columns(qn_stream *stream, const qn_triangular_problem *p) {
  static const qn_kernel_text text = {
      "portable/trsm_columns.cl", "trsm_columns", "", {"QN_T", "THREADS"}};
  const qn_form form = {.text = &text, .value = {(uint8_t)p->a.dtype, BLOCK_ITEMS}};
  return triangular(stream, p, &form, qn_triangular_nrhs(p));
}

/* From so many right-hand sides on, in f64 of large triangles, the tensor cores beat the walk,
 * which is slower where k is contiguous. */
static bool tensor_pays(const qn_triangular_problem *p) {
  enum { LARGE = 256, ANY = 1024 };
  if (qn_settings_get()->trsm_tensor) return true;
  const bool transposed = qn_canonical_of(p).transposed;
  const int64_t nrhs = qn_triangular_nrhs(p);
  if (p->a.dtype == QN_F32) return nrhs >= 2048;
  return nrhs > ANY || (qn_triangular_order(p) >= LARGE && nrhs >= (transposed ? 256 : 512));
}

static bool by_tensor(const qn_stream *stream, const qn_triangular_problem *p) {
  return tensor_pays(p) && qn_trsm_tensor_ready(p) &&
         qn_triangular_order(p) <= qn_trsm_tensor_order(stream->device, p->a.dtype);
}

static qn_status trsm(qn_stream *stream, const qn_triangular_problem *p) {
  static const qn_kernel_text texts[] = {
      {"portable/trsm_base.cl", "trsm_base", "", {BLOCK_MACROS}},
      {"portable/trsm_wide.cl", "trsm_wide", "", {BLOCK_MACROS, "BLOCKS"}}};
  if (by_tensor(stream, p)) return qn_trsm_tensor(stream, p);
  if (qn_walk_serves(stream->device, p->a.dtype)) return qn_trsm_walk(stream, p);
  return base_block(stream, p, texts);
}

static qn_status trmm(qn_stream *stream, const qn_triangular_problem *p) {
  static const qn_kernel_text texts[] = {
      {"portable/trmm_base.cl", "trmm_base", "", {BLOCK_MACROS}},
      {"portable/trmm_wide.cl", "trmm_wide", "", {BLOCK_MACROS, "BLOCKS"}}};
  if (qn_walk_serves(stream->device, p->a.dtype)) return qn_trmm_walk(stream, p, p->b);
  return base_block(stream, p, texts);
}

static int64_t base_order(const qn_stream *stream, const qn_triangular_problem *p) {
  const wide_shape w = shape_of(stream, p);
  return w.blocks * (int64_t)w.block.order;
}

static int64_t block(const qn_stream *stream, const qn_triangular_problem *p) {
  return qn_walk_serves(stream->device, p->a.dtype) ? qn_walk_block(p) : base_order(stream, p);
}

static int64_t trsm_block(const qn_stream *stream, const qn_triangular_problem *p) {
  const int64_t order = qn_trsm_tensor_order(stream->device, p->a.dtype);
  return order > 0 && tensor_pays(p) ? order : block(stream, p);
}

static qn_status trsm_invert(qn_stream *stream, const qn_triangular_problem *p, int64_t block,
                             qn_buffer **inverses) {
  const int64_t order = qn_trsm_tensor_order(stream->device, p->a.dtype);
  const bool some = p->b.rows > 0 && p->b.cols > 0 && !qn_scalar_is(p->alpha, 0.0);
  return some && tensor_pays(p) && block <= order ? qn_trsm_tensor_invert(stream, p, inverses)
                                                  : QN_OK;
}

/* So that products have a few rounds of tiles, whose ends then count little. */
static int64_t trsm_panel(const qn_stream *stream, const qn_triangular_problem *p) {
  enum { WIDE = 4096, PANEL = 512 };
  const int64_t order = qn_trsm_tensor_order(stream->device, p->a.dtype);
  if (order == 0 || !tensor_pays(p)) return 0;
  return qn_triangular_nrhs(p) >= WIDE ? PANEL : 2 * PANEL;
}

static int64_t limit(const qn_stream *stream, const qn_triangular_problem *p) {
  return qn_walk_serves(stream->device, p->a.dtype) ? INT64_MAX : base_order(stream, p);
}

/* From so many columns (rows, side R), elements of B and unknowns on one product takes less time
 * than the walk. */
static bool product_pays(const qn_triangular_problem *p) {
  static const int nrhs[QN_DTYPE_COUNT] = {
      [QN_F32] = 49, [QN_F64] = 1, [QN_C64] = 129, [QN_C128] = 129};
  static const int log_elements[QN_DTYPE_COUNT] = {
      [QN_F32] = 16, [QN_F64] = 9, [QN_C64] = 17, [QN_C128] = 17};
  static const int order[QN_DTYPE_COUNT] = {[QN_F64] = 256};
  const qn_dtype dtype = p->a.dtype;
  return qn_triangular_nrhs(p) >= nrhs[dtype] && p->a.rows >= order[dtype] &&
         p->b.rows * p->b.cols >= INT64_C(1) << log_elements[dtype];
}

/* A forced tile asks for the product whatever it costs. */
static bool by_product(const qn_stream *stream, const qn_triangular_problem *p) {
  const bool forced = strncmp(qn_settings_get()->gemm_variant, "pipe_", 5) == 0;
  return qn_gemm_pipelined_serves(stream, p->a.dtype) && (forced || product_pays(p));
}

static bool trmm_to_serves(const qn_stream *stream, const qn_triangular_problem *p) {
  return by_product(stream, p) ||
         (qn_walk_serves(stream->device, p->a.dtype) && p->a.rows <= qn_walk_block(p));
}

static qn_status trmm_product(qn_stream *stream, const qn_triangular_problem *p, qn_matrix c) {
  const bool left = p->side == QN_LEFT;
  const qn_gemm_triangle triangle = {p->side, (p->uplo == QN_LOWER) == (p->trans == QN_NOTRANS),
                                     p->diag == QN_UNIT};
  return qn_gemm_pipelined_triangle(stream,
                                    &(qn_gemm_problem){.transa = left ? p->trans : QN_NOTRANS,
                                                       .transb = left ? QN_NOTRANS : p->trans,
                                                       .alpha = p->alpha,
                                                       .beta = qn_real(0.0),
                                                       .a = left ? p->a : p->b,
                                                       .b = left ? p->b : p->a,
                                                       .c = c,
                                                       .region = QN_REGION_ALL,
                                                       .triangle = &triangle});
}

/* f32 from the left, transposed: A's elements that are neighbours in memory follow k and are copied
 * one by one, which takes 3 % of the largest products. There it is less to turn the triangle ahead.
 */
static bool turning_pays(const qn_stream *stream, const qn_triangular_problem *p) {
  enum { COLUMNS = 4096, ORDER = 8192 };
  return p->a.dtype == QN_F32 && p->side == QN_LEFT && p->trans != QN_NOTRANS &&
         p->b.cols >= COLUMNS && p->a.rows >= ORDER && qn_sm_of(stream->device) == 90;
}

static qn_status trmm_to(qn_stream *stream, const qn_triangular_problem *p, qn_matrix c) {
  if (!by_product(stream, p)) return qn_trmm_walk(stream, p, c);
  const int64_t n = p->a.rows, ld = qn_round_up(n, 4);
  qn_buffer *work;
  if (!turning_pays(stream, p) ||
      qn_scratch_alloc(stream, (size_t)(ld * n) * sizeof(float), &work) != QN_OK)
    return trmm_product(stream, p, c);
  qn_triangular_problem turned = *p;
  turned.a = qn_matrix_of(work, QN_F32, n, n, ld);
  turned.uplo = p->uplo == QN_LOWER ? QN_UPPER : QN_LOWER;
  turned.trans = QN_NOTRANS;
  qn_status status = qn_copy_transposed(
      stream, p->uplo == QN_LOWER ? QN_REGION_LOWER : QN_REGION_UPPER, p->a, turned.a);
  if (status == QN_OK) status = trmm_product(stream, &turned, c);
  qn_scratch_free(stream, work);
  return status;
}

/* 64 where local memory has room for it. */
static int64_t potrf_order(const qn_stream *stream, qn_dtype dtype) {
  enum { LARGE = 64 };
  const uint64_t most = 48 << 10; /* of a kernel's variables, in CUDA */
  const uint64_t bytes = (LARGE * (LARGE + 1) + 32) * qn_dtype_size(dtype) + 16;
  return bytes <= most && bytes <= stream->device->info.local_memory ? LARGE : LARGE / 2;
}

static qn_status potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                       qn_buffer *info) {
  enum { ITEMS = 256 };
  static const qn_kernel_text text = {
      "portable/potrf_base.cl", "potrf_base", "-DTHREADS=256 -DBS=16", {"QN_T", "NB"}};
  if (qn_potrf_walk_serves(stream->device, a.dtype)) {
    const qn_status status = qn_potrf_walk(stream, uplo, a, first, info);
    const bool fits = a.rows == a.cols && a.rows <= potrf_order(stream, a.dtype);
    if (status != QN_EDEVMEM || !fits) return status;
    /* as where there is no walk, but that leaves info to the first block */
    if (first == 0 && !stream->rehearsal) QN_TRY(qn_fill(stream, info, 0, sizeof(int64_t), 0, 4));
  }
  bool lower = uplo == QN_LOWER; /* U^H U is L L^H with L(i, j) the conjugate of U(j, i) */
  qn_call call = {.count = 0};
  qn_call_i32(&call, (int32_t)a.rows);
  qn_call_i64(&call, first);
  qn_call_buffer(&call, a.buffer);
  qn_call_i64(&call, a.offset);
  qn_call_i64(&call, lower ? 1 : a.ld);
  qn_call_i64(&call, lower ? a.ld : 1);
  qn_call_i32(&call, !lower);
  qn_call_buffer(&call, info);
  qn_form form = {.text = &text,
                  .value = {(uint8_t)a.dtype, (uint8_t)potrf_order(stream, a.dtype)}};
  return qn_call_run(stream, &form, (qn_call_shape){1, 1, 1, ITEMS}, &call);
}

static int64_t potrf_block(const qn_stream *stream, qn_dtype dtype, int64_t order) {
  return qn_potrf_walk_serves(stream->device, dtype)
             ? qn_potrf_walk_block(stream->device, dtype, order)
             : potrf_order(stream, dtype);
}

static bool potrf_is_tall(const qn_stream *stream, qn_dtype dtype) {
  return qn_potrf_walk_serves(stream->device, dtype);
}

/* ---- maps over a view ---- */

static qn_status scale(qn_stream *stream, qn_scalar alpha, qn_matrix x) {
  static const qn_kernel_text text = {"portable/scale.cl", "scale", "", {"QN_T"}};
  qn_call call = {.count = 0};
  qn_call_i64(&call, x.rows);
  qn_call_i64(&call, x.cols);
  qn_call_scalar(&call, x.dtype, alpha);
  qn_call_matrix(&call, x);
  return qn_call_each(stream, x, &(qn_form){.text = &text, .value = {(uint8_t)x.dtype}}, &call);
}

static qn_status cast(qn_stream *stream, qn_matrix dst, qn_matrix src) {
  static const qn_kernel_text text = {"portable/cast.cl", "cast", "", {"QN_T", "TO_HALF"}};
  bool to_half = qn_dtype_is_half(dst.dtype);
  qn_call call = {.count = 0};
  qn_call_i64(&call, src.rows);
  qn_call_i64(&call, src.cols);
  qn_call_matrix(&call, src);
  qn_call_matrix(&call, dst);
  qn_form form = {.text = &text, .value = {(uint8_t)(to_half ? dst.dtype : src.dtype), to_half}};
  return qn_call_each(stream, src, &form, &call);
}

static const qn_gemm_variant *const variants[] = {
    &qn_gemm_pipe_large,       &qn_gemm_pipe_medium,      &qn_gemm_pipe_small,
    &qn_gemm_pipe_thin,        &qn_gemm_pipe_flat,        &qn_gemm_pipe_narrow,
    &qn_gemm_pipe_strip,       &qn_gemm_pipe_tiny,        &qn_gemm_tile_large,
    &qn_gemm_tile_wide,        &qn_gemm_tile_small,       &qn_gemm_dmma_large,
    &qn_gemm_dmma_small,       &qn_gemm_vector,           &qn_gemm_wmma_naive,
    &qn_gemm_mma_naive,        &qn_gemm_mma_naive_f16acc, &qn_gemm_mma_m16n8k8,
    &qn_gemm_mma_tiled,        &qn_gemm_mma_swizzled,     &qn_gemm_mma_async,
    &qn_gemm_mma_pipelined,    &qn_gemm_wgmma_large,      &qn_gemm_wgmma_turns,
    &qn_gemm_wgmma_pair,       &qn_gemm_wgmma_square,     &qn_gemm_wgmma_wide,
    &qn_gemm_wgmma_narrow,     &qn_gemm_wgmma_small,      &qn_gemm_wgmma_split_square,
    &qn_gemm_wgmma_split_thin, &qn_gemm_wgmma_split_small};

const qn_target qn_target_kernels = {
    .base = "kernel_base",
    .gemm = variants,
    .gemms = sizeof variants / sizeof *variants,
    .f16_sums = &qn_gemm_mma_naive_f16acc,
    .trsm = trsm,
    .trmm = trmm,
    .trsm_columns = trsm_columns,
    .trsm_block = trsm_block,
    .trsm_panel = trsm_panel,
    .trsm_invert = trsm_invert,
    .trmm_block = block,
    .limit = limit,
    .trmm_apart = by_product,
    .trmm_to_serves = trmm_to_serves,
    .trmm_to = trmm_to,
    .potrf = potrf,
    .potrf_block = potrf_block,
    .potrf_is_tall = potrf_is_tall,
    .scale = scale,
    .cast = cast,
};
