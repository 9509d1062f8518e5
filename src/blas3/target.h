/* What the recursions ask of a device: the smallest set of operations that work on views.
 *
 * A target is a constant table, one for each way of computing: target_cpu.c over the cpu's packed
 * kernels, target_kernels.c over kernels compiled for a device. The recursions know no other word
 * of a device.
 *
 *   gemm       the variants to choose from
 *   trsm trmm  one whole base block; `*_block` says which order is best, limit which is the
 *              largest that works (NULL: any)
 *   potrf      one base block
 *   trsm_panel  the order of panels that large solves are better cut into than into halves, or 0
 *              (NULL: never)
 *   trsm_invert  what base blocks need of all of the triangle, ahead of them, or NULL (NULL: never)
 *   trsm_columns  the whole triangle as textbooks solve it (NULL where there is none)
 *   trmm_to    the whole of C := alpha op(A) B or alpha B op(A) in one launch, C apart from A, B
 *              (NULL where there is none)
 *   trmm_to_serves  whether that is the best way
 *   trmm_apart  whether it is even in place, from a copy of B
 *   scale      x := alpha x; alpha = 0 writes zeros and reads nothing
 *   cast       between f32 and the halves
 *
 * Everything is ordered on the stream and returns without waiting; workspace comes from
 * qn_scratch_alloc. Arguments have been checked: no dimension is 0, real types never ask for
 * QN_CONJTRANS, triangular alpha is not 0. */
#ifndef QN_BLAS3_TARGET_H
#define QN_BLAS3_TARGET_H

#include "blas3/problem.h"

/* One implementation of gemm. Of those applicable the one with the lowest cost runs. */
typedef struct qn_gemm_variant {
  const char *name;
  const char *needs; /* in words, of a problem that its dtype allows; NULL: nothing */
  bool (*applicable)(const qn_stream *stream, const qn_gemm_problem *p);
  double (*cost)(const qn_stream *stream, const qn_gemm_problem *p); /* expected seconds */
  qn_status (*launch)(qn_stream *stream, const qn_gemm_problem *p);
  const char *(*lacks)(const qn_device *device); /* what it needs and the device has not, in words;
                                                    NULL, or answers NULL: nothing */
} qn_gemm_variant;

typedef struct qn_target {
  const char *base; /* the name a trace gives to base blocks and casts */
  const qn_gemm_variant *const *gemm;
  unsigned gemms;
  const qn_gemm_variant *f16_sums; /* the one of them that adds up in f16; NULL: none does */

  qn_status (*trsm)(qn_stream *stream, const qn_triangular_problem *p);
  qn_status (*trmm)(qn_stream *stream, const qn_triangular_problem *p);
  qn_status (*trsm_columns)(qn_stream *stream, const qn_triangular_problem *p);
  int64_t (*trsm_block)(const qn_stream *stream, const qn_triangular_problem *p);
  int64_t (*trsm_panel)(const qn_stream *stream, const qn_triangular_problem *p);
  qn_status (*trsm_invert)(qn_stream *stream, const qn_triangular_problem *p, int64_t block,
                           qn_buffer **inverses);
  int64_t (*trmm_block)(const qn_stream *stream, const qn_triangular_problem *p);
  int64_t (*limit)(const qn_stream *stream, const qn_triangular_problem *p);

  bool (*trmm_apart)(const qn_stream *stream, const qn_triangular_problem *p);
  bool (*trmm_to_serves)(const qn_stream *stream, const qn_triangular_problem *p);
  qn_status (*trmm_to)(qn_stream *stream, const qn_triangular_problem *p, qn_matrix c);

  /* Factors a block that begins at row and column `first` of the whole matrix. `info` is an int64_t
   * in device memory: does nothing where it is not 0, and a pivot j of the block (0-based) that is
   * not positive, or is NaN, writes first + j + 1 there and ends the block. */
  qn_status (*potrf)(qn_stream *stream, qn_uplo uplo, qn_matrix a, int64_t first, qn_buffer *info);
  /* The columns of a matrix of `order` that are best factored at once. */
  int64_t (*potrf_block)(const qn_stream *stream, qn_dtype dtype, int64_t order);
  /* Whether it takes what lies below the block (upper: beside it) along: A21 becomes L21. */
  bool (*potrf_is_tall)(const qn_stream *stream, qn_dtype dtype);

  qn_status (*scale)(qn_stream *stream, qn_scalar alpha, qn_matrix x);
  qn_status (*cast)(qn_stream *stream, qn_matrix dst, qn_matrix src);
} qn_target;

extern const qn_target qn_target_cpu;
extern const qn_target qn_target_kernels;

/* The target of a device; NULL where it has none. */
const qn_target *qn_target_of(const qn_device *device);

#endif
