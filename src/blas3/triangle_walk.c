/* Triangles in one launch: many thread blocks down a few columns (walk), or a thread block for each
 * group of columns (wide). Which, the shape, the workspace and the launch. */
#include "blas3/triangle_walk.h"
#include "blas3/canonical.h"
#include "blas3/device_arch.h"
#include "blas3/triangle_thin.h"

enum { WARPS = 8 };

/* What one launch is compiled for: blocks of nb rows, groups of nc columns. */
typedef struct shape {
  qn_kernel_text solve, multiply;
  int nb, nc, stages;
  int64_t order; /* wide: the largest triangle whose columns fit shared memory */
} shape;

#define TEXT(kernel, options)                                                                      \
  {                                                                                                \
    "cuda/" kernel ".cu", kernel, options " -DWARPS=8", {                                          \
      "QN_T", "TRANS", "BACK", "CONJ"                                                              \
    }                                                                                              \
  }
#define SHAPE(form, options, nb, nc, stages, order)                                                \
  { TEXT("trsm_" form, options), TEXT("trmm_" form, options), nb, nc, stages, order }
#define WALK(nb, nc, sets, stages, resident)                                                       \
  SHAPE("walk",                                                                                    \
        "-DNB=" #nb " -DNC=" #nc " -DSETS=" #sets " -DSTAGES=" #stages " -DRESIDENT=" #resident,   \
        nb, nc, stages, INT64_MAX)
/* nc is what 8 warps of 256 / nb columns have, `sets` times */
#define WIDE(nb, nc, sets, stages, resident, order)                                                \
  SHAPE("wide", "-DNB=" #nb " -DSETS=" #sets " -DSTAGES=" #stages " -DRESIDENT=" #resident, nb,    \
        nc, stages, order)

static const shape few[QN_DTYPE_COUNT] = {
    [QN_F32] = WALK(64, 4, 1, 3, 2),
    [QN_F64] = WALK(64, 4, 1, 2, 1),
    [QN_C64] = WALK(64, 4, 1, 2, 1),
    [QN_C128] = WALK(32, 8, 1, 4, 1),
};
static const shape many[QN_DTYPE_COUNT] = {
    [QN_F32] = WALK(64, 16, 1, 3, 2),
    [QN_F64] = WALK(64, 16, 1, 2, 1),
    [QN_C64] = WALK(32, 16, 1, 4, 1),
    [QN_C128] = WALK(32, 8, 1, 4, 1),
};
static const shape wide[QN_DTYPE_COUNT] = {
    [QN_F32] = WIDE(64, 64, 2, 3, 1, 256),
    [QN_F64] = WIDE(64, 32, 1, 2, 1, 256),
    [QN_C64] = WIDE(32, 64, 1, 3, 1, 256),
    [QN_C128] = WIDE(32, 64, 1, 2, 1, 128),
};
/* Up to how many right-hand sides the walk has NC = 4, takes a triangle of any order, takes one of
 * MIDDLE_ORDER; and the multiprocessors that wide blocks are to keep busy. */
enum { FEW = 4, THIN = 256, MIDDLE = 2048, MIDDLE_ORDER = 1024, BUSY = 66 };
/* With more than so many, up to THIN, of real numbers products take less than a longer walk. */
enum { NARROW = 64, LONG_ORDER = 4096 };

bool qn_walk_serves(const qn_device *device, qn_dtype dtype) {
  const uint64_t most = 160 << 10; /* bytes of shared memory that a shape takes */
  return strcmp(device->info.backend, "cuda") == 0 && qn_sm_of(device) >= 80 &&
         device->info.local_memory > most && !qn_dtype_is_half(dtype);
}

int64_t qn_walk_block(const qn_triangular_problem *p) {
  int64_t nrhs = qn_triangular_nrhs(p);
  const bool real = p->a.dtype == QN_F32 || p->a.dtype == QN_F64;
  if (nrhs <= THIN) return nrhs > NARROW && real ? LONG_ORDER : INT64_MAX;
  return nrhs <= MIDDLE ? MIDDLE_ORDER : wide[p->a.dtype].order;
}

/* Elements that 16 bytes hold: rows and columns in shared memory are longer by them. */
static int64_t pad(qn_dtype dtype) {
  return 16 / (int64_t)qn_dtype_size(dtype);
}

