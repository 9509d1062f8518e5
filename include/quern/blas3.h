/* Matrix products, triangular products and solves, Cholesky.
 *
 * Common to all
 *   Async   : ordered on `stream`; returns before completion (the cpu's work runs inline).
 *   Memory  : all operands on the stream's device; workspace comes from the device's pool, the
 *             cpu's packed panels from the process's allocator.
 *   Aliasing: an output must not overlap an input (not checked).
 *   Errors  : QN_EINVAL (the argument is named in qn_last_error) and QN_EUNSUPPORTED (the device
 *             lacks the dtype): nothing was enqueued. QN_ENOMEM and QN_EDEVMEM for workspace,
 *             QN_ECOMPILE, QN_EBACKEND, QN_ELOST: the output is without meaning.
 *   Special : alpha = 0: neither A nor B influences the result; beta = 0: C does not (both after
 *             rounding to the arithmetic of the dtype); k = 0 scales C by beta; a dimension of 0
 *             returns at once. NaN and Inf travel. The unit diagonal, the other triangle and the
 *             gap between rows and ld never influence and are never written.
 *   Bits    : the same device, library, shape, ld, alignment, math mode and thread count give the
 *             same bits.
 *   Env     : QUERN_GEMM_VARIANT forces one implementation of the product (the log names them).
 *             It, QUERN_TRSM_VARIANT, QUERN_TRSM_BLOCK, QUERN_TRMM_BLOCK, QUERN_POTRF_BLOCK and
 *             QUERN_TRIANGLE_BLOCKS are read once, at the first call.
 *   Source  : the reference BLAS (xGEMM, xTRMM, xTRSM) and LAPACK (xPOTRF) for the semantics. */
#ifndef QUERN_BLAS3_H
#define QUERN_BLAS3_H

#include "kernel.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C := alpha op(A) op(B) + beta C
 * Shapes : op(A) m x k, op(B) k x n, C m x n.
 * Dtypes : A, B, C alike. f16 and bf16 accumulate in f32 and may also write an f32 C. */
QN_API qn_status qn_gemm(qn_stream *stream, qn_trans transa, qn_trans transb, qn_scalar alpha,
                         qn_matrix a, qn_matrix b, qn_scalar beta, qn_matrix c);

/* B := alpha op(A) B (left) or alpha B op(A) (right), A triangular.
 * Shapes : B m x n, A m x m (left) or n x n (right).
 * Memory : on CUDA workspace to 256 MiB, or 256 columns (rows, right) of B where that is more, and
 *          in f32 as much as A takes where a large one is transposed (left); with less it takes
 *          what there is, and with none goes on in place.
 * Source : recursion on the triangle: V. Carrica, M. Onyango, R. Alomairy, E. Ringoot, J. Schloss,
 *          A. Edelman, "Toward Portable GPU Performance: Julia Recursive Implementation of TRMM and
 *          TRSM", arXiv 2504.13821. */
QN_API qn_status qn_trmm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans,
                         qn_diag diag, qn_scalar alpha, qn_matrix a, qn_matrix b);

/* The same out of place: C := alpha op(A) B or alpha B op(A); B stays as it is.
 * Shapes : C as B.
 * Memory : in f32 workspace as qn_trmm for an A that is transposed. */
QN_API qn_status qn_trmm_to(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans,
                            qn_diag diag, qn_scalar alpha, qn_matrix a, qn_matrix b, qn_matrix c);

/* Solves op(A) X = alpha B (left) or X op(A) = alpha B (right); X overwrites B.
 * Shapes : as qn_trmm.
 * Numeric: per column norm1(alpha b - op(A) x) <= 30 u norm1(A) norm1(x). A zero on the diagonal
 *          gives the Inf and NaN that division gives, as in BLAS; it is no error. */
QN_API qn_status qn_trsm(qn_stream *stream, qn_side side, qn_uplo uplo, qn_trans trans,
                         qn_diag diag, qn_scalar alpha, qn_matrix a, qn_matrix b);

