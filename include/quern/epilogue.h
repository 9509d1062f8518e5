/* Epilogues: an expression that a product applies to each element before it is stored.
 *
 *   qn_epilogue *gelu;
 *   qn_epilogue_create("gelu(acc + bias_n)", NULL, NULL, &gelu);
 *   qn_gemm_ex(stream, QN_NOTRANS, QN_NOTRANS, one, a, b, zero, c, gelu,
 *              &(qn_epilogue_args){.bias_n = bias});
 *
 * C(i, j) := expression, rounded once to C's dtype. The names in it:
 *
 *   acc           what qn_gemm would store there, not yet rounded: alpha op(A) op(B) + beta C
 *   c             what C held before; read where the expression names it, whatever beta is
 *   row, col      i and j, from 0
 *   bias_m        a vector of m values, one a row         bias_n   of n values, one a column
 *   residual      a matrix m x n
 *   your own      scalars, and operands that are m x n, or m x 1 or 1 x n and then count for
 *                 every column or row
 *   numbers       2, .5, 1e-3
 *
 *   + - * / - (sign) < <= > >= == != ?: ( )      in C's order of precedence, comparisons give 1 or
 *                 0 and do not chain; ?: takes the first branch where the condition is not 0
 *   min max abs exp log tanh erf sqrt relu gelu gelu_tanh silu sigmoid clamp(x, low, high)
 *
 * Arithmetic is that of the product: f32 for f16, bf16 and f32, f64 for f64. Complex dtypes have
 * + - * / == != ?: and abs; the rest is QN_EINVAL for them. A NaN travels through every function,
 * relu, min, max and clamp too. docs/epilogue.md has formulas and accuracy. */
#ifndef QUERN_EPILOGUE_H
#define QUERN_EPILOGUE_H

#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  QN_EPILOGUE_LENGTH = 4096, /* characters of an expression, at most */
  QN_EPILOGUE_SCALARS = 8,   /* scalars of one's own, at most */
  QN_EPILOGUE_OPERANDS = 4   /* operands of one's own, at most */
};

/* A parsed expression: constant, of no device, to be used by any number of threads. */
typedef struct qn_epilogue qn_epilogue;

/* Parses and checks an expression.
 * scalars, operands: names of one's own, parted by spaces or commas, or NULL.
 * Memory : the texts are copied.
 * Errors : QN_EINVAL; qn_last_error() has the column, from 1, and what is wrong there: an unknown
 *          name, a number of arguments, nesting beyond 64, more than 256 operations, 32 different
 *          numbers or QN_EPILOGUE_LENGTH characters. QN_ENOMEM. */
QN_API qn_status qn_epilogue_create(const char *expression, const char *scalars,
                                    const char *operands, qn_epilogue **epilogue);
/* May be called while products that use it are in flight. NULL is allowed. */
QN_API void qn_epilogue_free(qn_epilogue *epilogue);

/* Whether the expression names `name`: "acc", "c", "bias_n", one of your own. */
QN_API bool qn_epilogue_uses(const qn_epilogue *epilogue, const char *name);

/* What the names stand for in one product. Those that the expression does not name are ignored.
 * The dtype of a matrix is A's, C's or, where A is f16 or bf16, f32. */
typedef struct qn_epilogue_args {
  qn_matrix bias_m, bias_n;                /* m x 1 or 1 x m; n x 1 or 1 x n */
  qn_matrix residual;                      /* m x n */
  qn_matrix operand[QN_EPILOGUE_OPERANDS]; /* in the order in which they were declared */
  qn_scalar scalar[QN_EPILOGUE_SCALARS];   /* likewise */
} qn_epilogue_args;

/* C := epilogue(alpha op(A) op(B) + beta C)
 * Shapes, Dtypes, Async: as qn_gemm. epilogue NULL: qn_gemm. args may be NULL where the expression
 *          names no matrix and no scalar.
 * Aliasing: C must not overlap an operand.
 * Special: alpha = 0, beta = 0 and k = 0 act on acc, as in qn_gemm; the expression is evaluated
 *          whatever they are.
 * Errors : as qn_gemm; QN_EINVAL also for an operand that is missing or of a wrong shape, dtype or
 *          device, and for what a complex dtype does not have; the name and its column are told.
 * Memory : the text generated for a device with a compiler stays until the process ends, as its
 *          compiled kernels stay until the device is closed. */
QN_API qn_status qn_gemm_ex(qn_stream *stream, qn_trans transa, qn_trans transb, qn_scalar alpha,
                            qn_matrix a, qn_matrix b, qn_scalar beta, qn_matrix c,
                            const qn_epilogue *epilogue, const qn_epilogue_args *args);

#ifdef __cplusplus
}
#endif
#endif