/* What all kernels take first, and `elements` of shared memory; trmm's take where the product goes,
 * too, which is NULL of a solve. */
static void call_operands(qn_call *call, const qn_triangular_problem *p, const qn_matrix *product,
                          int64_t elements) {
  call->dynamic = (uint32_t)(elements * (int64_t)qn_dtype_size(p->a.dtype));
  qn_call_triangle(call, p);
  if (!product) return;
  qn_triangular_problem result = *p;
  result.b = *product;
  qn_call_columns(call, &result);
}

static qn_status launch(qn_stream *stream, const qn_triangular_problem *p, const shape *s,
                        const qn_matrix *product, int64_t groups, const qn_call *call) {
  const qn_canonical c = qn_canonical_of(p);
  qn_form form = {.text = product ? &s->multiply : &s->solve,
                  .value = {(uint8_t)p->a.dtype, c.transposed, c.back, c.conj}};
  return qn_call_run(stream, &form, (qn_call_shape){groups, 1, 1, 32 * WARPS}, call);
}

static qn_status launch_wide(qn_stream *stream, const qn_triangular_problem *p, const shape *s,
                             const qn_matrix *product) {
  int64_t nb = s->nb, height = qn_round_up(p->a.rows, nb) + pad(p->a.dtype);
  int64_t elements = s->stages * nb * nb + (product ? 0 : nb) + s->nc * height;
  qn_call call = {.count = 0};
  call_operands(&call, p, product, elements);
  return launch(stream, p, s, product, qn_ceil_div(qn_triangular_nrhs(p), s->nc), &call);
}

static qn_status launch_walk(qn_stream *stream, const qn_triangular_problem *p, const shape *s,
                             const qn_matrix *product, qn_buffer *shared, int64_t ticket) {
  int64_t nb = s->nb, nc = s->nc, longer = pad(p->a.dtype);
  int64_t elements = (s->stages + 1) * nb * nb + nb * (nc + longer);
  if (!product) elements += nb * nb + nb + nc * nb + nc * (nb + longer);
  int64_t groups = qn_ceil_div(qn_triangular_nrhs(p), nc);
  qn_call call = {.count = 0};
  call_operands(&call, p, product, elements);
  qn_call_i32(&call, (int32_t)groups);
  qn_call_buffer(&call, shared);
  qn_call_i64(&call, ticket);
  return launch(stream, p, s, product, groups * qn_ceil_div(p->a.rows, nb), &call);
}

static qn_status walk(qn_stream *stream, const qn_triangular_problem *p, const shape *s,
                      const qn_matrix *product) {
  int64_t elements = qn_round_up(p->a.rows, s->nb) * qn_round_up(qn_triangular_nrhs(p), s->nc);
  qn_buffer *shared;
  QN_TRY(qn_exchange_alloc(stream, elements, p->a.dtype, &shared));
  qn_status status = launch_walk(stream, p, s, product, shared, elements);
  qn_scratch_free(stream, shared);
  return status;
}

static qn_status best(qn_stream *stream, const qn_triangular_problem *p, const qn_matrix *product) {
  int64_t nrhs = qn_triangular_nrhs(p), order = p->a.rows;
  const shape *w = &wide[p->a.dtype];
  /* one block of rows, or columns enough to keep the multiprocessors at work */
  if (order <= w->nb || (order <= w->order && nrhs >= BUSY * w->nc))
    return launch_wide(stream, p, w, product);
  if (!product && qn_trsm_thin_serves(stream->device, p)) return qn_trsm_thin(stream, p);
  return walk(stream, p, nrhs <= FEW ? &few[p->a.dtype] : &many[p->a.dtype], product);
}

/* Without workspace a triangle that columns in shared memory can take is done by them. */
static qn_status run(qn_stream *stream, const qn_triangular_problem *p, const qn_matrix *product) {
  const qn_status status = best(stream, p, product);
  const shape *w = &wide[p->a.dtype];
  return status == QN_EDEVMEM && p->a.rows <= w->order ? launch_wide(stream, p, w, product)
                                                       : status;
}

qn_status qn_trsm_walk(qn_stream *stream, const qn_triangular_problem *p) {
  return run(stream, p, NULL);
}

qn_status qn_trmm_walk(qn_stream *stream, const qn_triangular_problem *p, qn_matrix c) {
  return run(stream, p, &c);
}
