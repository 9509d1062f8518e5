/* The walk down the columns of a matrix that makes its Cholesky factor: shape, workspace, launch.
 */
#include "blas3/potrf_walk.h"
#include "blas3/device_arch.h"
#include "blas3/launch.h"

enum { ITEMS = 256 };

typedef struct walk {
  qn_kernel_text text;
  int nb;
  /* a block has so many columns, or all; beyond order `few` so many as `block` says */
  int64_t whole, few, block;
} walk;

#define WALK(nb, whole, few, block)                                                                \
  {                                                                                                \
    {"cuda/potrf_walk.cu", "potrf_walk", "-DNB=" #nb, {"QN_T", "ALONG_I", "QN_SM"}}, nb, whole,    \
        few, block                                                                                 \
  }

static const walk walks[QN_DTYPE_COUNT] = {
    [QN_F32] = WALK(64, 4096, 4096, 2048),
    [QN_F64] = WALK(64, 4096, 8192, 2048),
    [QN_C64] = WALK(32, 512, 512, 512),
    [QN_C128] = WALK(32, 512, 512, 512),
};
/* Where there is less shared memory. */
static const walk small_walks[QN_DTYPE_COUNT] = {
    [QN_F32] = WALK(32, 2048, 2048, 2048),
    [QN_F64] = WALK(32, 2048, 2048, 2048),
};

/* Two pairs of operands, columns four longer than the tile, and two tiles of A. */
static size_t local_bytes(const walk *w, qn_dtype dtype) {
  size_t nb = (size_t)w->nb;
  return (4 * nb * (nb + 4) + 2 * nb * nb) * qn_dtype_size(dtype);
}

/* NULL where there is none. */
static const walk *walk_of(const qn_device *device, qn_dtype dtype) {
  if (strcmp(device->info.backend, "cuda") != 0 || qn_sm_of(device) < 80) return NULL;
  const walk *const sizes[] = {&walks[dtype], &small_walks[dtype]};
  for (int i = 0; i < 2; i++)
    if (sizes[i]->nb > 0 && local_bytes(sizes[i], dtype) <= device->info.local_memory)
      return sizes[i];
  return NULL;
}

bool qn_potrf_walk_serves(const qn_device *device, qn_dtype dtype) {
  return walk_of(device, dtype) != NULL;
}

int64_t qn_potrf_walk_block(const qn_device *device, qn_dtype dtype, int64_t order) {
  const walk *w = walk_of(device, dtype);
  return order <= w->few ? w->whole : w->block;
}

/* The matrix as the kernel has it, L below the diagonal, in blocks of nb. */
typedef struct shape {
  int64_t rows, cols, blocks, columns;
} shape;

static shape shape_of(const walk *w, qn_uplo uplo, qn_matrix a) {
  bool lower = uplo == QN_LOWER;
  shape s = {.rows = lower ? a.rows : a.cols, .cols = lower ? a.cols : a.rows};
  s.blocks = qn_ceil_div(s.rows, w->nb);
  s.columns = qn_ceil_div(s.cols, w->nb);
  return s;
}

static qn_status launch(qn_stream *stream, const walk *w, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info, qn_buffer *shared, int64_t ticket) {
  bool lower = uplo == QN_LOWER; /* U^H U is L L^H with L(i, j) the conjugate of U(j, i) */
  shape s = shape_of(w, uplo, a);
  qn_call call = {.dynamic = (uint32_t)local_bytes(w, a.dtype)};
  qn_call_i32(&call, (int32_t)s.rows);
  qn_call_i32(&call, (int32_t)s.cols);
  qn_call_i64(&call, first);
  qn_call_buffer(&call, a.buffer);
  qn_call_i64(&call, a.offset);
  qn_call_i64(&call, lower ? 1 : a.ld);
  qn_call_i64(&call, lower ? a.ld : 1);
  qn_call_i32(&call, !lower);
  qn_call_buffer(&call, info);
  qn_call_buffer(&call, shared);
  qn_call_i64(&call, ticket);
  qn_form form = {.text = &w->text,
                  .value = {(uint8_t)a.dtype, lower, (uint8_t)qn_sm_of(stream->device)}};
  /* a pair of tiles in each column, and those below; squares but for the first and last rows */
  int64_t tickets =
      s.columns * (s.blocks - 1) - s.columns * (s.columns - 1) / 2 + 1 + qn_max64(s.columns - 3, 0);
  return qn_call_run(stream, &form, (qn_call_shape){tickets, 1, 1, ITEMS}, &call);
}

qn_status qn_potrf_walk(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info) {
  const walk *w = walk_of(stream->device, a.dtype);
  shape s = shape_of(w, uplo, a);
  int64_t tiles = s.columns * (s.columns + 1) / 2 + (s.blocks - s.columns) * s.columns;
  int64_t elements = (tiles + s.columns) * w->nb * w->nb; /* and squares */
  qn_buffer *shared;
  QN_TRY(qn_exchange_alloc(stream, elements, a.dtype, &shared));
  qn_status status = launch(stream, w, uplo, a, first, info, shared, elements);
  qn_scratch_free(stream, shared);
  return status;
}
