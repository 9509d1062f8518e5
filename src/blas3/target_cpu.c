/* The target over the cpu's packed kernels (device/cpu_ops.h): views become host pointers and the
 * work runs inline. */
#include "blas3/target.h"

static const qn_cpu_ops *ops_of(const qn_stream *stream) {
  return stream->device->cpu;
}

/* ---- gemm ---- */

static bool packed_applicable(const qn_stream *stream, const qn_gemm_problem *p) {
  (void)stream;
  (void)p;
  return true;
}

static double packed_cost(const qn_stream *stream, const qn_gemm_problem *p) {
  (void)stream;
  const double flop_seconds = 1e-11;
  return 1e-7 + flop_seconds * (double)p->c.rows * (double)p->c.cols * (double)qn_gemm_inner(p);
}

static const qn_cpu_epilogue *epilogue_of(const qn_epilogue_use *use, qn_cpu_epilogue *e) {
  if (!use) return NULL;
  e->program = &use->epilogue->program;
  for (int i = 0; i < QN_EPILOGUE_MATRICES; i++) {
    const qn_epilogue_matrix *x = &use->matrix[i];
    if (!x->m.buffer) continue;
    e->matrix[i].data = qn_cpu_view(x->m).data;
    e->matrix[i].step_i = x->step_i;
    e->matrix[i].step_j = x->step_j;
    e->matrix[i].f32 = use->f32 >> i & 1;
  }
  for (int i = 0; i < QN_EPILOGUE_SCALARS; i++) e->scalar[i] = use->scalar[i];
  return e;
}

static qn_cpu_gemm call_of(const qn_gemm_problem *p) {
  return (qn_cpu_gemm){.dtype = p->a.dtype,
                       .ctype = p->c.dtype,
                       .transa = p->transa,
                       .transb = p->transb,
                       .alpha = p->alpha,
                       .beta = p->beta,
                       .a = qn_cpu_view(p->a),
                       .b = qn_cpu_view(p->b),
                       .c = qn_cpu_view(p->c),
                       .region = p->region};
}

static qn_status packed_launch(qn_stream *stream, const qn_gemm_problem *p) {
  qn_cpu_epilogue epilogue;
  qn_cpu_gemm call = call_of(p);
  call.epilogue = epilogue_of(p->epilogue, &epilogue);
  return ops_of(stream)->gemm(&call);
}

/* A library that the user named takes all that it can. */
static bool fits_int(qn_matrix x) {
  return x.rows <= INT32_MAX && x.cols <= INT32_MAX && x.ld <= INT32_MAX;
}

static bool blas_applicable(const qn_stream *stream, const qn_gemm_problem *p) {
  return ops_of(stream)->gemm_blas && !qn_dtype_is_half(p->a.dtype) && !p->epilogue &&
         p->region == QN_REGION_ALL && !qn_scalar_is(p->alpha, 0.0) && qn_gemm_inner(p) > 0 &&
         fits_int(p->a) && fits_int(p->b) && fits_int(p->c);
}

static double blas_cost(const qn_stream *stream, const qn_gemm_problem *p) {
  (void)stream;
  (void)p;
  return 0.0;
}

static qn_status blas_launch(qn_stream *stream, const qn_gemm_problem *p) {
  qn_cpu_gemm call = call_of(p);
  return ops_of(stream)->gemm_blas(&call);
}

/* No product is left: C := beta C. */
static bool scale_applicable(const qn_stream *stream, const qn_gemm_problem *p) {
  (void)stream;
  return p->region == QN_REGION_ALL && !p->epilogue &&
         (qn_scalar_is(p->alpha, 0.0) || qn_gemm_inner(p) == 0);
}

static double scale_cost(const qn_stream *stream, const qn_gemm_problem *p) {
  (void)stream;
  (void)p;
  return 0.0;
}

static qn_status scale_launch(qn_stream *stream, const qn_gemm_problem *p) {
  if (!qn_scalar_is(p->beta, 1.0)) ops_of(stream)->scale(p->c.dtype, p->beta, qn_cpu_view(p->c));
  return QN_OK;
}

static const qn_gemm_variant packed = {"cpu_packed", NULL,          packed_applicable,
                                       packed_cost,  packed_launch, NULL};
static const qn_gemm_variant blas = {
    "cpu_blas",      "a BLAS by QUERN_CPU_BLAS, its dtypes and sizes, no epilogue",
    blas_applicable, blas_cost,
    blas_launch,     NULL};
static const qn_gemm_variant scale_only = {"cpu_scale", "alpha = 0 or k = 0", scale_applicable,
                                           scale_cost,  scale_launch,         NULL};
static const qn_gemm_variant *const variants[] = {&packed, &blas, &scale_only};

/* ---- base blocks ---- */

static qn_cpu_triangular triangular(const qn_triangular_problem *p) {
  return (qn_cpu_triangular){p->a.dtype, p->side,  p->uplo,           p->trans,
                             p->diag,    p->alpha, qn_cpu_view(p->a), qn_cpu_view(p->b)};
}

static qn_status trsm(qn_stream *stream, const qn_triangular_problem *p) {
  qn_cpu_triangular call = triangular(p);
  return ops_of(stream)->trsm(&call);
}

static qn_status trmm(qn_stream *stream, const qn_triangular_problem *p) {
  qn_cpu_triangular call = triangular(p);
  return ops_of(stream)->trmm(&call);
}

static int64_t trsm_block(const qn_stream *stream, const qn_triangular_problem *p) {
  qn_cpu_triangular call = triangular(p);
  return ops_of(stream)->trsm_block(&call);
}

static int64_t trmm_block(const qn_stream *stream, const qn_triangular_problem *p) {
  qn_cpu_triangular call = triangular(p);
  return ops_of(stream)->trmm_block(&call);
}

static qn_status potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first,
                       qn_buffer *info) {
  int64_t *global = info->host;
  if (*global != 0) return QN_OK;
  int64_t local = 0;
  QN_TRY(ops_of(stream)->potrf(a.dtype, uplo, qn_cpu_view(a), &local));
  if (local != 0) *global = first + local;
  return QN_OK;
}

static int64_t potrf_block(const qn_stream *stream, qn_dtype dtype, int64_t order) {
  (void)order;
  return ops_of(stream)->potrf_block(dtype);
}

static qn_status scale(qn_stream *stream, qn_scalar alpha, qn_matrix x) {
  ops_of(stream)->scale(x.dtype, alpha, qn_cpu_view(x));
  return QN_OK;
}

static qn_status cast(qn_stream *stream, qn_matrix dst, qn_matrix src) {
  ops_of(stream)->cast(dst.dtype, qn_cpu_view(dst), src.dtype, qn_cpu_view(src));
  return QN_OK;
}

const qn_target qn_target_cpu = {
    .base = "cpu_fused",
    .gemm = variants,
    .gemms = sizeof variants / sizeof *variants,
    .trsm = trsm,
    .trmm = trmm,
    .trsm_block = trsm_block,
    .trmm_block = trmm_block,
    .potrf = potrf,
    .potrf_block = potrf_block,
    .scale = scale,
    .cast = cast,
};
