/* The walk down the columns of a matrix that makes its Cholesky factor: shape, workspace, launch.
 */
#include "blas3/potrf_walk.h"
#include "blas3/device_arch.h"
#include "blas3/launch.h"

enum {
  ITEMS = 256,
  PIECE = 16,         /* bytes that a thread wipes at a time */
  TWIN_MOST = 8 << 20 /* bytes of a half of the memory that a stream keeps */
};

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

/* Two pairs of operands, columns up to eight longer than the tile, and two tiles of A. */
static size_t local_bytes(const walk *w, qn_dtype dtype) {
  size_t nb = (size_t)w->nb;
  return (4 * nb * (nb + 8) + 2 * nb * nb) * qn_dtype_size(dtype);
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

/* Where tiles travel, and what the launch wipes meanwhile. Bytes. */
typedef struct workspace {
  qn_buffer *buffer;
  size_t at, stale_at, stale;
} workspace;

static void drop_twin(qn_stream *stream) {
  qn_buffer_free(stream->twin.buffer);
  stream->twin = (qn_twin){.buffer = NULL};
}

/* Two halves in turn, of which a launch wipes the one that the launch before has used: a fill ahead
 * of each would take 3 to 4 us. */
static qn_status take_twin(qn_stream *stream, size_t bytes, workspace *w) {
  qn_twin *twin = &stream->twin;
  if (twin->half < bytes) {
    drop_twin(stream);
    const size_t half = qn_round_up(bytes, 4096);
    QN_TRY(qn_scratch_alloc(stream, 2 * half, &twin->buffer));
    twin->half = half;
    const qn_status status = qn_fill(stream, twin->buffer, 0, 2 * half, UINT32_MAX, 4);
    if (status != QN_OK) drop_twin(stream);
    QN_TRY(status);
  }
  *w = (workspace){.buffer = twin->buffer, .stale = twin->stale};
  *(twin->second ? &w->at : &w->stale_at) = twin->half;
  twin->second = !twin->second;
  twin->stale = qn_round_up(bytes, PIECE);
  return QN_OK;
}

static qn_status launch(qn_stream *stream, const walk *w, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info, const workspace *shared, int64_t ticket) {
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
  qn_call_buffer(&call, shared->buffer);
  qn_call_i64(&call, (int64_t)(shared->at / PIECE));
  qn_call_i64(&call, ticket);
  qn_call_i64(&call, (int64_t)(shared->stale_at / PIECE));
  qn_call_i64(&call, (int64_t)(shared->stale / PIECE));
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
  const size_t size = qn_dtype_size(a.dtype);
  elements += qn_ceil_div(s.columns * (int64_t)sizeof(int64_t), (int64_t)size); /* and reports */
  const size_t bytes = ((size_t)elements + 1) * size;                           /* and the ticket */
  workspace shared = {.buffer = NULL};
  if (bytes <= TWIN_MOST && !stream->rehearsal && take_twin(stream, bytes, &shared) == QN_OK) {
    const qn_status status = launch(stream, w, uplo, a, first, info, &shared, elements);
    if (status != QN_OK) drop_twin(stream);
    return status;
  }
  QN_TRY(qn_exchange_alloc(stream, elements, a.dtype, &shared.buffer));
  const qn_status status = launch(stream, w, uplo, a, first, info, &shared, elements);
  qn_scratch_free(stream, shared.buffer);
  return status;
}
