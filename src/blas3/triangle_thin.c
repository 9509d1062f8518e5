/* A triangle with the fewest right-hand sides in one launch: shape, workspace, launch. */
#include "blas3/triangle_thin.h"
#include "blas3/canonical.h"
#include "blas3/device_arch.h"

enum { NB = 128, WARPS = 8 };

/* What one launch is compiled for: groups of nc columns, chunks of kc columns of the triangle. */
typedef struct shape {
  qn_kernel_text text;
  int nc, kc;
} shape;

#define SHAPE(nc, kc)                                                                              \
  {                                                                                                \
    {"cuda/trsm_thin.cu",                                                                          \
     "trsm_thin",                                                                                  \
     "-DNC=" #nc " -DKC=" #kc,                                                                     \
     {"QN_T", "TRANS", "BACK", "QN_SM"}},                                                          \
        nc, kc                                                                                     \
  }

static const shape shapes[QN_DTYPE_COUNT][4] = {
    [QN_F32] = {SHAPE(1, 64), SHAPE(4, 128), SHAPE(8, 128), SHAPE(4, 128)},
    [QN_F64] = {SHAPE(1, 64), SHAPE(4, 64), SHAPE(8, 64), SHAPE(4, 32)},
};
enum { ONE, FOUR, EIGHT, FOUR_TRANSPOSED };

/* Up to how many right-hand sides this is the best way where k is contiguous, and where rows are,
 * there of more than LARGE rows in f32; and others at which ways part. */
enum { FEW = 16, THIN = 64, MANY = 256, MANY_LARGE = 128, LARGE = 4096 };

/* Shared memory, in bytes, as trsm_thin.cu lays it out. */
static size_t local_bytes(const shape *s, qn_dtype dtype, bool transposed) {
  const bool single = dtype == QN_F32, one = s->nc == 1;
  const size_t nc = (size_t)s->nc, ld = NB + 4, size = qn_dtype_size(dtype);
  const size_t work = one ? NB * (WARPS + (single ? 1 : 2)) : single ? nc * ld : 0;
  size_t sums = NB * nc * (transposed ? 1 : WARPS);
  if (one && single && !transposed) sums += (size_t)(WARPS * 48); /* apart, for the banks */
  const size_t asked = !transposed ? NB / WARPS : single || one ? NB : (size_t)s->kc;
  return (NB * ld + NB + work) * sizeof(double) +
         (nc * NB + (single ? NB : 0) + sums + WARPS * asked * nc) * size;
}

static bool fits(const qn_device *device, const shape *s, qn_dtype dtype, bool transposed) {
  return device->info.local_memory >= local_bytes(s, dtype, transposed);
}

static const shape *shape_of(const qn_device *device, const qn_triangular_problem *p) {
  const int64_t nrhs = qn_triangular_nrhs(p);
  const qn_dtype dtype = p->a.dtype;
  const shape *const of = shapes[dtype];
  if (nrhs == 1) return &of[ONE];
  if (qn_canonical_of(p).transposed) return &of[FOUR_TRANSPOSED];
  /* eight columns read A half as often, but take longer on the way */
  const bool wide = nrhs > FEW && (dtype == QN_F32 || p->a.rows >= LARGE);
  return &of[wide && fits(device, &of[EIGHT], dtype, false) ? EIGHT : FOUR];
}

bool qn_trsm_thin_serves(const qn_device *device, const qn_triangular_problem *p) {
  if (p->a.dtype != QN_F32 && p->a.dtype != QN_F64) return false;
  const int64_t nrhs = qn_triangular_nrhs(p);
  const bool transposed = qn_canonical_of(p).transposed, large = p->a.rows > LARGE;
  /* too many columns, or groups of them that read A too often */
  if (nrhs > (transposed ? THIN : MANY)) return false;
  if (p->a.dtype == QN_F64 && transposed && nrhs > FEW && large) return false;
  if (p->a.dtype == QN_F32 && nrhs > MANY_LARGE && large) return false;
  return fits(device, shape_of(device, p), p->a.dtype, transposed);
}

/* The first block that is solved by its inverse; none where so many groups of columns each would
 * invert all blocks that this takes longer than it saves. */
static int32_t first_inverted(const qn_triangular_problem *p) {
  return p->a.dtype == QN_F64 && qn_triangular_nrhs(p) > THIN ? INT32_MAX : 2;
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
  qn_call_i32(&call, first_inverted(p));
  qn_call_buffer(&call, shared);
  qn_call_i64(&call, ticket);
  const qn_form form = {
      .text = &s->text,
      .value = {(uint8_t)p->a.dtype, c.transposed, c.back, (uint8_t)qn_sm_of(stream->device)}};
  return qn_call_run(stream, &form, (qn_call_shape){groups * blocks, 1, 1, 32 * WARPS}, &call);
}

qn_status qn_trsm_thin(qn_stream *stream, const qn_triangular_problem *p) {
  const shape *s = shape_of(stream->device, p);
  const int64_t elements = qn_round_up(p->a.rows, NB) * qn_round_up(qn_triangular_nrhs(p), s->nc);
  qn_buffer *shared;
  QN_TRY(qn_exchange_alloc(stream, elements, p->a.dtype, &shared));
  const qn_status status = launch(stream, p, s, shared, elements);
  qn_scratch_free(stream, shared);
  return status;
}
