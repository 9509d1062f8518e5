/* The walk down a matrix that makes its Cholesky factor: shape, workspace, launch. */
#include "blas3/potrf_walk.h"
#include "blas3/device_arch.h"
#include "blas3/launch.h"

enum { ITEMS = 256 };

typedef struct walk {
  qn_kernel_text text;
  int nb;
  int64_t block;
} walk;

#define WALK(nb, resident, block)                                                                  \
  {                                                                                                \
    {"cuda/potrf_walk.cu",                                                                         \
     "potrf_walk",                                                                                 \
     "-DNB=" #nb " -DRESIDENT=" #resident,                                                         \
     {"QN_T", "ALONG_I"}},                                                                         \
        nb, block                                                                                  \
  }

static const walk walks[QN_DTYPE_COUNT] = {
    [QN_F32] = WALK(64, 1, 1024),
    [QN_F64] = WALK(32, 1, 1024),
    [QN_C64] = WALK(32, 1, 512),
    [QN_C128] = WALK(32, 1, 512),
};

bool qn_potrf_walk_serves(const qn_device *device, qn_dtype dtype) {
  return strcmp(device->info.backend, "cuda") == 0 && qn_sm_of(device) >= 80 && walks[dtype].nb > 0;
}

int64_t qn_potrf_walk_block(qn_dtype dtype) {
  return walks[dtype].block;
}

/* Two tiles of operands, two that are made with rows one longer, and the reciprocals. */
static size_t local_bytes(const walk *w, qn_dtype dtype) {
  size_t nb = (size_t)w->nb;
  return (2 * nb * nb + nb + 2 * nb * (nb + 1)) * qn_dtype_size(dtype);
}

static qn_status launch(qn_stream *stream, const walk *w, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info, qn_buffer *shared, int64_t ticket) {
  bool lower = uplo == QN_LOWER; /* U^H U is L L^H with L(i, j) the conjugate of U(j, i) */
  int64_t blocks = qn_ceil_div(a.rows, w->nb);
  qn_call call = {.dynamic = (uint32_t)local_bytes(w, a.dtype)};
  qn_call_i32(&call, (int32_t)a.rows);
  qn_call_i64(&call, first);
  qn_call_buffer(&call, a.buffer);
  qn_call_i64(&call, a.offset);
  qn_call_i64(&call, lower ? 1 : a.ld);
  qn_call_i64(&call, lower ? a.ld : 1);
  qn_call_i32(&call, !lower);
  qn_call_buffer(&call, info);
  qn_call_buffer(&call, shared);
  qn_call_i64(&call, ticket);
  qn_form form = {.text = &w->text, .value = {(uint8_t)a.dtype, lower}};
  /* a pair of tiles in each column, and those below */
  return qn_call_run(stream, &form, (qn_call_shape){blocks * (blocks - 1) / 2 + 1, 1, 1, ITEMS},
                     &call);
}

qn_status qn_potrf_walk(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                        qn_buffer *info) {
  const walk *w = &walks[a.dtype];
  int64_t blocks = qn_ceil_div(a.rows, w->nb);
  int64_t elements = blocks * (blocks + 1) / 2 * w->nb * w->nb;
  size_t bytes = (size_t)(elements + 1) * qn_dtype_size(a.dtype); /* the last begins the ticket */
  qn_buffer *shared;
  QN_TRY(qn_scratch_alloc(stream, bytes, &shared));
  qn_status status = stream->rehearsal ? QN_OK : qn_fill(stream, shared, 0, bytes, UINT32_MAX, 4);
  if (status == QN_OK) status = launch(stream, w, uplo, a, first, info, shared, elements);
  qn_scratch_free(stream, shared);
  return status;
}
