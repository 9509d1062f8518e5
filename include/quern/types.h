/* Element types, scalars and the small enumerations that every header shares. */
#ifndef QUERN_TYPES_H
#define QUERN_TYPES_H

#include "status.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum qn_dtype {
  QN_F16,  /* IEEE binary16 */
  QN_BF16, /* the upper half of a binary32 */
  QN_F32,
  QN_F64,
  QN_C64, /* two f32: real, imaginary */
  QN_C128 /* two f64 */
} qn_dtype;

enum { QN_DTYPE_COUNT = 6 };

/* Bytes of one element; 0 for a value that is no dtype. */
QN_API size_t qn_dtype_size(qn_dtype dtype);
/* "f16" "bf16" "f32" "f64" "c64" "c128"; "?" for a value that is no dtype. */
QN_API const char *qn_dtype_name(qn_dtype dtype);
/* The dtype of a name as above (any case). QN_EINVAL for another text. */
QN_API qn_status qn_dtype_parse(const char *name, qn_dtype *dtype);

/* A factor for any dtype: real types read `re` alone. It is rounded to the arithmetic of the
 * routine (f32 for f16, bf16, f32 and c64). */
typedef struct qn_scalar {
  double re, im;
} qn_scalar;

static inline qn_scalar qn_real(double re) {
  qn_scalar s = {re, 0.0};
  return s;
}

static inline qn_scalar qn_complex(double re, double im) {
  qn_scalar s = {re, im};
  return s;
}

/* The letters of BLAS. On real types QN_CONJTRANS means QN_TRANS. */
typedef enum qn_trans { QN_NOTRANS = 'N', QN_TRANS = 'T', QN_CONJTRANS = 'C' } qn_trans;
typedef enum qn_side { QN_LEFT = 'L', QN_RIGHT = 'R' } qn_side;
typedef enum qn_uplo { QN_LOWER = 'L', QN_UPPER = 'U' } qn_uplo;
typedef enum qn_diag { QN_NONUNIT = 'N', QN_UNIT = 'U' } qn_diag;

/* How a stream computes. It is captured when work is enqueued. */
typedef enum qn_math {
  QN_MATH_DEFAULT, /* never less accurate than plain arithmetic of the dtype */
  QN_MATH_PLAIN,   /* plain arithmetic of the dtype, no emulation */
  QN_MATH_FAST     /* may drop to TF32 where the hardware has it */
} qn_math;

#ifdef __cplusplus
}
#endif
#endif