/* A = L L^H (lower) or U^H U (upper); the factor overwrites that triangle, the other is not
 * touched.
 * Shapes : A n x n.
 * Dtypes : f32 f64 c64 c128; QN_EUNSUPPORTED for f16 and bf16. Of the diagonal of a complex A the
 *          real parts alone count.
 * info   : may be NULL; else 0, or the order k (1-based) of the first leading minor that is not
 *          positive definite; then the leading k - 1 rows and columns are factored, and what lies
 *          beyond is without meaning. It is written at the latest by the next qn_stream_sync and
 *          must stay valid until then, or until qn_stream_free; the call itself does not wait. */
QN_API qn_status qn_potrf(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t *info);

/* The order up to which one base block does a triangle, at which the recursion of a routine ends;
 * a device's kernels may end it earlier, never later. 0 restores the device's tuned default;
 * QUERN_TRSM_BLOCK and QUERN_TRMM_BLOCK set it from outside. Applies to calls made afterwards. */
QN_API qn_status qn_device_set_trsm_block(qn_device *device, int64_t block);
QN_API qn_status qn_device_set_trmm_block(qn_device *device, int64_t block);

/* ---- which kernel a product takes ---- */

/* One way of computing a product on a device. */
typedef struct qn_gemm_variant_info {
  const char *name;  /* as --explain shows it */
  const char *needs; /* what this device lacks for it, else what it asks of a problem, in words;
                        NULL: nothing beyond its dtypes */
  bool f16_sums;     /* it adds up in f16, outside the contract: on request alone */
} qn_gemm_variant_info;

/* Writes at most `capacity` rows, in no order of merit; *count is the number there are. The texts
 * are constants. */
QN_API qn_status qn_gemm_variants(qn_device *device, qn_gemm_variant_info *rows, unsigned capacity,
                                  unsigned *count);

/* The only variant that products on the device may take from now on, those inside other routines
 * too; NULL restores the choice by cost. A product that it cannot do fails with QN_EUNSUPPORTED.
 * QUERN_GEMM_VARIANT sets it from outside, for all devices.
 * Errors: QN_EINVAL (the device has no variant of that name). */
QN_API qn_status qn_device_set_gemm_variant(qn_device *device, const char *name);

/* Hands `fn` the compiled code of each kernel that this product would launch, by the variant that
 * is set or else chosen; nothing is launched. Operands are taken to be dense.
 * Async  : returns when all have been compiled, anew: no cache is looked at.
 * Errors : QN_EINVAL, QN_EUNSUPPORTED (no device of the cuda backend, a variant that cannot do the
 *          product), QN_ECOMPILE, QN_ENOMEM. */
QN_API qn_status qn_gemm_code(qn_device *device, qn_dtype dtype, qn_trans transa, qn_trans transb,
                              int64_t m, int64_t n, int64_t k, qn_code form, qn_code_fn fn,
                              void *user);

/* ---- kernels before they are needed ---- */

/* Families of routines, to be or'ed. */
enum {
  QN_ROUTINE_GEMM = 1,
  QN_ROUTINE_TRMM = 2,
  QN_ROUTINE_TRSM = 4,
  QN_ROUTINE_POTRF = 8,
  QN_ROUTINE_ALL = 15
};

typedef struct qn_warmup_report {
  unsigned kernels;          /* that are ready now */
  unsigned compiled, loaded; /* modules: by the compiler, and from the cache on disk */
  double seconds;
} qn_warmup_report;

/* Compiles, or loads from the cache on disk, the kernels that the routines will need on the device,
 * side by side, so that no later call waits for a compiler. Without it the first call of a routine
 * makes ready what it needs itself.
 * routines: QN_ROUTINE_*, 0 = all. dtypes: a bit (1u << dtype) each, 0 = all that compute there.
 * report  : may be NULL. On the cpu nothing is compiled: QN_OK, and a report of zeros.
 * Async   : returns when all is ready.
 * Errors  : QN_EINVAL, QN_EUNSUPPORTED (the device lacks a dtype), QN_ECOMPILE, QN_ENOMEM. */
QN_API qn_status qn_device_warmup(qn_device *device, unsigned routines, unsigned dtypes,
                                  qn_warmup_report *report);

#ifdef __cplusplus
}
#endif
#endif
