/* A triangle with the fewest right-hand sides in one launch: shape, workspace, launch. */
#include "blas3/triangle_thin.h"
#include "blas3/canonical.h"

enum { NB = 128, WARPS = 8 };

/* What one launch is compiled for: groups of nc columns, chunks of kc columns of the triangle. */
typedef struct shape {
  qn_kernel_text text;
  int nc, kc;
} shape;

#define SHAPE(nc, kc)                                                                              \
  {                                                                                                \
    {"cuda/trsm_thin.cu", "trsm_thin", "-DNC=" #nc " -DKC=" #kc, {"QN_T", "TRANS", "BACK"}}, nc,   \
        kc                                                                                         \
  }

static const shape shapes[QN_DTYPE_COUNT][3] = {
    [QN_F32] = {SHAPE(1, 128), SHAPE(4, 128), SHAPE(8, 128)},
    [QN_F64] = {SHAPE(1, 64), SHAPE(4, 64), SHAPE(8, 64)},
};

/* Up to how many right-hand sides this is the best way where k is contiguous, and where rows are;
 * the order up to which that holds in f64 and f32. */
enum { FEW = 16, THIN = 64, MANY = 256, LARGE = 4096 };
/* From which order and beyond how many right-hand sides groups of 8 columns gain more by reading A
 * half as often than they lose on the way. */
enum { WIDE_ORDER_F64 = 4096 };

static const shape *shape_of(const qn_triangular_problem *p) {
  const int64_t nrhs = qn_triangular_nrhs(p);
  const shape *const of = shapes[p->a.dtype];
  if (nrhs == 1) return &of[0];
  if (nrhs <= FEW || qn_canonical_of(p).transposed) return &of[1];
  if (p->a.dtype == QN_F64 && (nrhs <= THIN || p->a.rows < WIDE_ORDER_F64)) return &of[1];
  return &of[2];
}

/* The diagonal block, with columns four longer, its reciprocals, B, the sums and the warps' parts
 * of X; for one column in f64 the solution and its work. */
static size_t local_bytes(const shape *s, qn_dtype dtype, bool transposed) {
  size_t kt = (size_t)(NB * s->kc / (32 * WARPS) / 4), nc = (size_t)s->nc;
  size_t sums = transposed ? NB : WARPS * NB, of_x = WARPS * (transposed ? (size_t)s->kc : kt);
  size_t inverted = nc == 1 && dtype == QN_F64 ? NB + (WARPS + 1) * NB : 0;
  return (NB * (NB + 4) + NB + nc * (NB + sums + of_x) + inverted) * qn_dtype_size(dtype);
}

bool qn_trsm_thin_serves(const qn_device *device, const qn_triangular_problem *p) {
  if (p->a.dtype != QN_F32 && p->a.dtype != QN_F64) return false;
  const int64_t nrhs = qn_triangular_nrhs(p);
  const bool transposed = qn_canonical_of(p).transposed, large = p->a.rows > LARGE;
  /* too many columns, or groups of them that read A too often */
  if (nrhs > (transposed ? THIN : MANY)) return false;
  if (p->a.dtype == QN_F64 && transposed && nrhs > FEW && large) return false;
  if (p->a.dtype == QN_F32 && nrhs > THIN && large) return false;
  return device->info.local_memory >= local_bytes(shape_of(p), p->a.dtype, transposed);
}

static qn_status launch(qn_stream *stream, const qn_triangular_problem *p, const shape *s,
                        qn_buffer *shared, int64_t ticket) {
  const qn_canonical c = qn_canonical_of(p);
  const int64_t groups = qn_ceil_div(qn_triangular_nrhs(p), s->nc);
  const int64_t blocks = qn_ceil_div(p->a.rows, NB);
  qn_call call = {.dynamic = (uint32_t)local_bytes(s, p->a.dtype, c.transposed)};
  qn_call_sizes(&call, p);
  qn_call_canonical(&call, p, &c);
  qn_call_i32(&call, (int32_t)groups);
  qn_call_buffer(&call, shared);
  qn_call_i64(&call, ticket);
  const qn_form form = {.text = &s->text, .value = {(uint8_t)p->a.dtype, c.transposed, c.back}};
  return qn_call_run(stream, &form, (qn_call_shape){groups * blocks, 1, 1, 32 * WARPS}, &call);
}

qn_status qn_trsm_thin(qn_stream *stream, const qn_triangular_problem *p) {
  const shape *s = shape_of(p);
  const int64_t elements = qn_round_up(p->a.rows, NB) * qn_round_up(qn_triangular_nrhs(p), s->nc);
  qn_buffer *shared;
  QN_TRY(qn_exchange_alloc(stream, elements, p->a.dtype, &shared));
  const qn_status status = launch(stream, p, s, shared, elements);
  qn_scratch_free(stream, shared);
  return status;
}
